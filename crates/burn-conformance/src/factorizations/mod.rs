//! Factorisations and systems of equations of sizes at which kernels of devices change. Backends are those on
//! their default device.

mod matrices;
mod panels;
mod reflections;
mod rotations;
mod suite;

pub use panels::{
    factors_of_several_panels, of_equal_pivots_the_first_is_taken, pivots_of_low_and_high_panels,
    systems_of_several_panels,
};
pub use reflections::{reflections_of_all_sizes, reflections_of_fewer_directions};
pub use rotations::{
    rotations_keep_lengths, values_beside_what_has_none, values_of_all_sizes, values_of_many_rounds,
    values_that_are_far_apart_or_the_same,
};

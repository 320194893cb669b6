//! Matrices that are factored in several panels, blocks or launches, as in the tests of `burn-wgpu`: cubes
//! have more units and shared memory here.

mod device;

use burn_conformance::factorizations;
use burn_cuda::Cuda;
use burn_ndarray::NdArray;

type Gpu = Cuda<f32, i32>;
type Cpu = NdArray<f64, i64>;

#[test]
fn systems_of_several_panels() {
    device::require();
    factorizations::systems_of_several_panels::<Gpu, Cpu>();
}

#[test]
fn pivots_of_low_and_high_panels() {
    device::require();
    factorizations::pivots_of_low_and_high_panels::<Gpu, Cpu>();
}

#[test]
fn of_equal_pivots_the_first_is_taken() {
    device::require();
    factorizations::of_equal_pivots_the_first_is_taken::<Gpu, Cpu>();
}

#[test]
fn factors_of_several_panels() {
    device::require();
    factorizations::factors_of_several_panels::<Gpu, Cpu>();
}

#[test]
fn values_of_many_rounds() {
    device::require();
    factorizations::values_of_many_rounds::<Gpu, Cpu>();
}

#[test]
fn values_of_all_sizes() {
    device::require();
    factorizations::values_of_all_sizes::<Gpu>();
}

#[test]
fn values_that_are_far_apart_or_the_same() {
    device::require();
    factorizations::values_that_are_far_apart_or_the_same::<Gpu>();
}

#[test]
fn values_beside_what_has_none() {
    device::require();
    factorizations::values_beside_what_has_none::<Gpu>();
}

#[test]
fn rotations_keep_lengths() {
    device::require();
    factorizations::rotations_keep_lengths::<Gpu>();
}

#[test]
fn reflections_of_all_sizes() {
    device::require();
    factorizations::reflections_of_all_sizes::<Gpu>();
}

#[test]
fn reflections_of_fewer_directions() {
    device::require();
    factorizations::reflections_of_fewer_directions::<Gpu>();
}

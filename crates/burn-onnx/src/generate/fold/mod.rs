//! Calls on constants alone, which the generator computes in the place of the model that it writes.

mod arithmetic;
mod constants;
mod layout;
mod permutations;

//! Collectives of threads, against references on lists of numbers.

mod data_parallel;
mod dtypes;
mod errors;
mod functions;
mod gradients;
mod programs;
mod random_programs;
mod requests;
mod shapes;
mod tensors;

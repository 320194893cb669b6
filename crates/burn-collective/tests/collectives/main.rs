//! Collectives of threads, against references on lists of numbers.

mod accumulated;
mod backward;
mod counting_engine;
mod data_parallel;
mod dtypes;
mod errors;
mod functions;
mod gradients;
mod large_sum;
mod memory;
mod mesh;
mod pipeline_parallel;
mod programs;
mod random_programs;
mod reduced;
mod requests;
mod shapes;
mod sharded_optimizer;
mod sweep;
mod sync_batch_norm;
mod tensor_parallel;
mod tensors;
mod training;

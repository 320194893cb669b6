//! Families of operations, swept on every backend; gradients, fused blocks and random calls.

mod autodiff;
mod backends;
mod blocks;
mod composed;
mod convolution_blocks;
mod dated_checks;
mod dynamic;
mod few_rows;
mod files;
mod fusion;
mod fuzz;
mod gradients;
mod graphs;
mod operation_order;
mod protocol;
mod quantization;
mod session;
mod support_table;

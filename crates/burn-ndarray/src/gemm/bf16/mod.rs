//! Products of `bf16` on processors that multiply pairs of it and add them up as `f32`: AMX, whose registers
//! are tiles, and AVX-512 BF16. Other processors widen both factors.
//!
//! Sums are those of `f32` in another order than that of widened factors, and as these instructions count
//! denormal numbers as zeros, so do the sums.

mod amx;
mod dots;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no other processor has an engine yet"))]
mod engine;
mod instructions;
#[cfg(test)]
mod loops;
mod pack;
mod product;
mod result_tile;

pub use product::{product, suits};

//! A library with a panic handler of its own. The standard library has one too, and there may be only one:
//! as soon as any crate below brings it in, the compiler reports a duplicate `panic_impl` (E0152).
//!
//! `cargo xtask no-std` builds it with the feature `probe`.
#![cfg(feature = "probe")]
#![no_std]

pub mod generated_models;
pub mod in_memory_record;

use burn_autodiff as _;
use burn_backend as _;
use burn_core as _;
use burn_fft as _;
use burn_ir as _;
use burn_ndarray as _;
use burn_nn as _;
use burn_optim as _;
use burn_tensor as _;

#[panic_handler]
fn halt(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

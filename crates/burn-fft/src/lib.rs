//! Plans of Fourier transforms of any length in `O(n log n)`: by `rustfft`, or by our own mixed radix where
//! there is no `std`.
//!
//! A crate of its own because the engines are generic: compiled here for the two types of numbers, they are
//! compiled once, and not again with every change of a kernel.
//!
//! ```
//! use burn_fft::{Job, Real};
//! use num_complex::Complex;
//!
//! let plan = f64::plan(4, Job::Forward);
//! let mut row = [1.0, 2.0, 3.0, 4.0].map(|x| Complex::new(x, 0.0));
//! let mut scratch = vec![Complex::new(0.0, 0.0); plan.scratch_len()];
//! plan.run(&mut row, &mut scratch);
//! let expected = [(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)];
//! assert!(row.iter().zip(expected).all(|(z, (re, im))| (z - Complex::new(re, im)).norm() < 1e-12));
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(any(test, not(feature = "std")))]
mod mixed_radix;
mod plan;
mod root;

pub use plan::{Job, Plan, Real};

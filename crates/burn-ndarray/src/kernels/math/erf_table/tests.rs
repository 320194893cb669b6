//! Both tables, as far as this machine can.

use super::{eight, sixteen};
use crate::miri::shrink;
use crate::simd::{Level, Operand, Run, level};
use std::vec::Vec;

/// Returns the results of each kernel that this machine can run, with its name.
fn results(xs: &[f32]) -> Vec<(&'static str, Vec<f32>)> {
    let with = |kernel: unsafe fn(&Run<1>)| {
        let mut out = std::vec![7.0; xs.len()];
        let operand = Operand { start: xs.as_ptr().cast(), repeated: false, width: 4 };
        // SAFETY: both have that many elements; the machine has these instructions.
        unsafe { kernel(&Run::new(out.as_mut_ptr().cast(), 4, [operand], xs.len())) };
        out
    };
    match level() {
        Level::V4 => {
            std::vec![("eight", with(eight::run::<false>)), ("sixteen", with(sixteen::run::<false>))]
        }
        Level::V3 => {
            std::println!("sixteen is not tested: this machine has no AVX-512");
            std::vec![("eight", with(eight::run::<false>))]
        }
        Level::Baseline => {
            std::println!("not tested: this machine has no AVX2");
            Vec::new()
        }
    }
}

#[test]
fn erf_by_table_is_within_3_ulp() {
    for end in [4.2_f32, 1.0, 1e-3, 1e-30] {
        let steps = shrink(400_000, 50);
        let xs: Vec<f32> = (-steps..=steps).map(|k| end * (k as f32 / steps as f32)).collect();
        for (name, found) in results(&xs) {
            for (&x, &found) in xs.iter().zip(&found) {
                let exact = libm::erf(f64::from(x));
                let ulp = (exact.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor() - 23.0).exp2();
                let near = (f64::from(found) - exact).abs() <= 3.0 * ulp;
                assert!(near, "{name}: erf({x}) is {exact}, found {found}");
                assert!(found.abs() <= 1.0, "{name}: erf({x}) is beyond 1");
            }
        }
    }
}

#[test]
fn erf_by_table_knows_the_ends() {
    let xs = [0.0, -0.0, 4.0, -4.0, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-45];
    let expected = [0.0, -0.0, 1.0, -1.0, 1.0, 1.0, -1.0, f32::NAN, 1e-45];
    for (name, found) in results(&xs) {
        for ((x, found), expected) in xs.iter().zip(&found).zip(expected) {
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{name}: erf({x}) is {found}, expected {expected}");
        }
    }
}

#[test]
fn erf_by_table_ends_where_the_run_ends() {
    for len in [0, 1, 15, 16, 17, 31, 48] {
        let xs = std::vec![5.0; len + 1];
        for (name, found) in results(&xs[..len]) {
            assert_eq!(found, std::vec![1.0; len], "{name}");
        }
    }
}

#[test]
fn erf_by_table_of_one_element_repeated() {
    let (x, mut out) = (5.0_f32, [7.0_f32; 19]);
    let operand = Operand { start: (&raw const x).cast(), repeated: true, width: 4 };
    if level() != Level::Baseline {
        // SAFETY: 18 elements may be written; the machine has these instructions.
        unsafe { eight::run::<false>(&Run::new(out.as_mut_ptr().cast(), 4, [operand], 18)) };
        assert_eq!((out[0], out[17], out[18]), (1.0, 1.0, 7.0));
    }
}

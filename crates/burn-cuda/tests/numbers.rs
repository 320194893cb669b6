//! Steps of kernels that are promised to round as IEEE 754 says.

mod device;

use burn_backend::*;
use burn_cuda::{Cuda, CudaDevice};

type B = Cuda<f32, i32>;

fn quotients(values: Vec<f32>, divisor: f32) -> Vec<f32> {
    let x = B::from_data(TensorData::new(values, [1 << 16]), &CudaDevice::default());
    let quotient = B::binary_scalar(BinaryOp::Div, x, Scalar::Float(divisor.into()));
    block_on(B::into_data(quotient)).unwrap().unwrap().to_vec().unwrap()
}

#[test]
fn quotients_by_a_number_are_the_nearest() {
    device::require();
    // Digits of all kinds, in several exponents.
    let digits = |at: u32| f32::from_bits((at.wrapping_mul(2_654_435_769) >> 9) | ((100 + at % 56) << 23));
    for divisor in [3.0, 7.0, 49.0, 1000.0, 0.1, -0.3, 1.1, 2_f32.sqrt(), 16_777_215.0 / 8_388_608.0] {
        let values: Vec<f32> = (0..1 << 16).map(digits).collect();
        for (x, found) in values.iter().zip(quotients(values.clone(), divisor)) {
            assert_eq!(found, x / divisor, "{x:e} / {divisor}");
        }
    }
}

#[test]
fn quotients_of_special_numbers_are_special() {
    device::require();
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 1e-44];
    for divisor in [3.0, -0.7, 0.25] {
        let mut values = vec![1.0; 1 << 16];
        values[..special.len()].copy_from_slice(&special);
        for (x, found) in special.into_iter().zip(quotients(values, divisor)) {
            let expected = x / divisor;
            let same = if expected.is_nan() { found.is_nan() } else { found.to_bits() == expected.to_bits() };
            assert!(same, "{x:e} / {divisor}: {found:e}, not {expected:e}");
        }
    }
}

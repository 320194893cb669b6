//! Where elementwise results lie in memory.

mod device;

use burn_backend::*;
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};

type B = Wgpu<f32, i32>;

/// Images of two channels, of which the first is as large as its index and the second below zero.
fn images(channels_last: bool) -> CubeTensor {
    let count = 2 * 3 * 4;
    let value = |image: usize, channel: usize, place: usize| {
        let size = (image * 12 + place) as f32 + 1.0;
        if channel == 0 { size } else { -size }
    };
    let device = WgpuDevice::default();
    if channels_last {
        let values: Vec<f32> = (0..2 * count).map(|at| value(at / count, at % 2, at % count / 2)).collect();
        return B::permute(
            B::from_data(TensorData::new(values, [2, 3, 4, 2]), &device),
            Dims::from([0, 3, 1, 2]),
        );
    }
    let values: Vec<f32> = (0..2 * count).map(|at| value(at / count, at % count / 12, at % 12)).collect();
    B::from_data(TensorData::new(values, [2, 2, 3, 4]), &device)
}

fn values(x: CubeTensor) -> Vec<f64> {
    block_on(B::into_data(x)).expect("it was computed").expect("the device answers").to_f64()
}

#[test]
fn channels_that_are_last_stay_last() {
    device::require();
    let (rows, last) = (images(false), images(true));
    let expected: Vec<f64> = values(rows.clone()).iter().map(|x| x.max(0.0)).collect();
    let found = B::unary(UnaryOp::Relu, last.clone());
    assert_eq!(found.strides()[..], [24, 1, 8, 2]);
    assert_eq!(values(found.clone()), expected);
    // With what is repeated.
    let bias = B::from_data(TensorData::new([10.0_f32, 20.0], [1, 2, 1, 1]), &WgpuDevice::default());
    let found = B::binary(BinaryOp::Add, found, bias);
    assert_eq!(found.strides()[..], [24, 1, 8, 2]);
    let added = expected.iter().enumerate().map(|(at, x)| x + if at / 12 % 2 == 0 { 10.0 } else { 20.0 });
    assert_eq!(values(found), added.collect::<Vec<_>>());
    // Operands that do not agree.
    let found = B::binary(BinaryOp::Add, last, rows.clone());
    assert!(found.is_contiguous());
    assert_eq!(values(found), values(rows).iter().map(|x| 2.0 * x).collect::<Vec<_>>());
}

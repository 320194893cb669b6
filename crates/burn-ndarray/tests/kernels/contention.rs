//! Results have the same bits while other threads keep the pool busy.

use burn_backend::{Backend, TensorData, TypedCalls, block_on};
use burn_ndarray::{NdArray, NdTensor};
use std::thread;

/// Numbers whose sums depend on their order.
fn numbers(shape: [usize; 2], seed: usize) -> NdTensor {
    let number = |k: usize| ((k * 7919 + seed * 104_729) % 10_007) as f32 / 1_000.0 - 5.0;
    let values: Vec<f32> = (0..shape[0] * shape[1]).map(number).collect();
    NdArray::<f32>::from_data(TensorData::new(values, shape), &Default::default())
}

fn product(lhs: &NdTensor, rhs: &NdTensor) -> TensorData {
    let product = NdArray::<f32>::matmul(lhs.clone(), rhs.clone());
    block_on(NdArray::<f32>::into_data(product)).expect("a test may wait").expect("the host can be read")
}

/// The first size is too large for the kernel of factors in the cache, and half of its rows are not. A thread that finds the pool
/// busy computes all of them.
#[test]
fn a_product_has_the_same_bits_alone_and_among_others() {
    for (rows, depth, cols) in [(512, 400, 256), (256, 400, 512), (300, 700, 96), (96, 2_000, 640)] {
        let (lhs, rhs) = (numbers([rows, depth], 1), numbers([depth, cols], 2));
        let expected = product(&lhs, &rhs);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..12 {
                        assert!(product(&lhs, &rhs) == expected, "{rows} x {depth} x {cols}: other bits");
                    }
                });
            }
        });
    }
}

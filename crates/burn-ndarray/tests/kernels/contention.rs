//! Results have the same bits while other threads keep the pool busy.

use burn_backend::{
    AttentionArgs, Backend, ConvArgs, ConvGradArgs, ConvOptions, CumulativeOp, Dims, LayerNormArgs, ReduceOp,
    Shape, TensorData, TypedCalls, block_on,
};
use burn_ndarray::{NdArray, NdTensor};
use std::thread;

/// Numbers whose sums depend on their order.
fn numbers<const D: usize>(shape: [usize; D], seed: usize) -> NdTensor {
    let number = |k: usize| ((k * 7919 + seed * 104_729) % 10_007) as f32 / 1_000.0 - 5.0;
    let values: Vec<f32> = (0..shape.iter().product()).map(number).collect();
    NdArray::<f32>::from_data(TensorData::new(values, shape), &Default::default())
}

fn read(x: NdTensor) -> TensorData {
    block_on(NdArray::<f32>::into_data(x)).expect("a test may wait").expect("the host can be read")
}

/// Checks that a call gives the bits that it gives alone, on several threads at once.
fn check(name: &str, call: &(dyn Fn() -> NdTensor + Sync)) {
    let expected = read(call());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..12 {
                    assert!(read(call()) == expected, "{name}: other bits");
                }
            });
        }
    });
}

/// The first size is too large for the kernel of factors in the cache, and half of its rows are not. A thread
/// that finds the pool busy computes all of them.
#[test]
fn a_product_has_the_same_bits_alone_and_among_others() {
    for (rows, depth, cols) in [(512, 400, 256), (256, 400, 512), (300, 700, 96), (96, 2_000, 640)] {
        let (lhs, rhs) = (numbers([rows, depth], 1), numbers([depth, cols], 2));
        check(&format!("{rows} x {depth} x {cols}"), &|| NdArray::<f32>::matmul(lhs.clone(), rhs.clone()));
    }
}

#[test]
fn convolutions_have_the_same_bits_alone_and_among_others() {
    for (channels, out, size, kernel) in [(16, 32, 32, 3), (64, 64, 14, 3), (32, 64, 16, 1), (3, 16, 40, 5)] {
        let x = numbers([4, channels, size, size], 1);
        let weight = numbers([out, channels, kernel, kernel], 2);
        let mut options = ConvOptions::new(2);
        options.padding = Dims::repeat(kernel / 2, 2);
        let grad = numbers([4, out, size, size], 3);
        let name = format!("{channels} to {out} channels, {kernel} x {kernel}");
        check(&format!("conv, {name}"), &|| {
            let (x, weight, options) = (x.clone(), weight.clone(), options.clone());
            NdArray::<f32>::conv(ConvArgs { x, weight, bias: None, options })
        });
        let gradient = |other: &NdTensor, target: [usize; 4]| ConvGradArgs {
            grad: grad.clone(),
            other: other.clone(),
            target: Shape::from(target),
            options: options.clone(),
        };
        check(&format!("conv_transpose, {name}"), &|| {
            NdArray::<f32>::conv_transpose(gradient(&weight, [4, channels, size, size]))
        });
        check(&format!("conv_weight_grad, {name}"), &|| {
            NdArray::<f32>::conv_weight_grad(gradient(&x, [out, channels, kernel, kernel]))
        });
    }
}

#[test]
fn reductions_and_attention_have_the_same_bits_alone_and_among_others() {
    let x = numbers([300, 700], 1);
    for dims in [vec![0], vec![1], vec![0, 1]] {
        let dims = Dims::from(&dims[..]);
        check(&format!("sum of {dims:?}"), &|| {
            NdArray::<f32>::reduce(ReduceOp::Sum, x.clone(), dims.clone())
        });
    }
    for dim in 0..2 {
        check("cumsum", &|| NdArray::<f32>::cumulative(CumulativeOp::Sum, x.clone(), dim));
        check("softmax", &|| NdArray::<f32>::softmax(x.clone(), dim));
    }
    check("layer_norm", &|| {
        NdArray::<f32>::layer_norm(LayerNormArgs { x: x.clone(), weight: None, bias: None, epsilon: 1e-5 })
    });
    let [query, key, value] = [1, 2, 3].map(|seed| numbers([2, 4, 200, 32], seed));
    check("attention", &|| {
        let (query, key, value) = (query.clone(), key.clone(), value.clone());
        NdArray::<f32>::attention(AttentionArgs { query, key, value, mask: None, causal: true, scale: 0.01 })
            .0
    });
}

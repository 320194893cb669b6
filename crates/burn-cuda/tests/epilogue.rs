//! Epilogues of library products: bias and activation applied as the result is written.

mod device;

use burn_backend::TypedCalls;
use burn_backend::{Backend, TensorData, Tolerance};
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::{Tensor, activation::relu};
use std::sync::Mutex;

/// Tests that launch kernels, one at a time: they count.
static ALONE: Mutex<()> = Mutex::new(());

fn values<B: Backend, const D: usize>(shape: [usize; D], seed: f32) -> Tensor<B, D> {
    let at = |i: usize| (i as f32 * 0.618_034 + seed).fract() * 2.0 - 1.0;
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

/// Kernels of ours that were launched so far.
fn launches() -> usize {
    let data = TensorData::new([0.0_f32], [1]);
    Cuda::<f32, i32>::from_data(data, &CudaDevice::default()).engine().launches()
}

/// The results of `program` on the device and on the CPU, and how many kernels of ours it took.
macro_rules! compared {
    ($launches:expr, |$B:ident| $program:expr) => {{
        device::require();
        let _alone = ALONE.lock();
        let found = {
            type $B = Fusion<Cuda>;
            let before = launches();
            let found: Vec<TensorData> = $program;
            assert_eq!(launches() - before, $launches);
            found
        };
        type $B = NdArray;
        let expected: Vec<TensorData> = $program;
        found.iter().zip(&expected).for_each(|(found, expected)| {
            found.assert_approx_eq::<f64>(expected, Tolerance::rel_abs(1e-4, 1e-4))
        });
        found
    }};
}

#[test]
fn a_layer_is_one_call_of_the_library() {
    compared!(0, |B| {
        let product = values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2));
        vec![relu(product + values([1, 40], 0.3)).into_data()]
    });
    compared!(0, |B| {
        let product = values::<B, 3>([3, 70, 48], 0.1).matmul(values([1, 48, 40], 0.2));
        vec![(values([1, 1, 40], 0.3) + product).into_data()]
    });
    compared!(0, |B| vec![relu(values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2))).into_data()]);
}

#[test]
fn steps_behind_the_epilogue_are_one_kernel() {
    compared!(1, |B| {
        let product = values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2));
        vec![((product + values([1, 40], 0.3)).tanh() * 2.0 - 1.0).into_data()]
    });
    // A softmax, whose first step is the bias.
    compared!(1, |B| {
        let product = values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2));
        let scores = product + values([1, 40], 0.3);
        let e = (scores.clone() - scores.max_dim(1)).exp();
        vec![(e.clone() / e.sum_dim(1)).into_data()]
    });
}

#[test]
fn what_is_wanted_of_a_layer_is_a_result() {
    // The sum is wanted, so that the library stops there.
    compared!(1, |B| {
        let sum = values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2)) + values([1, 40], 0.3);
        let y = relu(sum.clone());
        vec![y.into_data(), sum.into_data()]
    });
    // The product is, and the library adds nothing.
    compared!(1, |B| {
        let product = values::<B, 2>([70, 48], 0.1).matmul(values([48, 40], 0.2));
        let y = relu(product.clone() + values([1, 40], 0.3));
        vec![y.into_data(), product.into_data()]
    });
    // One number for each row is no bias.
    compared!(1, |B| {
        let product = values::<B, 2>([40, 48], 0.1).matmul(values([48, 40], 0.2));
        vec![relu(product + values([40, 1], 0.3)).into_data()]
    });
}

#[test]
fn no_number_stays_no_number() {
    device::require();
    let _alone = ALONE.lock();
    for bias in [false, true] {
        let mut x = vec![1.0_f32; 64 * 64];
        x[64 * 5 + 3] = f32::NAN;
        let x = Tensor::<Fusion<Cuda>, 2>::from_data(TensorData::new(&x, [64, 64]), &Default::default());
        let product = x.matmul(values([64, 64], 0.2));
        let y = relu(if bias { product + values([1, 64], 0.3) } else { product }).into_data().to_f64();
        let rows: Vec<usize> = (0..64).filter(|row| y[row * 64..][..64].iter().any(|y| y.is_nan())).collect();
        assert_eq!(rows, [5], "with a bias: {bias}");
        assert!(y[5 * 64..][..64].iter().all(|y| y.is_nan()));
    }
}

//! Which calls become which kernels, counted, and gradients through all of it.

mod device;
#[path = "device/missing_dtype.rs"]
mod missing_dtype;

use burn_autodiff::Autodiff;
use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, TensorData, Tolerance};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::Tensor;
use burn_wgpu::{Wgpu, WgpuDevice};
use std::sync::Mutex;

/// Tests that launch kernels, one at a time: one of them counts.
static ALONE: Mutex<()> = Mutex::new(());

fn values<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let at = |i: usize| (i as f32 * 0.618_034 + 0.137).fract() * 2.0 - 1.0;
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

#[test]
fn a_chain_of_calls_is_one_kernel() {
    device::require();
    let _alone = ALONE.lock();
    let x = values::<Fusion<Wgpu>, 2>([64, 32]);
    let bias = values::<Fusion<Wgpu>, 2>([1, 32]);
    let before = launches();
    let y = ((x.clone() + bias) * 0.5).tanh().exp() - x.sin();
    let data = y.into_data();
    assert_eq!(launches() - before, 1);
    let (x, bias) = (values::<NdArray, 2>([64, 32]), values::<NdArray, 2>([1, 32]));
    (((x.clone() + bias) * 0.5).tanh().exp() - x.sin())
        .into_data()
        .assert_approx_eq::<f64>(&data, Tolerance::rel_abs(1e-5, 1e-5));
}

/// GELU as its paper writes it, by Gaussian error linear units: Hendrycks and Gimpel, 2016.
fn gelu_custom<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let x = x.clone() * ((x / 2_f64.sqrt()).erf() + 1);
    x / 2
}

#[test]
fn pf_001_a_gelu_written_by_a_user_is_one_kernel() {
    device::require();
    let _alone = ALONE.lock();
    let x = values::<Fusion<Wgpu>, 2>([64, 37]) * 4;
    let numbers = x.clone().into_data().to_f64();
    let before = launches();
    let data = gelu_custom(x).into_data();
    assert_eq!(launches() - before, 1);
    for (x, y) in numbers.into_iter().zip(data.to_f64()) {
        let expected = 0.5 * x * (1.0 + libm::erf(x / 2_f64.sqrt()));
        assert!((y - expected).abs() < 1e-6, "gelu({x}) is {expected}, found {y}");
    }
}

#[test]
fn pf_002_a_generated_kernel_reads_strides_and_broadcasts_and_its_erf_is_exact_to_1_5e_7() {
    device::require();
    let _alone = ALONE.lock();
    // As many points as make columns of a transposed matrix, and a row that is read again and again.
    let (rows, cols) = (512, 240);
    let at = |i: usize| (i as f32 / (rows * cols) as f32 - 0.5) * 12.0;
    let points: Vec<f32> = (0..rows * cols).map(at).collect();
    let shift = |col: usize| col as f32 * 0.25;
    let matrix = TensorData::new(&points, [cols, rows]);
    let row: Vec<f32> = (0..cols).map(shift).collect();
    let x = Tensor::<Fusion<Wgpu>, 2>::from_data(matrix, &Default::default()).transpose();
    let row = Tensor::<Fusion<Wgpu>, 2>::from_data(TensorData::new(&row, [1, cols]), &Default::default());
    let (erf, sum) = (x.clone().erf(), x.abs() + row);
    let (erf, sum) = (erf.into_data().to_f64(), sum.into_data().to_f64());
    let mut most = 0.0_f64;
    for (i, (erf, sum)) in erf.into_iter().zip(sum).enumerate() {
        let x = points[i % cols * rows + i / cols];
        most = most.max((erf - libm::erf(f64::from(x))).abs());
        assert_eq!(sum, f64::from(x.abs() + shift(i % cols)));
    }
    assert!(most <= 1.5e-7, "{most}");
}

/// Kernels that were launched so far.
fn launches() -> usize {
    let data = TensorData::new([0.0_f32], [1]);
    Wgpu::<f32, i32>::from_data(data, &WgpuDevice::default()).engine().launches()
}

/// Lengths of rows, short and long, in whole vectors and not, kept by units and gone along.
const SHAPES: [[usize; 2]; 13] = [
    [300, 3],
    [7, 37],
    [64, 256],
    [5, 1000],
    [40, 1024],
    [3, 4096],
    [2, 5003],
    [9, 8192],
    [1, 16_381],
    [2, 16_384],
    [3, 16_400],
    [70, 20_003],
    [3000, 12],
];

/// Runs `program` over rows, plain and as views, on the device and on the CPU: one kernel, the same values.
macro_rules! one_kernel {
    ($tolerance:expr, |$x:ident, $B:ident| $program:expr) => {
        device::require();
        let _alone = ALONE.lock();
        for [rows, terms] in SHAPES {
            for lay in 0..3 {
                let data = {
                    type $B = Fusion<Wgpu>;
                    let $x = laid::<$B>([rows, terms], lay);
                    let before = launches();
                    let result = $program;
                    let data = result.into_data();
                    assert_eq!(launches() - before, 1, "{rows} rows of {terms}");
                    data
                };
                type $B = NdArray;
                let $x = laid::<$B>([rows, terms], lay);
                $program
                    .into_data()
                    .assert_approx_eq::<f64>(&data, Tolerance::rel_abs($tolerance, $tolerance));
            }
        }
    };
}

/// Values as they are, transposed, or in rows that do not begin with a whole vector.
fn laid<B: Backend>([rows, terms]: [usize; 2], lay: usize) -> Tensor<B, 2> {
    match lay {
        0 => values([rows, terms]),
        1 => values([terms, rows]).transpose(),
        _ => values([rows, terms + 1]).slice([0..rows, 1..terms + 1]),
    }
}

#[test]
fn softmax_written_by_a_user_is_one_kernel() {
    one_kernel!(1e-5, |x, B| {
        let e = (x.clone() - x.max_dim(1)).exp();
        e.clone() / e.sum_dim(1)
    });
}

#[test]
fn layer_norm_written_by_a_user_is_one_kernel() {
    one_kernel!(1e-3, |x, B| {
        let [_, terms] = x.dims();
        let (gamma, beta) = (values::<B, 2>([1, terms]), values::<B, 2>([1, terms]));
        let centred = x.clone() - x.mean_dim(1);
        let variance = centred.clone().square().mean_dim(1);
        centred / (variance + 1e-3).sqrt() * gamma + beta
    });
}

#[test]
fn log_sum_exp_written_by_a_user_is_one_kernel() {
    one_kernel!(1e-5, |x, B| {
        let largest = x.clone().max_dim(1);
        (x - largest.clone()).exp().sum_dim(1).log() + largest
    });
}

#[test]
fn chains_in_a_row_kernel_may_be_long() {
    one_kernel!(1e-3, |x, B| {
        let [rows, _] = x.dims();
        let scale = values::<B, 2>([rows, 1]);
        let y = (x.clone() * scale).tanh().exp().tanh().exp();
        let mask = x.clone().equal(x.clone().max_dim(1));
        let kept = y.mask_fill(mask, -0.5);
        kept.clone() * kept.min_dim(1) - x.mean_dim(1)
    });
}

#[test]
fn rows_and_their_folds_are_results_of_one_kernel() {
    device::require();
    let _alone = ALONE.lock();
    fn both<B: Backend>() -> [TensorData; 3] {
        let x = values::<B, 3>([6, 32, 40]);
        let shifted = x.clone() - x.max_dim(2);
        let sum = shifted.clone().exp().sum_dim(2);
        let expanded = sum.clone().log().expand([6, 32, 40]);
        let y = shifted - expanded.clone();
        [y.into_data(), sum.into_data(), expanded.into_data()]
    }
    let before = launches();
    let found = both::<Fusion<Wgpu>>();
    assert_eq!(launches() - before, 1);
    both::<NdArray>()
        .iter()
        .zip(&found)
        .for_each(|(y, found)| y.assert_approx_eq::<f64>(found, Tolerance::rel_abs(1e-4, 1e-4)));
}

/// Sums of halves are added up in `f32` and rounded once, as the reduction alone does it.
#[test]
fn halves_are_folded_in_a_block() {
    device::require();
    let _alone = ALONE.lock();
    if missing_dtype::is_refused(DType::F16) {
        return;
    }
    fn norm<B: Backend>(shape: [usize; 2]) -> Tensor<B, 2> {
        let x = values::<B, 2>(shape).cast(DType::F16);
        let centred = x.clone() - x.mean_dim(1);
        let variance = centred.clone().square().mean_dim(1);
        centred / (variance + 1e-3).sqrt()
    }
    for shape in [[300, 3], [64, 256], [9, 8192], [70, 20_003]] {
        let before = launches();
        let found = norm::<Fusion<Wgpu>>(shape).into_data();
        // The cast of what is loaded is in it.
        assert_eq!(launches() - before, 1, "{shape:?}");
        norm::<NdArray>(shape).into_data().assert_approx_eq::<f64>(&found, Tolerance::rel_abs(4e-3, 4e-3));
    }
}

/// Elements in whole vectors, or not, and repeated along rows, along columns, and everywhere.
fn in_vectors<B: Backend>(cols: usize, skipped: usize) -> Vec<TensorData> {
    let x = values::<B, 3>([5, 40, cols + skipped]).slice([0..5, 0..40, skipped..cols + skipped]);
    let y = values::<B, 3>([40, cols, 5]).permute([2, 0, 1]);
    let row = values::<B, 3>([1, 1, cols]);
    let col = values::<B, 3>([5, 40, 1]);
    let one = values::<B, 3>([1, 1, 1]);
    let sum = x.clone() * row.clone() + col.clone() - one;
    let greater = sum.clone().greater(row.clone().expand([5, 40, cols]));
    let chosen = sum.clone().mask_where(greater.clone(), x.clone() + col);
    let whole = (chosen.clone() * 100.0).int();
    let mixed = chosen.clone() + y.clone();
    let joined = Tensor::cat(vec![x.clone(), row.expand([5, 40, cols]), y], 2);
    let assigned =
        joined.clone().slice_assign([1..3, 2..7, 4..4 + cols], x.clone().slice([0..2, 0..5, 0..cols]));
    let flipped = x.flip([2]) * 2.0;
    [sum, chosen, mixed, joined, assigned, flipped]
        .into_iter()
        .map(Tensor::into_data)
        .chain([greater.into_data(), whole.into_data()])
        .collect()
}

#[test]
fn vectors_have_the_values_of_single_elements() {
    device::require();
    let _alone = ALONE.lock();
    for (cols, skipped) in [(64, 0), (64, 1), (64, 4), (62, 2), (63, 0)] {
        let expected = in_vectors::<NdArray>(cols, skipped);
        for found in [in_vectors::<Wgpu>(cols, skipped), in_vectors::<Fusion<Wgpu>>(cols, skipped)] {
            found.iter().zip(&expected).for_each(|(found, expected)| {
                found.assert_approx_eq::<f64>(expected, Tolerance::rel_abs(1e-6, 1e-6))
            });
        }
    }
}

/// Gradients of a small network by its weights and its input.
fn gradients<B: Backend>() -> Vec<TensorData> {
    let x = values::<Autodiff<B>, 2>([8, 12]).require_grad();
    let first = values::<Autodiff<B>, 2>([12, 40]).require_grad();
    let second = values::<Autodiff<B>, 2>([40, 5]).require_grad();
    let hidden = burn_tensor::activation::gelu(x.clone().matmul(first.clone()));
    let scores = burn_tensor::activation::log_softmax(hidden.matmul(second.clone()), 1);
    let grads = scores.slice([0..8, 1..3]).mean().backward();
    [x, first, second].map(|x| x.grad(&grads).expect("is tracked").into_data()).into()
}

#[test]
fn gradients_are_those_of_the_cpu() {
    device::require();
    let _alone = ALONE.lock();
    let expected = gradients::<NdArray>();
    for found in [gradients::<Wgpu>(), gradients::<Fusion<Wgpu>>()] {
        found.iter().zip(&expected).for_each(|(found, expected)| {
            found.assert_approx_eq::<f64>(expected, Tolerance::rel_abs(1e-5, 1e-5))
        });
    }
}

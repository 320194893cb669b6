//! AD: gradients.

use crate::expect::{exactly, nearly, panics};
use crate::given::CPU;
use crate::torch;
use burn::backend::autodiff::{
    BalancedCheckpointing, CheckpointStrategy, Differentiability, NoCheckpointing, Reason, differentiability,
};
use burn::backend::{Autodiff, Fusion, NdArray, Router};
use burn::tensor::backend::{AutodiffBackend, Backend, BackwardError};
use burn::tensor::ops::{Elementwise, Operation};
use burn::tensor::{DType, Tensor, TensorData, activation, grad};

type B = Autodiff<NdArray>;

fn tracked<const D: usize>(data: impl Into<TensorData>) -> Tensor<B, D> {
    Tensor::from_data(data, CPU).require_grad()
}

/// The gradient of `mean((relu(x w + b) - y)^2)`, as PyTorch has it.
fn check_mlp<B: AutodiffBackend>(device: &B::Device) {
    let x = Tensor::<B, 2>::from_data([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], device);
    let y = Tensor::<B, 2>::from_data([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], device);
    let w = Tensor::<B, 2>::from_data([[0.5, -0.25], [1.0, 0.75]], device).require_grad();
    let b = Tensor::<B, 1>::from_data([0.1, -0.2], device).require_grad();
    let difference = activation::relu(x.matmul(w.clone()) + b.clone().unsqueeze()) - y;
    let loss = (difference.clone() * difference).mean();
    let gradients = loss.backward();
    nearly(w.grad(&gradients).expect("the loss depends on w"), torch::MLP_GRAD_W);
    nearly(b.grad(&gradients).expect("the loss depends on b"), torch::MLP_GRAD_B);
    nearly(loss, [torch::MLP_LOSS]);
}

#[test]
fn ad_001_autodiff_goes_around_any_backend() {
    fn is_autodiff_backend<B: Backend + AutodiffBackend>() {}
    is_autodiff_backend::<Autodiff<NdArray>>();
    check_mlp::<Autodiff<NdArray>>(CPU);
    check_mlp::<Autodiff<NdArray<f64>>>(CPU);
    check_mlp::<Autodiff<Fusion<NdArray>>>(CPU);
    check_mlp::<Autodiff<Router<(NdArray, NdArray)>>>(&Default::default());
}

#[test]
fn ad_001_the_graph_is_made_anew_by_each_run() {
    let x = tracked::<1>([3.0]);
    let mut slopes = Vec::new();
    for power in 1..4 {
        let mut y = x.clone();
        for _ in 1..power {
            y = y * x.clone();
        }
        slopes.push(x.grad(&y.backward()).expect("tracked").into_scalar());
    }
    assert_eq!(slopes, [1.0, 6.0, 27.0]);
}

#[test]
fn ad_002_the_second_parameter_is_a_strategy() {
    fn same_type<C: CheckpointStrategy>(_: Autodiff<NdArray, C>) {}
    same_type::<NoCheckpointing>(Autodiff::<NdArray>::default());
    check_mlp::<Autodiff<NdArray, NoCheckpointing>>(CPU);
    check_mlp::<Autodiff<NdArray, BalancedCheckpointing>>(CPU);
}

#[test]
fn ad_003_inner_backend_and_gradients_are_types() {
    fn slope<B: AutodiffBackend>(device: &B::Device) -> Tensor<B::InnerBackend, 1> {
        let x = Tensor::<B, 1>::from_data([2.0], device).require_grad();
        let gradients: B::Gradients = (x.clone() * x.clone()).backward();
        x.grad(&gradients).expect("tracked")
    }
    let slope: Tensor<NdArray, 1> = slope::<B>(CPU);
    exactly(slope, [4.0]);
}

#[test]
fn ad_004_backward_of_any_rank_is_seeded_with_ones() {
    let x = tracked::<2>([[1.0, 2.0], [3.0, 4.0]]);
    let gradients = (x.clone() * x.clone()).backward();
    // The gradient of the sum.
    exactly(x.grad(&gradients).unwrap(), [[2.0, 4.0], [6.0, 8.0]]);
    let x = tracked::<1>([5.0]);
    exactly(x.grad(&(x.clone() * 3).backward()).unwrap(), [3.0]);
}

#[test]
fn ad_005_grad_is_none_where_nothing_depends() {
    let (x, other) = (tracked::<1>([1.0]), tracked::<1>([1.0]));
    let gradients = (x.clone() * 2).backward();
    exactly(x.grad(&gradients).unwrap(), [2.0]);
    exactly(x.grad(&gradients).unwrap(), [2.0]);
    assert!(other.grad(&gradients).is_none());
    assert!(Tensor::<B, 1>::from_data([1.0], CPU).grad(&gradients).is_none());
}

#[test]
fn ad_006_grad_remove_takes_it_out() {
    let x = tracked::<1>([1.0]);
    let mut gradients = (x.clone() * 2).backward();
    exactly(x.grad_remove(&mut gradients).unwrap(), [2.0]);
    assert!(x.grad_remove(&mut gradients).is_none());
    assert!(x.grad(&gradients).is_none());
}

#[test]
fn ad_007_tracking_is_switched_on_every_backend() {
    fn switch<B: Backend>(device: &B::Device) -> [bool; 4] {
        let x = Tensor::<B, 1>::from_data([1.0], device);
        let before = x.is_require_grad();
        let x = x.require_grad();
        let on = x.is_require_grad();
        let off = x.clone().set_require_grad(false).is_require_grad();
        [before, on, off, x.detach().is_require_grad()]
    }
    assert_eq!(switch::<Autodiff<NdArray>>(CPU), [false, true, false, false]);
    assert_eq!(switch::<NdArray>(CPU), [false; 4]);
}

#[test]
fn ad_007_detach_stops_the_gradient() {
    let x = tracked::<1>([3.0]);
    let gradients = (x.clone().detach() * x.clone()).backward();
    exactly(x.grad(&gradients).unwrap(), [3.0]);
}

#[test]
fn ad_009_inner_is_the_same_on_the_inner_backend() {
    let inner: Tensor<NdArray, 1> = tracked::<1>([1.0, 2.0]).inner();
    exactly(inner.clone(), [1.0, 2.0]);
    let back: Tensor<B, 1> = Tensor::from_inner(inner);
    assert!(!back.is_require_grad());
}

#[test]
fn ad_010_results_of_what_is_tracked_are_tracked() {
    let x = tracked::<1>([1.0, 2.0]);
    let constant = Tensor::<B, 1>::from_data([10.0, 5.0], CPU);
    // Through several operations, and with a constant beside it.
    let y = ((x.clone() * constant.clone()).exp().log() + constant).slice([1..2]);
    nearly(x.grad(&y.backward()).unwrap(), [0.0, 5.0]);
}

#[test]
fn ad_004_a_graph_is_used_up_by_backward() {
    let x = tracked::<1>([2.0]);
    let square = x.clone() * x.clone();
    let both = square.clone() + square.clone().exp();
    exactly(x.grad(&square.backward()).unwrap(), [4.0]);
    for again in [square, both] {
        let error = again.try_backward().expect_err("its values are gone");
        assert_eq!(error.backward(), Some(&BackwardError::Consumed));
        assert_eq!(error.location().file(), file!());
    }
    let message = panics(|| (x.clone() * 2).detach().backward());
    assert!(message.starts_with("backward: no gradient reaches"), "{message}");
}

#[test]
fn ad_010_where_a_gradient_ends_is_said() {
    let x = tracked::<2>([[1.5, 2.5], [0.5, 3.5]]);
    let ended = |y: Tensor<B, 2>| {
        let error = y.try_backward().expect_err("nothing is tracked");
        let Some(BackwardError::Ended { op, reason }) = error.backward() else { panic!("{error}") };
        assert!(error.to_string().contains(&format!("`{op}`: {reason}")), "{error}");
        *op
    };
    assert_eq!(ended(x.clone().greater_elem(1.0).float() * 2 + 1), "greater");
    assert_eq!(ended(x.clone().argmax(1).float().exp()), "argmax");
    assert_eq!(ended(x.clone().int().float()), "cast");
    assert_eq!(ended(x.clone().detach().sin()), "detach");
    // The index beside a value ends nothing, and one tracked operand is enough.
    let (values, indices) = x.clone().max_dim_with_indices(1);
    exactly(x.grad(&values.backward()).unwrap(), [[0.0, 1.0], [0.0, 1.0]]);
    let mixed = x.clone().floor() * x.clone() + indices.float();
    exactly(x.grad(&mixed.backward()).unwrap(), [[1.0, 2.0], [0.0, 3.0]]);
    let error = Tensor::<B, 1>::from_data([1.0], CPU).try_backward().expect_err("nobody asked");
    assert_eq!(error.backward(), Some(&BackwardError::NotTracked));
}

/// `torch.floor` and the others have a gradient, which is zero, also where it is the only one.
#[test]
fn ad_010_steps_have_a_gradient_of_zero() {
    let x = tracked::<1>([1.5, -2.0, 0.0]);
    let steps: [fn(Tensor<B, 1>) -> Tensor<B, 1>; 5] =
        [Tensor::floor, Tensor::ceil, Tensor::round, Tensor::trunc, Tensor::sign];
    for step in steps {
        exactly(x.grad(&step(x.clone()).backward()).unwrap(), [0.0, 0.0, 0.0]);
        let both = step(x.clone()) + x.clone() * 2;
        exactly(x.grad(&both.backward()).unwrap(), [2.0, 2.0, 2.0]);
        let (_, gradient) = grad::value_and_grad(|x: Tensor<B, 1>| step(x).sum(), x.clone().inner());
        exactly(gradient, [0.0, 0.0, 0.0]);
    }
}

#[test]
fn ad_010_values_beside_indices_have_gradients() {
    let x = tracked::<1>([3.0, 1.0, 2.0]);
    let weights = || Tensor::<B, 1>::from_data([1.0, 10.0, 100.0], CPU);
    let gradient = |y: Tensor<B, 1>| x.grad(&y.backward()).expect("values are tracked");
    exactly(gradient(x.clone().sort_with_indices(0).0 * weights()), [100.0, 1.0, 10.0]);
    exactly(gradient(x.clone().topk_with_indices(2, 0).0 * weights().slice([0..2])), [1.0, 0.0, 10.0]);
    exactly(gradient(x.clone().max_dim_with_indices(0).0), [1.0, 0.0, 0.0]);
    exactly(gradient(x.clone().min_dim_with_indices(0).0), [0.0, 1.0, 0.0]);
}

#[test]
fn ad_010_every_operation_says_whether_it_has_a_gradient() {
    let cast = |dtype| differentiability(&Operation::Elementwise(Elementwise::Cast { x: (), dtype }));
    assert_eq!(cast(DType::F32), Differentiability::Full);
    assert_eq!(cast(DType::I64), Differentiability::Constant(Reason::Whole));
    let choice =
        differentiability(&Operation::Elementwise(Elementwise::MaskWhere { mask: (), on: (), off: () }));
    assert!(choice.is_differentiable());
    assert_eq!([0, 1, 2].map(|at| choice.operand(at)), [Some(Reason::Mask), None, None]);
}

#[test]
fn ad_011_gradients_cross_threads() {
    fn is_send<T: Send>(_: &T) {}
    let x = tracked::<1>([1.0, 2.0]);
    let gradients = (x.clone() * x.clone()).backward();
    is_send(&gradients);
    let gradient = std::thread::spawn(move || x.grad(&gradients).expect("tracked")).join().unwrap();
    exactly(gradient, [2.0, 4.0]);
}

#[test]
fn ad_012_what_is_not_tracked_keeps_no_state() {
    let x = Tensor::<B, 1>::ones([1 << 12], CPU);
    let address = |x: &Tensor<B, 1>| x.handle().primitive.address();
    let before = address(&x);
    // Had any operation kept its operand for a backward pass, the next one could not write over it.
    let y = x.exp().sin().sqrt().tanh().recip();
    assert_eq!(address(&y), before);
    assert!(y.handle().node.is_none());
}

#[test]
fn ad_016_memory_bound_operations_are_recomputed() {
    fn kept<C: CheckpointStrategy>() -> bool {
        let x = Tensor::<Autodiff<NdArray, C>, 1>::ones([1 << 12], CPU).require_grad();
        let y = (x * 2).exp();
        let (before, y) = (y.handle().primitive.address(), y.sin());
        // Sine needs its operand in the backward pass: if that is kept, the result is elsewhere.
        y.handle().primitive.address() != before
    }
    assert!(kept::<NoCheckpointing>());
    assert!(!kept::<BalancedCheckpointing>());
}

#[test]
fn ad_016_recomputed_gradients_are_the_same() {
    fn gradient<C: CheckpointStrategy>() -> TensorData {
        let x = Tensor::<Autodiff<NdArray, C>, 2>::from_data(torch::MATRIX, CPU).require_grad();
        let y = (x.clone() / 50).sin().exp();
        let y = activation::softmax(y.clone().matmul(y.transpose()).tanh(), 1).log();
        x.grad(&(y.clone() * y).sum().backward()).expect("tracked").into_data()
    }
    assert_eq!(gradient::<NoCheckpointing>(), gradient::<BalancedCheckpointing>());
}

#[test]
fn ad_017_the_square_has_twice_its_argument() {
    let x = tracked::<1>([1.0, 2.0, 3.0]);
    let gradients = x.clone().powf_scalar(2.0).sum().backward();
    nearly(x.grad(&gradients).unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn ad_017_the_squared_error_of_a_dot_product() {
    let (x, w) = ([1.0, -2.0, 0.5], [0.5, 0.25, 4.0]);
    let target = 1.0;
    let weight = tracked::<1>(w);
    let prediction = (weight.clone() * Tensor::from_data(x, CPU)).sum();
    let loss = (prediction - target).powf_scalar(2.0);
    let gradient = weight.grad(&loss.backward()).unwrap();
    // d/dw_i (x . w - y)^2 = 2 (x . w - y) x_i
    let dot: f64 = x.iter().zip(w).map(|(x, w)| x * w).sum();
    nearly(gradient, x.map(|x| 2.0 * (dot - target) * x));
}

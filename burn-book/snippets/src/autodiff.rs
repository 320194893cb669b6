// ANCHOR: backends
use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;
use burn::tensor::Tolerance;

/// Computes.
type Plain = NdArray<f64>;
/// Computes, and remembers how.
type B = Autodiff<Plain>;
// ANCHOR_END: backends

fn vector<B: Backend>(values: impl Into<TensorData>) -> Tensor<B, 1> {
    Tensor::from_data(values, &Default::default())
}

#[track_caller]
fn is<const D: usize>(x: Tensor<Plain, D>, expected: impl Into<TensorData>) {
    x.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::rel_abs(1e-12, 1e-12));
}

#[test]
fn a_gradient_is_asked_for_and_taken() {
    // ANCHOR: backward
    let device = Default::default();
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let y = Tensor::<B, 1>::from_data([4.0, 5.0, 6.0], &device);

    let loss = (x.clone().square() * y.clone()).sum();
    let gradients = loss.backward();

    // 2 x y, on the backend without gradients.
    let slope: Tensor<Plain, 1> = x.grad(&gradients).expect("the loss depends on x");
    assert!(y.grad(&gradients).is_none());
    // ANCHOR_END: backward
    is(slope, [8.0, 20.0, 36.0]);
}

#[test]
fn history_is_left_behind() {
    // ANCHOR: detach
    let x = vector::<B>([2.0, 3.0]).require_grad();
    let scale = x.clone().max().detach();
    let scaled = x.clone() / scale;

    // As if the scale were the number 3.
    let slope = x.grad(&scaled.sum().backward()).expect("it depends on x");

    // A gradient through a step, by the sum of two terms of which one is detached.
    let rounded = x.clone() + (x.clone().round() - x.clone()).detach();
    let through = x.grad(&rounded.sum().backward()).expect("it depends on x");

    // The same values where nothing is remembered, and back.
    let plain: Tensor<Plain, 1> = x.inner();
    let untracked = Tensor::<B, 1>::from_inner(plain);
    // ANCHOR_END: detach
    is(slope, [1.0 / 3.0, 1.0 / 3.0]);
    is(through, [1.0, 1.0]);
    assert!(!untracked.is_require_grad());
}

#[test]
fn nothing_to_differentiate_is_an_error() {
    // ANCHOR: constant
    let x = vector::<B>([0.5, 1.5]).require_grad();
    let error = x.greater_elem(0).float().sum().try_backward().unwrap_err();
    assert!(error.to_string().contains("greater"));
    // ANCHOR_END: constant
}

// ANCHOR: step
use burn::tensor::backend::AutodiffBackend;

/// One step of gradient descent for `weight x = y`.
fn step<B: AutodiffBackend>(weight: Tensor<B, 1>, x: Tensor<B, 1>, y: Tensor<B, 1>) -> Tensor<B, 1> {
    let weight = weight.require_grad();
    let loss = (weight.clone() * x - y).square().mean();
    let gradients = loss.backward();
    let slope = weight.grad(&gradients).expect("the loss depends on it");
    Tensor::from_inner(weight.inner() - slope * 0.1)
}
// ANCHOR_END: step

#[test]
fn steps_go_down() {
    let (x, y) = (vector::<B>([1.0, 2.0]), vector::<B>([3.0, 6.0]));
    let mut weight = vector::<B>([0.0]);
    for _ in 0..100 {
        weight = step(weight, x.clone(), y.clone());
    }
    is(weight.inner(), [3.0]);
}

#[test]
fn functions_have_derivatives() {
    // ANCHOR: functions
    use burn::tensor::grad;

    let x = vector::<Plain>([1.0, 2.0]);

    // The gradient of a function, without a tape in sight.
    let slope = grad::grad(|x: Tensor<B, 1>| x.powi_scalar(3).sum(), x.clone());

    // The same with the value, of two arguments.
    let product = |(x, y): (Tensor<B, 1>, Tensor<B, 1>)| (x * y).sum();
    let (value, (by_x, by_y)) = grad::value_and_grad(product, (x.clone(), x.clone() * 10));

    // Every output by every input.
    let pair = |x: Tensor<B, 1>| x.clone() * x.flip([0]);
    let jacobian: Tensor<_, 2> = grad::jacobian(pair, x.clone());

    // A row of weights times the Jacobian: one pass backward.
    let (_, weighted) = grad::vjp(pair, x.clone(), vector([1.0, -1.0]));
    // ANCHOR_END: functions
    is(slope, [3.0, 12.0]);
    is(value, [50.0]);
    is(by_x, [10.0, 20.0]);
    is(by_y, [1.0, 2.0]);
    is(jacobian, [[2.0, 1.0], [2.0, 1.0]]);
    is(weighted, [0.0, 0.0]);
}

#[test]
fn derivatives_have_derivatives() {
    // ANCHOR: higher
    use burn::tensor::grad;

    type Twice = Autodiff<Autodiff<Plain>>;

    let cube = |x: Tensor<Twice, 1>| x.powi_scalar(3).sum();
    let x = vector::<Plain>([1.0, 2.0]);

    let hessian: Tensor<_, 2> = grad::hessian(cube, x.clone());
    // Times a vector, without the matrix.
    let product = grad::hvp(cube, x.clone(), vector([1.0, -1.0]));
    // Jacobian-vector product: the derivative of the values along a direction.
    let (_, moved) = grad::jvp(|x: Tensor<Twice, 1>| x.exp(), vector([0.0, 0.0]), vector([1.0, 2.0]));
    // ANCHOR_END: higher
    is(hessian, [[6.0, 0.0], [0.0, 12.0]]);
    is(product, [6.0, -12.0]);
    is(moved, [1.0, 2.0]);
}

#[test]
fn a_penalty_on_a_gradient_is_differentiated() {
    // ANCHOR: penalty
    type Twice = Autodiff<Autodiff<Plain>>;

    let weight = vector::<Autodiff<Plain>>([0.5, 2.0]).require_grad();
    let x = Tensor::<Twice, 1>::from_data([1.0, 3.0], &Default::default()).require_grad();

    // The outer tape gives the slope by x, a tensor of the inner backend, which has a tape too.
    let output = (Tensor::from_inner(weight.clone()) * x.clone().square()).sum();
    let slope = x.grad(&output.backward()).expect("it depends on x");
    let penalty = slope.square().sum();
    let by_weight = weight.grad(&penalty.backward()).expect("it depends on the weight");
    // ANCHOR_END: penalty
    // (2 w x)^2 by w: 8 w x^2.
    is(by_weight, [4.0, 144.0]);
}

#[test]
fn values_are_computed_again_instead_of_kept() {
    // ANCHOR: checkpoint
    use burn::backend::autodiff::BalancedCheckpointing;
    use burn::tensor::{activation, grad};

    // Cheap results, such as those of elementwise functions, are computed again everywhere.
    type Lean = Autodiff<Plain, BalancedCheckpointing>;
    let x = vector::<Lean>([0.5, -1.0]).require_grad();
    let lean = x.grad(&activation::gelu(x.clone()).sum().backward());

    // Checkpoint: the tape keeps only the input of this segment.
    let x = vector::<B>([0.5, -1.0]).require_grad();
    let y = grad::checkpoint(|x: Tensor<B, 1>| activation::gelu(x.exp()).sin(), x.clone());
    let segment = x.grad(&y.sum().backward());
    // ANCHOR_END: checkpoint
    assert!(lean.is_some());
    let plain = x.grad(&activation::gelu(x.clone().exp()).sin().sum().backward()).unwrap();
    assert_eq!(segment.unwrap().into_data(), plain.into_data());
}

#[test]
fn the_first_nan_is_named() {
    let report = std::panic::catch_unwind(|| {
        // ANCHOR: anomaly
        use burn::tensor::anomaly;

        let _guard = anomaly::detect();
        let x = vector::<B>([1.0, 0.0]).require_grad();
        let loss = (x * 2).sqrt().sum();
        // The slope of the root is infinite at 0.
        let gradients = loss.backward();
        // ANCHOR_END: anomaly
        gradients
    });
    let message = report.map(|_| ()).unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("the gradient of `sqrt`"), "{message}");
}

// ANCHOR: custom
use burn::backend::autodiff::{Backward, CheckpointStrategy, Checkpointer, Gradients, Ops};
use burn::tensor::ops::{FloatTensor, TypedCalls};
use burn::tensor::{Element, TensorPrimitive};

/// Backend extension: one operation that this program needs on top of [`Backend`].
trait RoundingBackend: Backend {
    /// Rounds, and passes the gradient through unchanged (straight-through estimator).
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

/// The kernel. A real one would call code of its own.
impl<F: Element, I: Element> RoundingBackend for NdArray<F, I> {
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_round(x)
    }
}

#[derive(Debug)]
struct RoundThrough;

/// The gradient, for every backend that has the operation.
impl<B: RoundingBackend> Backward<B, 1> for RoundThrough {
    type State = ();

    fn backward(self, ops: Ops<(), 1>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let grad = grads.consume::<B>(&ops.node);
        let [x] = ops.parents;
        if let Some(x) = x {
            grads.register::<B>(x.id, grad);
        }
    }
}

impl<B: RoundingBackend, C: CheckpointStrategy> RoundingBackend for Autodiff<B, C> {
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let output = B::round_through(x.primitive);
        RoundThrough.prepare::<C>([x.node]).compute_bound().stateless(output)
    }
}

/// The operation for users of tensors.
fn round_through<B: RoundingBackend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    let x = x.into_primitive().tensor();
    Tensor::from_primitive(TensorPrimitive::Float(B::round_through(x)))
}
// ANCHOR_END: custom

#[test]
fn an_operation_of_the_reader_has_a_gradient() {
    let x = vector::<B>([0.4, 1.6]).require_grad();
    let y = round_through(x.clone());
    is(y.clone().inner(), [0.0, 2.0]);
    is(x.grad(&(y * 3).sum().backward()).unwrap(), [3.0, 3.0]);
}

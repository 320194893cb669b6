//! segments that keep no values for the backward pass.

use crate::given::CPU;
use burn::backend::autodiff::{Backward, Checkpointer, Gradients, NoCheckpointing, Ops, OpsKind};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::grad::checkpoint;
use burn::tensor::{Int, Tensor, TensorData, Tolerance, activation};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type B = Autodiff<NdArray>;

const X: [[f64; 4]; 3] = [[0.5, -1.0, 2.0, 0.1], [1.5, 0.3, -0.2, 0.7], [-0.4, 0.9, 1.1, -1.3]];

fn tracked<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
    Tensor::from_data(X, device).require_grad()
}

fn block<B: Backend>(linear: &Linear<B>, x: Tensor<B, 2>) -> Tensor<B, 2> {
    let y = activation::gelu(linear.forward(x.clone())).sin();
    activation::softmax(y.clone() * x + y, 1)
}

/// Gradients by input, weight and bias; `run` calls the layer.
fn gradients<B: AutodiffBackend>(
    linear: &Linear<B>,
    x: Tensor<B, 2>,
    run: impl Fn(Tensor<B, 2>) -> Tensor<B, 2>,
) -> Vec<TensorData> {
    // The input is used before, inside and after.
    let y = run(x.clone() * 2 + x.clone());
    let mut gradients = (run(y.clone()) * x.clone() + y).square().sum().backward();
    let bias = linear.bias.as_ref().expect("it has one").val();
    vec![
        x.grad_remove(&mut gradients).expect("tracked").into_data(),
        linear.weight.val().grad_remove(&mut gradients).expect("tracked").into_data(),
        bias.grad_remove(&mut gradients).expect("tracked").into_data(),
    ]
}

fn equal_to_the_last_bit<B: AutodiffBackend>(device: &B::Device) {
    let linear: Linear<B> = LinearConfig::new(4, 4).init(device);
    let plain = gradients(&linear, tracked(device), |x| block(&linear, x));
    let own = linear.clone();
    let kept = gradients(&linear, tracked(device), move |x| {
        let own = own.clone();
        checkpoint(move |x| block(&own, x), x)
    });
    assert_eq!(plain, kept);
}

#[test]
fn x_103_gradients_are_those_of_the_plain_call_to_the_last_bit() {
    equal_to_the_last_bit::<Autodiff<NdArray>>(CPU);
    equal_to_the_last_bit::<Autodiff<NdArray<f64>, burn::backend::autodiff::BalancedCheckpointing>>(CPU);
    equal_to_the_last_bit::<Autodiff<Fusion<NdArray>>>(CPU);
    equal_to_the_last_bit::<Autodiff<Autodiff<NdArray>>>(CPU);
}

#[test]
fn x_103_the_segment_runs_twice_and_no_more() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let x = tracked::<B>(CPU);
    let y = checkpoint(
        move |x: Tensor<B, 2>| {
            counted.fetch_add(1, Relaxed);
            (x.clone().exp(), x.sum())
        },
        x.clone(),
    );
    assert_eq!(runs.load(Relaxed), 1);
    let gradients = (y.0.sum() * y.1).backward();
    assert_eq!(runs.load(Relaxed), 2);
    assert!(x.grad(&gradients).is_some());
    drop(gradients);
    assert_eq!(runs.load(Relaxed), 2);
}

#[test]
fn x_103_without_gradients_it_is_a_call() {
    let x = Tensor::<NdArray, 2>::from_data(X, CPU);
    let y = checkpoint(|x: Tensor<NdArray, 2>| x * 2, x.clone());
    assert_eq!(y.into_data(), (x * 2).into_data());
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let untracked = checkpoint(
        move |x: Tensor<B, 2>| {
            counted.fetch_add(1, Relaxed);
            x.exp()
        },
        Tensor::from_data(X, CPU),
    );
    assert!(untracked.handle().node.is_none());
    assert_eq!(runs.load(Relaxed), 1);
}

/// An identity whose backward pass holds one of `Saved` until it runs.
#[derive(Debug)]
struct Keep;

#[derive(Clone, Debug)]
struct Saved(#[allow(dead_code, reason = "it is counted")] Arc<()>);

impl<B: Backend> Backward<B, 1> for Keep {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 1>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let grad = grads.consume::<B>(&ops.node);
        if let [Some(parent)] = ops.parents {
            grads.register::<B>(parent.id, grad);
        }
    }
}

fn keep(x: Tensor<B, 2>, saved: &Arc<()>) -> Tensor<B, 2> {
    let x = x.into_handle();
    let prepared = Backward::<NdArray, 1>::prepare::<NoCheckpointing>(Keep, [x.node.clone()]);
    Tensor::from_handle(match prepared.compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(Saved(saved.clone()), x.primitive),
        OpsKind::UnTracked(prep) => prep.finish(x.primitive),
    })
}

#[test]
fn x_103_the_tape_keeps_nothing_of_the_segment() {
    let saved = Arc::new(());
    let held = || Arc::strong_count(&saved) - 1;
    let six = |x: Tensor<B, 2>, saved: &Arc<()>| (0..6).fold(x, |x, _| keep(x, saved).sin());

    let plain = six(tracked(CPU), &saved);
    assert_eq!(held(), 6);
    drop(plain);
    assert_eq!(held(), 0);

    let inside = saved.clone();
    let x = tracked::<B>(CPU);
    let y = checkpoint(move |x| six(x, &inside), x.clone());
    assert_eq!(held(), 1, "the segment itself");
    assert!(x.grad(&y.backward()).is_some());
    drop(x);
    assert_eq!(held(), 0, "and nothing when it is done");
}

#[test]
fn x_103_any_number_of_inputs_and_results_of_any_kind() {
    let x = tracked::<B>(CPU);
    let w = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], CPU).require_grad();
    let rows = Tensor::<B, 1, Int>::from_data([2, 0], CPU);
    let f = |(x, [w, constant], rows): (Tensor<B, 2>, [Tensor<B, 1>; 2], Tensor<B, 1, Int>)| {
        let chosen = x.clone().select(0, rows.clone());
        let scaled = x * (w.reshape([3, 1]) + constant.reshape([3, 1]));
        (chosen.clone() * 2, rows + 1, [chosen.sum(), scaled.sum()])
    };
    let constant = Tensor::<B, 1>::from_data([0.5, 0.25, 0.125], CPU);
    let run = |kept: bool| {
        let inputs = (x.clone(), [w.clone(), constant.clone()], rows.clone());
        let (chosen, next, [first, second]) = if kept { checkpoint(f, inputs) } else { f(inputs) };
        assert_eq!(next.into_data().to_f64(), [3.0, 1.0]);
        // One of the results is not used at all.
        drop(first);
        let gradients = (chosen.square().sum() * second).backward();
        [x.grad(&gradients).unwrap().into_data(), w.grad(&gradients).unwrap().reshape([3, 1]).into_data()]
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn x_103_what_comes_out_as_it_went_in_keeps_its_place() {
    let x = tracked::<B>(CPU);
    let (same, twice) = checkpoint(|x: Tensor<B, 2>| (x.clone(), x * 2), x.clone());
    assert!(same.is_require_grad());
    let gradient = x.grad(&(same * twice).sum().backward()).unwrap();
    gradient.into_data().assert_approx_eq::<f64>(
        &TensorData::from(X.map(|row| row.map(|x| 4.0 * x))),
        Tolerance::rel_abs(1e-6, 1e-6),
    );
}

#[test]
fn x_103_dropout_drops_the_same_again() {
    let x = Tensor::<B, 1>::ones([400], CPU).require_grad();
    let dropout: Dropout = DropoutConfig::new(0.5).init();
    let y = checkpoint(move |x: Tensor<B, 1>| dropout.forward(dropout.forward(x) * 3), x.clone());
    let slope = x.grad(&y.clone().backward()).expect("tracked").into_data();
    assert_eq!(slope, y.into_data(), "of ones, the slope is the value");
    assert!(slope.to_f64().contains(&0.0) && slope.to_f64().contains(&12.0));
}

#[test]
fn x_103_dropout_on_a_backend_with_another_generator() {
    type B = Autodiff<minimal_backend::Toy>;
    let x = Tensor::<B, 1>::ones([400], &Default::default()).require_grad();
    let dropout: Dropout = DropoutConfig::new(0.5).init();
    let y = checkpoint(move |x: Tensor<B, 1>| dropout.forward(dropout.forward(x) * 3), x.clone());
    let slope = x.grad(&y.clone().backward()).expect("tracked").into_data();
    assert_eq!(slope, y.into_data());
}

#[test]
fn x_103_parameters_made_inside_do_not_shift_the_random_numbers() {
    let linear: Linear<B> = LinearConfig::new(4, 4).init(CPU);
    let dropout: Dropout = DropoutConfig::new(0.5).init();
    let (x, own) = (Tensor::<B, 2>::ones([50, 4], CPU).require_grad(), linear.clone());
    let run = move |x: Tensor<B, 2>| (dropout.forward(x.clone()), dropout.forward(own.forward(x.detach())));
    let (dropped, other) = checkpoint(run, x.clone());
    let gradients = (dropped.clone().sum() + other.sum()).backward();
    assert_eq!(x.grad(&gradients).unwrap().into_data(), dropped.into_data());
    assert!(linear.weight.val().grad(&gradients).is_some(), "clones of a parameter are one parameter");
}

#[test]
fn x_103_segments_nest() {
    let x = tracked::<B>(CPU);
    let dropout: Dropout = DropoutConfig::new(0.5).init();
    let plain = |x: Tensor<B, 2>| (x.clone().exp().sin() * x).cos();
    let nested = |x: Tensor<B, 2>| {
        checkpoint(|x: Tensor<B, 2>| (checkpoint(|x: Tensor<B, 2>| x.exp().sin(), x.clone()) * x).cos(), x)
    };
    let slope = |y: Tensor<B, 2>| x.grad(&y.backward()).unwrap().into_data();
    assert_eq!(slope(nested(x.clone())), slope(plain(x.clone())));

    // Random numbers of the inner segment are those of the first run, whichever run asks.
    let ones = Tensor::<B, 2>::ones([40, 4], CPU).require_grad();
    let linear = move |x: Tensor<B, 2>| {
        let half = checkpoint(move |x: Tensor<B, 2>| dropout.forward(x) * 2, x);
        dropout.forward(half)
    };
    let y = checkpoint(linear, ones.clone());
    assert_eq!(ones.grad(&y.clone().backward()).unwrap().into_data(), y.into_data());
}

#[test]
fn x_103_values_of_the_segment_are_not_for_use_outside() {
    let leaked = Arc::new(std::sync::Mutex::new(None));
    let (slot, x) = (leaked.clone(), tracked::<B>(CPU));
    let y = checkpoint(
        move |x: Tensor<B, 2>| {
            let y = x.exp();
            slot.lock().unwrap().get_or_insert_with(|| y.clone());
            y.sin()
        },
        x,
    );
    let inside = leaked.lock().unwrap().take().expect("the segment ran");
    let error = (y * inside).try_backward().expect_err("there is no gradient");
    assert!(error.to_string().contains("inside of a checkpointed segment"), "{error}");
}

#[test]
fn x_103_a_second_backward_is_an_error() {
    let y = checkpoint(|x: Tensor<B, 2>| x.exp().sin(), tracked::<B>(CPU));
    assert!(y.try_backward().is_ok());
    let error = y.try_backward().expect_err("the graph is used up");
    assert!(error.to_string().contains("used up by an earlier backward"), "{error}");
}

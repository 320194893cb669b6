//! programs that run for ever take no more memory than programs that run for a while.

use crate::counting::live_bytes;
use crate::given::CPU;
use burn::backend::autodiff::{Backward, Checkpointer, Gradients, NoCheckpointing, Ops, OpsKind};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, activation, anomaly, grad};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

type B = Autodiff<NdArray>;

const STEPS: usize = 10_000;
/// Steps before it counts: buffers are pooled, tables grow to their size.
const WARM_UP: usize = 500;

/// Runs `step` ten thousand times, in which it may not come to hold a byte per step.
#[track_caller]
fn stays_flat(mut step: impl FnMut()) {
    // The least of each half: what is lazy has a queue that fills and empties.
    let mut least = [isize::MAX; 2];
    for round in 0..STEPS {
        step();
        if let Some(counted) = round.checked_sub(WARM_UP) {
            let half = &mut least[2 * counted / (STEPS - WARM_UP)];
            *half = (*half).min(live_bytes());
        }
    }
    let growth = least[1] - least[0];
    assert!(growth < (STEPS / 2) as isize, "{growth} bytes more after {} steps", STEPS / 2);
}

fn parameter<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
    Tensor::from_data([[0.5, -1.0], [2.0, 0.25]], device).require_grad()
}

fn network<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    activation::softmax(x.clone().matmul(x).sin(), 1)
}

fn training<B: AutodiffBackend>(device: &B::Device) {
    let mut weight = parameter::<B>(device).inner();
    stays_flat(|| {
        let tracked = Tensor::<B, 2>::from_inner(weight.clone()).require_grad();
        let loss = network(tracked.clone()).square().sum();
        let slope = tracked.grad(&loss.backward()).expect("the loss depends on it");
        weight = weight.clone() - slope * 0.01;
        B::sync(device);
    });
}

#[test]
fn x_104_training_is_flat() {
    training::<B>(CPU);
}

#[test]
fn x_104_training_on_fusion_is_flat() {
    training::<Autodiff<Fusion<NdArray>>>(CPU);
}

#[test]
fn x_104_second_derivatives_are_flat() {
    type Twice = Autodiff<B>;
    let x = parameter::<B>(CPU).inner();
    stays_flat(|| drop(grad::hvp(|x: Tensor<Twice, 2>| network(x).sum(), x.clone(), x.clone())));
}

#[test]
fn x_104_tracked_and_dropped_is_flat() {
    let weight = parameter::<B>(CPU);
    stays_flat(|| {
        let y = network(weight.clone());
        let branch = y.clone() * weight.clone();
        drop(y);
        drop(branch.sum());
    });
}

#[test]
fn x_104_cloned_detached_and_half_used_graphs_are_flat() {
    let weight = parameter::<B>(CPU);
    let mut carried = weight.clone().detach();
    stays_flat(|| {
        let y = network(carried.clone() * weight.clone());
        let (first, second) = (y.clone().sum(), y.clone().square().sum());
        // One of two losses; the other graph is dropped with its values.
        let gradients = first.backward();
        drop(second);
        // A state that goes from step to step, without its history.
        carried = y.detach();
        assert!(weight.grad(&gradients).is_some());
    });
}

#[test]
fn x_104_gradients_of_the_middle_of_a_graph_are_flat() {
    let weight = parameter::<B>(CPU);
    stays_flat(|| {
        let middle = network(weight.clone());
        let rest = network(middle.clone()).sum();
        drop(middle.backward());
        // A graph consumed by the other half is an error, and the failed call keeps no memory.
        assert!(rest.try_backward().is_err());
    });
}

#[test]
fn x_104_segments_are_flat() {
    let weight = parameter::<B>(CPU);
    stays_flat(|| {
        let y = grad::checkpoint(network::<B>, weight.clone());
        let kept = grad::checkpoint(network::<B>, y.clone());
        drop(grad::checkpoint(network::<B>, kept.clone()));
        assert!(weight.grad(&kept.sum().backward()).is_some());
    });
}

#[test]
fn x_104_operations_without_a_gradient_are_flat() {
    let weight = parameter::<B>(CPU);
    let mut carried = weight.clone();
    stays_flat(|| {
        carried = (carried.clone() + 0.25).greater_elem(0.5).float() * 0.5;
        assert!(carried.clone().sum_dim(0).try_backward().is_err());
    });
}

#[test]
fn x_104_looking_for_anomalies_is_flat() {
    let weight = parameter::<B>(CPU);
    let mut rounds = 0;
    stays_flat(|| {
        rounds += 1;
        // Each call notes where it came from, which takes a while.
        let _guard = (rounds % 50 == 0).then(anomaly::detect);
        drop((weight.clone() * 2).sum().backward());
    });
}

/// An identity that cannot be differentiated after all.
#[derive(Debug)]
struct Fails;

impl<B: Backend> Backward<B, 1> for Fails {
    type State = B::Tensor;

    fn backward(self, _ops: Ops<B::Tensor, 1>, _grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        // A panic, without the message of ten thousand.
        resume_unwind(Box::new("the backward pass failed"));
    }
}

fn fails(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let x = x.into_handle();
    let prepared = Backward::<NdArray, 1>::prepare::<NoCheckpointing>(Fails, [x.node.clone()]);
    Tensor::from_handle(match prepared.compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(x.primitive.clone(), x.primitive),
        OpsKind::UnTracked(prep) => prep.finish(x.primitive),
    })
}

#[test]
fn x_104_a_backward_that_panics_half_way_is_flat() {
    let weight = parameter::<B>(CPU);
    stays_flat(|| {
        let loss = network(fails(network(weight.clone()))).sum();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(loss.backward()))).is_err());
        // A second backward pass reports that the graph is used up.
        assert!(loss.try_backward().is_err());
        let inside = grad::checkpoint(|x| network(fails(x)), weight.clone());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(inside.backward()))).is_err());
    });
    // The thread goes on as if nothing had been.
    assert!(weight.grad(&network(weight.clone()).sum().backward()).is_some());
}

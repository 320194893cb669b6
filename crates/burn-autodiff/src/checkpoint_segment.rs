//! Segments chosen by the user: their intermediate values are not kept, and are computed again when gradients
//! arrive.

use crate::checkpoint::SavedTensor;
use crate::node::{BackwardPass, BackwardStep, Stage};
use crate::pause::{self, Pause};
use crate::{AutodiffTensor, Node, NodeId};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use burn_backend::rng_replay::{self, RecordedDraws};
use burn_backend::{Backend, BackwardError, HasSpec, Segment, TensorSpec};

/// Runs `segment` for its results alone, and records one step for all of it.
pub fn checkpoint<B: Backend>(
    segment: Segment<AutodiffTensor<B>>,
    inputs: Vec<AutodiffTensor<B>>,
) -> Vec<AutodiffTensor<B>> {
    // The segment around this one is not recorded, and this one with it.
    if pause::is_inside::<B>() {
        return segment(inputs);
    }
    let (kept, inside) = (inputs.clone(), Node::inside());
    let pause = Pause::start::<B>(inside.clone());
    let (mut outputs, draws) = rng_replay::recorded(|| segment(inputs));
    let captured = pause.finish();
    // Results that are inputs, or tensors captured from outside of the segment, keep their own nodes.
    let is_made = |x: &AutodiffTensor<B>| x.node.as_ref().is_some_and(|node| Arc::ptr_eq(node, &inside));
    if !outputs.iter().any(is_made) {
        return outputs;
    }
    let id = NodeId::next();
    let place =
        |x: &AutodiffTensor<B>| SegmentResult { id: is_made(x).then(NodeId::next), spec: x.spec().clone() };
    let places: Vec<SegmentResult> = outputs.iter().map(place).collect();
    let ids: Vec<_> = places.iter().map(|place| place.id).collect();
    let call = SegmentCall { segment, inputs: kept, captured, draws, places };
    let node = Node::new(id, SegmentStep { call: Some(call) }, None);
    for (x, id) in outputs.iter_mut().zip(ids) {
        if let Some(id) = id {
            x.node = Some(Node::new(id, OutputStep { segment: Some(node.clone()) }, None));
        }
    }
    outputs
}

struct SegmentCall<B: Backend> {
    segment: Segment<AutodiffTensor<B>>,
    inputs: Vec<AutodiffTensor<B>>,
    /// Nodes of tensors from outside of the segment that it passes gradients to, its inputs among them.
    captured: Vec<Arc<Node>>,
    draws: RecordedDraws,
    places: Vec<SegmentResult>,
}

/// A result of a segment.
struct SegmentResult {
    /// `None` where no gradient arrives.
    id: Option<NodeId>,
    spec: TensorSpec,
}

/// The whole of a segment.
struct SegmentStep<B: Backend> {
    call: Option<SegmentCall<B>>,
}

impl<B: Backend> BackwardStep for SegmentStep<B> {
    fn stage(&self) -> Stage {
        Stage::Segment
    }

    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        self.call.iter().flat_map(|call| &call.captured).for_each(visit);
    }

    /// Runs the segment again, this time recorded. The backward walk continues in the new nodes, which are
    /// the latest of all; from there it reaches the inputs of the segment and the tensors it captured.
    fn run(&mut self, _id: NodeId, pass: &mut BackwardPass) -> Result<(), BackwardError> {
        let SegmentCall { segment, inputs, draws, places, .. } =
            self.call.take().ok_or(BackwardError::Consumed)?;
        let recording = Pause::lift::<B>();
        let outputs = rng_replay::repeated(draws, || segment(inputs));
        drop(recording);
        assert!(outputs.len() == places.len(), "{CHANGED}");
        for (x, place) in outputs.into_iter().zip(places) {
            assert!(*x.spec() == place.spec, "{CHANGED}");
            if let Some(gradient) = place.id.and_then(|id| pass.gradients.remove(id)) {
                pass.begun.push((x.node.expect(CHANGED), gradient));
            }
        }
        Ok(())
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        if let Some(call) = self.call.take() {
            parents.extend(call.inputs.into_iter().filter_map(|x| x.node));
            parents.extend(call.captured);
        }
    }

    fn describe(&self) -> (String, Vec<SavedTensor>) {
        (String::from("a checkpointed segment"), Vec::new())
    }
}

const CHANGED: &str = "checkpoint: the segment gave other results when it ran again";

/// One result of a segment, whose gradient waits until those of the other results are complete too.
struct OutputStep {
    segment: Option<Arc<Node>>,
}

impl BackwardStep for OutputStep {
    fn stage(&self) -> Stage {
        Stage::of(self.segment.is_some())
    }

    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        self.segment.iter().for_each(visit);
    }

    fn run(&mut self, _id: NodeId, _pass: &mut BackwardPass) -> Result<(), BackwardError> {
        Ok(())
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        parents.extend(self.segment.take());
    }

    fn describe(&self) -> (String, Vec<SavedTensor>) {
        (String::from("a result of a checkpointed segment"), Vec::new())
    }
}

use crate::checkpoint::{Recipe, SavedTensor};
use crate::node::{BackwardPass, BackwardStep, Stage};
#[cfg(feature = "std")]
use crate::reported_leaves::ReportedLeaves;
use crate::rules::{self, Operand, Record, Saves, Sink};
use crate::stop_reason::EndedRef;
use crate::template::Template;
use crate::{AutodiffTensor, CheckpointStrategy, Gradients, Node, NodeId, NodeRef, anomaly, pause};
use alloc::collections::BinaryHeap;
use alloc::collections::binary_heap::PeekMut;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BackwardError, HasSpec, Operation, Outputs, Scalar, module_scope};
use core::cmp::Ordering;

/// Tracking state of one call; it lives on the stack for the duration of the call.
#[allow(clippy::large_enum_variant)]
pub enum Trace {
    /// No gradient can flow; only the reason is kept, if there is one.
    Untracked(EndedRef),
    /// The call is inside of a checkpointed segment, which records nothing.
    Inside(Arc<Node>),
    Recorded(Recorder),
}

impl Trace {
    pub fn start<B: Backend, C: CheckpointStrategy>(op: &Operation<AutodiffTensor<B>>) -> Self {
        let (mut position, mut tracked, mut any, mut ended) = (0, 0_u8, false, None);
        op.visit(|x| {
            if x.node.is_some() {
                tracked |= 1_u8.checked_shl(position).unwrap_or(0);
                any = true;
            }
            if x.ended.is_some() {
                ended = x.ended.as_ref();
            }
            position += 1;
        });
        if !any {
            return Trace::Untracked(ended.cloned());
        }
        let (call, operands) = Template::new(op);
        let saves = match call.saves() {
            Ok(saves) => saves,
            Err(ended) => return Trace::Untracked(ended),
        };
        match pause::inside::<B>() {
            Some(node) => {
                operands.iter().for_each(|operand| pause::capture(&node, &operand.node));
                Trace::Inside(node)
            }
            None => Trace::Recorded(Recorder::start::<B, C>(call, &operands, saves, tracked)),
        }
    }

    /// Links the first result: of several, it is the differentiable one.
    pub fn finish<B: Backend>(self, outputs: &Outputs<B::Tensor>) -> (NodeRef, EndedRef) {
        match self {
            Trace::Untracked(ended) => (None, ended),
            Trace::Inside(node) => (Some(node), None),
            Trace::Recorded(recorder) => (Some(recorder.finish::<B>(outputs)), None),
        }
    }
}

/// Record of a differentiable call before its results exist.
///
/// Generic functions here are what every program compiles for its backend: they only take tensors apart.
pub struct Recorder {
    operands: Operation<Operand>,
    recipe: Option<Arc<Recipe>>,
    saves: Saves,
}

impl Recorder {
    fn start<B: Backend, C: CheckpointStrategy>(
        call: Template,
        operands: &[&AutodiffTensor<B>],
        saves: Saves,
        tracked: u8,
    ) -> Self {
        let recipe =
            if C::RECOMPUTE_MEMORY_BOUND { call.recipe(&mut |at| operands[at].source()) } else { None };
        let operands = call.with(&mut |at| {
            let x = operands[at];
            let saved = saves.input(at, tracked).then(|| x.source());
            Operand { spec: x.spec().clone(), saved, parent: x.node.clone() }
        });
        Recorder { operands, recipe, saves }
    }

    fn finish<B: Backend>(self, outputs: &Outputs<B::Tensor>) -> Arc<Node> {
        let saved = self.saves.output() && self.recipe.is_none();
        let first = self.saves.first_output().then(|| DynamicTensor::new::<B>(outputs.first().clone()));
        self.link(saved.then(|| DynamicTensor::new::<B>(outputs.last().clone())), first)
    }

    fn link(self, saved: Option<DynamicTensor>, first: Option<DynamicTensor>) -> Arc<Node> {
        let output = match &self.recipe {
            Some(recipe) if self.saves.output() => Some(SavedTensor::Recompute(recipe.clone())),
            Some(_) | None => saved.map(SavedTensor::Value),
        };
        let record = Record { op: self.operands, output, first: first.map(SavedTensor::Value) };
        Node::result(OpStep { record: Some(record) }, self.recipe)
    }
}

struct OpStep {
    record: Option<Record>,
}

impl BackwardStep for OpStep {
    fn stage(&self) -> Stage {
        Stage::of(self.record.is_some())
    }

    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        if let Some(record) = &self.record {
            record.op.visit(|operand| operand.parent.iter().for_each(&mut *visit));
        }
    }

    fn run(&mut self, id: NodeId, pass: &mut BackwardPass) -> Result<(), BackwardError> {
        let record = self.record.take().ok_or(BackwardError::Consumed)?;
        let grad = pass.gradients.pass_on(id);
        let mut sink = Sink { gradients: &mut pass.gradients, checkpointer: &mut pass.checkpointer };
        rules::backward(record, grad, &mut sink);
        Ok(())
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        if let Some(record) = self.record.take() {
            record.op.map(|operand| parents.extend(operand.parent));
        }
    }

    fn describe(&self) -> (String, Vec<SavedTensor>) {
        let Some(record) = &self.record else { return (String::new(), Vec::new()) };
        let (mut specs, mut saved) =
            (Vec::new(), Vec::from_iter(record.output.iter().chain(&record.first).cloned()));
        record.op.visit(|operand| {
            specs.push(&operand.spec);
            saved.extend(operand.saved.clone());
        });
        (format!("`{}` of {}", record.op.name(), anomaly::specs(&specs)), saved)
    }
}

/// A node that waits for its turn: the largest id is next.
#[derive(Debug)]
struct Pending(Arc<Node>);

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}
impl Eq for Pending {}
impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Pending {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.id.cmp(&other.0.id)
    }
}

/// Backward walk, which passes gradients from results to leaves. Ids of nodes grow along the graph, so the
/// largest pending id is always a node whose consumers are done.
#[derive(Debug, Default)]
struct Walk {
    pass: BackwardPass,
    pending: BinaryHeap<Pending>,
    /// Leaves whose complete gradients a hook gets.
    #[cfg(feature = "std")]
    reported: Option<ReportedLeaves>,
}

impl Walk {
    /// Begins at `node`, which has this gradient. Also in the middle of a walk, at nodes made meanwhile.
    fn begin(&mut self, node: Arc<Node>, gradient: DynamicTensor) {
        self.pass.gradients.add(node.id, gradient);
        #[cfg(feature = "std")]
        if let Some(reported) = &mut self.reported {
            reported.count(&node);
        }
        self.pending.push(Pending(node));
    }

    fn run(mut self) -> Result<Gradients, BackwardError> {
        while let Some(Pending(node)) = self.pending.pop() {
            // Each consumer of a node announced it.
            while let Some(next) = self.pending.peek_mut() {
                if next.0.id != node.id {
                    break;
                }
                PeekMut::pop(next);
            }
            let mut step = node.step();
            match step.stage() {
                Stage::Segment => {}
                Stage::Result | Stage::Inside | Stage::Consumed if self.pass.gradients.has(node.id) => {}
                Stage::Leaf | Stage::Result | Stage::Inside | Stage::Consumed => {
                    #[cfg(feature = "std")]
                    self.skip(&*step);
                    continue;
                }
            }
            #[cfg(feature = "std")]
            let passed = ReportedLeaves::passed_by(self.reported.as_ref(), &*step);
            let pending = &mut self.pending;
            step.parents(&mut |parent| pending.push(Pending(parent.clone())));
            if burn_backend::anomaly::is_on() {
                let watch = anomaly::watch(&node, &*step, &mut self.pass);
                self.pass.gradients.watch(watch);
            }
            if let Some(observed) = &node.observed {
                module_scope::resume(observed.scope);
            }
            step.run(node.id, &mut self.pass)?;
            for (node, gradient) in core::mem::take(&mut self.pass.begun) {
                self.begin(node, gradient);
            }
            self.pass.gradients.watch(None);
            #[cfg(feature = "std")]
            if let Some(reported) = &mut self.reported {
                reported.pass(&passed, &mut self.pass.gradients);
            }
        }
        self.pass.gradients.settle_all();
        Ok(self.pass.gradients)
    }

    /// Passes over a step that no gradient reached: nothing flows from it to its parents.
    #[cfg(feature = "std")]
    fn skip(&mut self, step: &dyn BackwardStep) {
        if let Some(reported) = &mut self.reported {
            let pending = &mut self.pending;
            // A segment runs again for the gradients of its results only.
            let is_segment = |parent: &Arc<Node>| parent.step().stage() == Stage::Segment;
            step.parents(&mut |parent| {
                if !is_segment(parent) {
                    pending.push(Pending(parent.clone()));
                }
            });
            let passed = ReportedLeaves::passed_by(Some(&*reported), step);
            reported.pass(&passed, &mut self.pass.gradients);
        }
    }
}

/// Passes a gradient of ones from `root` to the leaves.
pub fn backward(node: Arc<Node>, root: DynamicTensor) -> Result<Gradients, BackwardError> {
    let _scope = module_scope::backward();
    let device = Dynamic::device(&root);
    let ones = Dynamic::full(root.spec().clone(), Scalar::Int(1), &device);
    drop(root);
    let mut walk = Walk::default();
    #[cfg(feature = "std")]
    {
        walk.reported = ReportedLeaves::of_thread();
    }
    walk.begin(node, ones);
    walk.run()
}

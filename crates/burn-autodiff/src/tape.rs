use crate::checkpoint::{Recipe, Source};
use crate::node::{CONSUMED, Step};
use crate::rules::{self, Operand, Record, Saves, Sink};
use crate::{AutodiffTensor, CheckpointStrategy, Checkpointer, Gradients, Node, NodeId};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, HasSpec, Operation, Outputs, Scalar};
use hashbrown::HashSet;

/// A call that a gradient flows through, as the tape remembers it; its results are still to come.
///
/// Generic functions here are what every program compiles for its backend: they only take tensors apart.
pub struct Recorder {
    operands: Operation<Operand>,
    recipe: Option<Arc<Recipe>>,
    saves: Saves,
}

impl Recorder {
    /// `None` where no gradient can flow: nothing is kept.
    pub fn start<B: Backend, C: CheckpointStrategy>(op: &Operation<AutodiffTensor<B>>) -> Option<Self> {
        if !op.any(|x| x.node.is_some()) {
            return None;
        }
        let saves = rules::saves(op);
        if saves == Saves::NotDifferentiable {
            return None;
        }
        let recompute = C::RECOMPUTE_MEMORY_BOUND && rules::is_memory_bound(op);
        let recipe =
            recompute.then(|| Recipe::new(op.by_ref().map(AutodiffTensor::source))).flatten().map(Arc::new);
        let (mut position, mut tracked) = (0, 0_u8);
        op.visit(|x| {
            tracked |= u8::from(x.node.is_some()).checked_shl(position).unwrap_or(0);
            position += 1;
        });
        let mut position = 0;
        let operands = op.by_ref().map(|x| {
            position += 1;
            let saved = saves.input(position - 1, tracked).then(|| x.source());
            Operand { spec: x.spec().clone(), saved, parent: x.node.clone() }
        });
        Some(Recorder { operands, recipe, saves })
    }

    pub fn finish<B: Backend>(self, outputs: &Outputs<B::Tensor>) -> Arc<Node> {
        let saved = self.saves.output() && self.recipe.is_none();
        self.link(saved.then(|| DynamicTensor::new::<B>(outputs.last().clone())))
    }

    fn link(self, saved: Option<DynamicTensor>) -> Arc<Node> {
        let output = match &self.recipe {
            Some(recipe) if self.saves.output() => Some(Source::Recompute(recipe.clone())),
            Some(_) | None => saved.map(Source::Value),
        };
        Node::result(OpStep { record: Some(Record { op: self.operands, output }) }, self.recipe)
    }
}

struct OpStep {
    record: Option<Record>,
}

impl Step for OpStep {
    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        if let Some(record) = &self.record {
            record.op.visit(|operand| operand.parent.iter().for_each(&mut *visit));
        }
    }

    fn run(&mut self, id: NodeId, gradients: &mut Gradients, checkpointer: &mut Checkpointer) {
        let grad = gradients.pass_on(id);
        let record = self.record.take().expect(CONSUMED);
        rules::backward(record, grad, &mut Sink { gradients, checkpointer });
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        if let Some(record) = self.record.take() {
            record.op.map(|operand| parents.extend(operand.parent));
        }
    }
}

/// Passes a gradient of ones from `root` to the leaves. Ids grow along the graph, so the largest pending id
/// is always a node whose consumers are done.
pub fn backward(node: Arc<Node>, root: DynamicTensor) -> Gradients {
    let (mut gradients, mut checkpointer) = (Gradients::default(), Checkpointer::default());
    let device = Dynamic::device(&root);
    gradients.add(node.id, Dynamic::full(root.spec().clone(), Scalar::Int(1), &device));
    drop(root);
    let mut seen = HashSet::<NodeId>::from_iter([node.id]);
    let mut pending = BTreeMap::from([(node.id, node)]);
    while let Some((id, node)) = pending.pop_last() {
        if !gradients.has(id) {
            continue;
        }
        let mut step = node.step();
        step.parents(&mut |parent| {
            if seen.insert(parent.id) {
                pending.insert(parent.id, parent.clone());
            }
        });
        step.run(id, &mut gradients, &mut checkpointer);
    }
    gradients
}

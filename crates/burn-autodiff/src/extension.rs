//! Custom operations with gradients, defined outside of this crate.

use crate::checkpoint::SavedTensor;
use crate::node::{BackwardPass, BackwardStep, Stage};
use crate::pause;
use crate::{AutodiffTensor, CheckpointStrategy, Checkpointer, Gradients, Node, NodeId, NodeRef};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use burn_backend::kernel_error::without_catch;
use burn_backend::{Backend, BackwardError};
use core::fmt::Debug;
use core::marker::PhantomData;

/// Gradient of a custom operation with `N` operands.
pub trait Backward<B: Backend, const N: usize>: Debug + Send + Sized + 'static {
    /// State that the forward pass saves for the backward pass.
    type State: Clone + Debug + Send + 'static;

    /// Consumes the gradient of `ops.node` and registers those of `ops.parents`.
    fn backward(self, ops: Ops<Self::State, N>, grads: &mut Gradients, checkpointer: &mut Checkpointer);

    fn prepare<C: CheckpointStrategy>(self, nodes: [NodeRef; N]) -> Prepare<Self, B, C, Init, N> {
        Prepare { op: self, nodes, checkpoints: Vec::new(), mode: PhantomData }
    }
}

/// Arguments of [`Backward::backward`].
#[derive(Debug)]
pub struct Ops<S, const N: usize> {
    /// Parent nodes; `None` where no gradient is required.
    pub parents: [NodeRef; N],
    pub node: Arc<Node>,
    pub state: S,
}

impl Gradients {
    /// Removes and returns the gradient of a result that is being passed on.
    pub fn consume<B: Backend>(&mut self, node: &Arc<Node>) -> B::Tensor {
        self.pass_on(node.id).into_inner::<B>()
    }
}

/// Tracking state of the result of an operation.
#[derive(Debug)]
pub enum OpsKind<T, U> {
    Tracked(T),
    UnTracked(U),
}

/// Builder that records a custom operation.
#[derive(Debug)]
pub struct Prepare<O, B: Backend, C, M, const N: usize> {
    op: O,
    nodes: [NodeRef; N],
    checkpoints: Vec<(NodeId, SavedTensor)>,
    mode: PhantomData<(B, C, M)>,
}

/// State of [`Prepare`]: nothing is declared yet.
#[derive(Debug)]
pub struct Init;
/// State of [`Prepare`]: the operation is compute bound, so its result is kept.
#[derive(Debug)]
pub struct ComputeBound;
/// State of [`Prepare`]: the operation is tracked, and saves state.
#[derive(Debug)]
pub struct Stateful;
/// State of [`Prepare`]: the operation is untracked, and saves no state.
#[derive(Debug)]
pub struct Stateless;

impl<O, B: Backend, C, M, const N: usize> Prepare<O, B, C, M, N> {
    fn into_mode<M2>(self) -> Prepare<O, B, C, M2, N> {
        Prepare { op: self.op, nodes: self.nodes, checkpoints: self.checkpoints, mode: PhantomData }
    }
}

impl<O, B: Backend, C, const N: usize> Prepare<O, B, C, Init, N> {
    /// Marks the operation as compute bound: its result is kept, not recomputed.
    pub fn compute_bound(self) -> Prepare<O, B, C, ComputeBound, N> {
        self.into_mode()
    }
}

type Kind<O, B, C, const N: usize> = OpsKind<Prepare<O, B, C, Stateful, N>, Prepare<O, B, C, Stateless, N>>;

impl<O: Backward<B, N>, B: Backend, C, const N: usize> Prepare<O, B, C, ComputeBound, N> {
    pub fn stateful(self) -> Kind<O, B, C, N> {
        if self.nodes.iter().any(Option::is_some) {
            OpsKind::Tracked(self.into_mode())
        } else {
            OpsKind::UnTracked(self.into_mode())
        }
    }

    pub fn stateless(self, output: B::Tensor) -> AutodiffTensor<B>
    where
        O: Backward<B, N, State = ()>,
    {
        match self.stateful() {
            OpsKind::Tracked(prep) => prep.finish((), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
}

impl<O: Backward<B, N>, B: Backend, C, const N: usize> Prepare<O, B, C, Stateful, N> {
    /// Saves `x` for the backward pass, or its recipe, by the checkpointing strategy.
    pub fn checkpoint(&mut self, x: &AutodiffTensor<B>) -> NodeId {
        let id = NodeId::next();
        self.checkpoints.push((id, x.source()));
        id
    }

    pub fn finish(self, state: O::State, output: B::Tensor) -> AutodiffTensor<B> {
        if let Some(inside) = pause::inside::<B>() {
            self.nodes.iter().for_each(|operand| pause::capture(&inside, operand));
            return AutodiffTensor::tracked(output, Some(inside));
        }
        let call = CustomCall { op: self.op, parents: self.nodes, checkpoints: self.checkpoints, state };
        let node = Node::result(CustomStep { call: Some(call) }, None);
        AutodiffTensor::tracked(output, Some(node))
    }
}

impl<O, B: Backend, C, const N: usize> Prepare<O, B, C, Stateless, N> {
    pub fn finish(self, output: B::Tensor) -> AutodiffTensor<B> {
        AutodiffTensor::untracked(output)
    }
}

struct CustomCall<O: Backward<B, N>, B: Backend, const N: usize> {
    op: O,
    parents: [NodeRef; N],
    checkpoints: Vec<(NodeId, SavedTensor)>,
    state: O::State,
}

struct CustomStep<O: Backward<B, N>, B: Backend, const N: usize> {
    call: Option<CustomCall<O, B, N>>,
}

impl<O: Backward<B, N>, B: Backend, const N: usize> BackwardStep for CustomStep<O, B, N> {
    fn stage(&self) -> Stage {
        Stage::of(self.call.is_some())
    }

    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        self.call.iter().flat_map(|call| &call.parents).flatten().for_each(visit);
    }

    fn run(&mut self, id: NodeId, pass: &mut BackwardPass) -> Result<(), BackwardError> {
        let CustomCall { op, parents, checkpoints, state } =
            self.call.take().ok_or(BackwardError::Consumed)?;
        checkpoints.into_iter().for_each(|(id, source)| pass.checkpointer.insert(id, source));
        let node = Node::stand_in(id);
        // Mistakes in code of users panic at their own lines.
        without_catch(|| {
            op.backward(Ops { parents, node, state }, &mut pass.gradients, &mut pass.checkpointer)
        });
        Ok(())
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        parents.extend(self.call.take().into_iter().flat_map(|call| call.parents).flatten());
    }

    fn describe(&self) -> (String, Vec<SavedTensor>) {
        let Some(call) = &self.call else { return (String::new(), Vec::new()) };
        (
            alloc::format!("`{:?}`", call.op),
            call.checkpoints.iter().map(|(_, source)| source.clone()).collect(),
        )
    }
}

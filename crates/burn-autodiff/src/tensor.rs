use crate::NodeRef;
use crate::checkpoint::SavedTensor;
use crate::stop_reason::EndedRef;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{Backend, HasSpec, TensorSpec};

/// Tensor of the inner backend, with its node on the tape.
#[derive(Clone, Debug)]
pub struct AutodiffTensor<B: Backend> {
    pub primitive: B::Tensor,
    pub node: NodeRef,
    /// Operation that stopped gradient tracking, if there is one.
    pub(crate) ended: EndedRef,
}

impl<B: Backend> AutodiffTensor<B> {
    pub fn untracked(primitive: B::Tensor) -> Self {
        AutodiffTensor { primitive, node: None, ended: None }
    }

    pub(crate) fn tracked(primitive: B::Tensor, node: NodeRef) -> Self {
        AutodiffTensor { primitive, node, ended: None }
    }

    /// Returns the source of this value for the backward pass: the value itself, or the recipe that
    /// recomputes it.
    pub(crate) fn source(&self) -> SavedTensor {
        match self.node.as_ref().and_then(|node| node.recipe.clone()) {
            Some(recipe) => SavedTensor::Recompute(recipe),
            None => SavedTensor::Value(DynamicTensor::new::<B>(self.primitive.clone())),
        }
    }
}

impl<B: Backend> HasSpec for AutodiffTensor<B> {
    fn spec(&self) -> &TensorSpec {
        self.primitive.spec()
    }
}

//! A critic whose slope is bounded by the size of its weights.

use burn::module::{ModuleMapper, ParamId};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

// ANCHOR: clipping
/// Brings every parameter of a module into `-limit..=limit`.
///
/// Arjovsky, Chintala and Bottou, *Wasserstein GAN*, 2017.
#[derive(Clone, Copy, Debug)]
pub struct WeightClipping {
    pub limit: f64,
}

impl<B: AutodiffBackend> ModuleMapper<B> for WeightClipping {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        Tensor::from_inner(tensor.inner().clamp(-self.limit, self.limit))
    }
}
// ANCHOR_END: clipping

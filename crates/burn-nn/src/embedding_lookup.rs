//! Looks up vectors of an embedding weight: padding index, norm limit and gradient scale by frequency.

use crate::size_limits::check_weight;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::{Initializer, Param, ParamId};
use burn_core::tensor::{Backend, Int, Tensor, linalg};

/// Options of a lookup.
pub struct Lookup {
    pub padding_idx: Option<usize>,
    pub max_norm: Option<f64>,
    pub norm_type: f64,
    pub scale_grad_by_frequency: bool,
}

impl Lookup {
    /// Refuses options out of their range, and sizes of 0.
    pub fn validate(
        &self,
        check: FieldCheck,
        [n_embedding, d_model]: [usize; 2],
        initializer: &Initializer,
    ) -> Result<(), ConfigError> {
        check_weight(check, &[("n_embedding", n_embedding), ("d_model", d_model)], initializer)?;
        if let Some(idx) = self.padding_idx {
            check.ensure(idx < n_embedding, "padding_idx", &idx, "an index below `n_embedding`")?;
        }
        if let Some(max_norm) = self.max_norm {
            check.positive("max_norm", max_norm)?;
        }
        check.ensure(self.norm_type > 0.0, "norm_type", &self.norm_type, "a number above 0")
    }

    /// Returns the embedding matrix, in which the vector of the padding index is 0.
    pub fn weight<B: Backend>(
        &self,
        initializer: &Initializer,
        [n_embedding, d_model]: [usize; 2],
        device: &B::Device,
    ) -> Param<Tensor<B, 2>> {
        let weight: Param<Tensor<B, 2>> = initializer.init([n_embedding, d_model], device);
        let Some(idx) = self.padding_idx else { return weight };
        Param::uninitialized(ParamId::new(), [n_embedding, d_model], device.clone(), move |device| {
            let row = Tensor::<B, 1, Int>::arange(0..n_embedding as i64, device).equal_elem(idx as i64);
            let row = row.reshape([n_embedding, 1]);
            weight.to_device(device).into_value().detach().mask_fill(row, 0.0)
        })
    }

    /// Returns the vectors of `indices`, `[count]` to `[count, d_model]`.
    #[track_caller]
    pub fn vectors<B: Backend>(&self, weight: Tensor<B, 2>, indices: Tensor<B, 1, Int>) -> Tensor<B, 2> {
        let [n_embedding, _] = weight.dims();
        let [count] = indices.dims();
        let mut vectors = weight.select(0, indices.clone());
        if let Some(max_norm) = self.max_norm {
            vectors = limited(vectors, max_norm, self.norm_type);
        }
        if let Some(idx) = self.padding_idx {
            let padding = indices.clone().equal_elem(idx as i64).reshape([count, 1]);
            let constant = vectors.clone().detach();
            vectors = vectors.mask_where(padding, constant);
        }
        if self.scale_grad_by_frequency {
            let counts = Tensor::<B, 1, Int>::zeros([n_embedding], &indices.device());
            let counts = counts.select_add(0, indices.clone(), indices.ones_like()).select(0, indices);
            let scaled = vectors.clone() / counts.float().cast(vectors.dtype()).reshape([count, 1]);
            // The value is that of `vectors`, the gradient that of `scaled`.
            vectors = scaled.clone() + (vectors - scaled).detach();
        }
        vectors
    }
}

/// Scales vectors whose norm is above `max_norm` down to it. Gradients pass as if the weight had been scaled
/// before.
fn limited<B: Backend>(vectors: Tensor<B, 2>, max_norm: f64, norm_type: f64) -> Tensor<B, 2> {
    let values = vectors.clone().detach();
    let norm = linalg::lp_norm(values.clone(), norm_type, 1);
    let within = norm.clone().lower_equal_elem(max_norm);
    // PyTorch adds the same 1e-7.
    let change = ((norm + 1e-7).recip() * max_norm - 1.0).mask_fill(within, 0.0);
    vectors + values * change
}

use super::split_weight::{check_divides, compute, own_part, whole, wrong_argument};
use crate::Collective;
use crate::{CollectiveError, Communicator};
use burn_core::module::{Ignored, Module};
use burn_nn::Embedding;
use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor};

const NAME: &str = "ParallelEmbedding";

/// Embedding layer whose vocabulary is split over ranks: each rank has the vectors of `n_embedding / ranks`
/// consecutive indices.
///
/// All ranks have the same indices and get the same vectors: each looks up those that it has, and the sum
/// over ranks is the output. All ranks compute one loss, as with
/// [`ColumnParallelLinear`](crate::ColumnParallelLinear).
///
/// PyTorch: `torch.distributed.tensor.parallel.RowwiseParallel` of `torch.nn.Embedding` (Shoeybi et al.
/// 2019).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Local, ParallelEmbedding};
/// use burn::nn::{Embedding, EmbeddingConfig};
/// use burn::tensor::{Int, Tensor};
///
/// let outputs = Local::run(2, |communicator| {
///     let device = Default::default();
///     let embedding: Embedding<NdArray> = EmbeddingConfig::new(10, 3).init(&device);
///     let embedding = ParallelEmbedding::from_embedding(embedding, &communicator)?;
///     assert_eq!(embedding.part.weight.dims(), [5, 3]);
///     let tokens = Tensor::<NdArray, 2, Int>::from_data([[0, 9, 4]], &device);
///     embedding.try_forward(tokens).map(|y| (y.dims(), y.into_data().to_f64()))
/// })?;
/// assert_eq!(outputs[0], outputs[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "VocabParallelEmbedding")]
#[derive(Module, Debug)]
pub struct ParallelEmbedding<B: Backend> {
    /// Vectors of this rank, `[n_embedding / ranks, d_model]`.
    pub part: Embedding<B>,
    /// Ranks that share the layer.
    pub communicator: Ignored<Communicator>,
}

impl<B: Backend> ParallelEmbedding<B> {
    /// Splits the layer of rank 0; those of the other ranks give shapes and device. Called by all ranks.
    ///
    /// # Errors
    /// When the number of ranks does not divide `n_embedding`, gradients are scaled by frequency, or ranks
    /// have layers of other shapes.
    pub fn from_embedding(layer: Embedding<B>, communicator: &Communicator) -> Result<Self, CollectiveError> {
        const NAME: &str = "ParallelEmbedding::from_embedding";
        let [n_embedding, _] = layer.weight.dims();
        check_divides(communicator, NAME, "n_embedding", n_embedding)?;
        if layer.scale_grad_by_frequency {
            let argument = "scale_grad_by_frequency";
            return Err(wrong_argument(communicator, NAME, argument, "false", "true"));
        }
        let part = n_embedding / communicator.world_size();
        let start = communicator.rank() * part;
        let own = |index: usize| (start..start + part).contains(&index).then(|| index - start);
        let padding_idx = layer.padding_idx.and_then(own);
        let part = Embedding {
            weight: own_part(layer.weight, 0, communicator)?,
            padding_idx,
            max_norm: layer.max_norm,
            norm_type: layer.norm_type,
            scale_grad_by_frequency: false,
        };
        Ok(ParallelEmbedding { part, communicator: Ignored(communicator.clone()) })
    }

    /// Returns the whole layer, on every rank, such as for a checkpoint that any number of ranks loads.
    /// Called by all ranks.
    ///
    /// # Errors
    /// Those of [`Communicator::all_gather`].
    pub fn to_embedding(&self) -> Result<Embedding<B>, CollectiveError> {
        let communicator = &*self.communicator;
        // Index + 1, and 0 on all ranks but the one that has the padding index.
        let [part, _] = self.part.weight.dims();
        let own = self.part.padding_idx.map_or(0, |index| communicator.rank() * part + index + 1);
        let device = self.part.weight.device();
        let own = Tensor::<B, 1, Int>::from_data([own as i64], &device);
        let index = communicator.all_reduce(own, crate::Reduction::Max)?;
        let index = compute(communicator, NAME, || index.into_data().to_f64())?;
        let index = index.first().map_or(0, |index| *index as usize);
        Ok(Embedding {
            weight: whole(&self.part.weight, 0, communicator)?,
            padding_idx: index.checked_sub(1),
            max_norm: self.part.max_norm,
            norm_type: self.part.norm_type,
            scale_grad_by_frequency: false,
        })
    }

    /// Looks up the vectors of the indices: `[batch, length]` to `[batch, length, d_model]`.
    ///
    /// # Panics
    /// When [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward(&self, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        self.try_forward(indices).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Looks up the vectors of the indices, as [`forward`](Self::forward).
    ///
    /// # Errors
    /// When an index is not in `0..n_embedding`, where the backend computes at once, and those of
    /// [`Communicator::all_reduce`].
    pub fn try_forward(&self, indices: Tensor<B, 2, Int>) -> Result<Tensor<B, 3>, CollectiveError> {
        let [part, _] = self.part.weight.dims();
        let y = compute(&self.communicator, NAME, || {
            let [batch, length] = indices.dims();
            let (own, elsewhere) = own_indices(indices, part, &self.communicator);
            self.part.forward(own).mask_fill(elsewhere.reshape([batch, length, 1]), 0.0)
        })?;
        self.communicator.linear(y, Collective::LeaveSplit)
    }
}

/// Indices within the part of this rank, `part` of them on each rank, and a mask of those that another rank
/// has, which are 0. An index that no rank has stays out of the range, so that its use is an error.
pub(super) fn own_indices<B: Backend, const D: usize>(
    indices: Tensor<B, D, Int>,
    part: usize,
    communicator: &Communicator,
) -> (Tensor<B, D, Int>, Tensor<B, D, burn_tensor::Bool>) {
    let (all, start) = ((part * communicator.world_size()) as i64, (part * communicator.rank()) as i64);
    let within = |from: i64, to: i64| {
        indices.clone().greater_equal_elem(from).bool_and(indices.clone().lower_elem(to))
    };
    let elsewhere = within(0, start).bool_or(within(start + part as i64, all));
    ((indices.clone() - start).mask_fill(elsewhere.clone(), 0), elsewhere)
}

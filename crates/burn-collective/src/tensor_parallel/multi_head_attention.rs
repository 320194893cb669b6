use super::split_weight::{check_divides, check_no_adapter, compute, of_rank_0, own_part, whole};
use crate::Collective;
use crate::{CollectiveError, Communicator};
use burn_core::module::{Ignored, Module, Param};
use burn_nn::Linear;
use burn_nn::attention::{MhaCache, MhaInput, MhaOutput, MultiHeadAttention};
use burn_tensor::Tensor;
use burn_tensor::backend::Backend;

const NAME: &str = "ParallelMultiHeadAttention";

/// Multi-head attention whose heads are split over ranks: each rank has the projections of `n_heads / ranks`
/// heads.
///
/// All ranks have the same query, key and value, `[batch, length, d_model]`, and get the same result: the
/// projections of query, key and value are split by columns, that of the output by rows, and the sum over
/// ranks is the output. The forward pass moves one tensor of the size of the output, the backward pass one of
/// the size of each input. All ranks compute one loss, as with
/// [`ColumnParallelLinear`](crate::ColumnParallelLinear).
///
/// PyTorch: `ColwiseParallel` of the projections of query, key and value and `RowwiseParallel` of that of the
/// output (Shoeybi et al. 2019).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Local, ParallelMultiHeadAttention};
/// use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::Tensor;
///
/// let outputs = Local::run(2, |communicator| {
///     let device = Default::default();
///     let layer: MultiHeadAttention<NdArray> = MultiHeadAttentionConfig::new(8, 4).init(&device);
///     let layer = ParallelMultiHeadAttention::from_attention(layer, &communicator)?;
///     assert_eq!(layer.heads.n_heads, 2);
///     let x = Tensor::<NdArray, 3>::ones([1, 5, 8], &device);
///     let output = layer.try_forward(MhaInput::self_attn(x).causal())?;
///     Ok::<_, CollectiveError>(output.context.into_data().to_f64())
/// })?;
/// assert_eq!(outputs[0], outputs[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[derive(Module, Debug)]
pub struct ParallelMultiHeadAttention<B: Backend> {
    /// Attention with the heads of this rank; the projection of its output has no bias.
    pub heads: MultiHeadAttention<B>,
    /// Bias of the output, `[d_model]`, equal on all ranks.
    pub bias: Option<Param<Tensor<B, 1>>>,
    /// Ranks that share the layer.
    pub communicator: Ignored<Communicator>,
}

impl<B: Backend> ParallelMultiHeadAttention<B> {
    /// Splits the layer of rank 0; those of the other ranks give shapes and device. Called by all ranks.
    ///
    /// # Errors
    /// When the number of ranks does not divide `n_heads` or `n_key_value_heads`, a projection has an
    /// adapter, or ranks have layers of other shapes.
    pub fn from_attention(
        layer: MultiHeadAttention<B>,
        communicator: &Communicator,
    ) -> Result<Self, CollectiveError> {
        const NAME: &str = "ParallelMultiHeadAttention::from_attention";
        for (argument, count) in [("n_heads", layer.n_heads), ("n_key_value_heads", layer.n_key_value_heads)]
        {
            check_divides(communicator, NAME, argument, count)?;
        }
        for linear in [&layer.query, &layer.key, &layer.value, &layer.output] {
            check_no_adapter(communicator, NAME, linear)?;
        }
        let columns = |linear: Linear<B>| -> Result<Linear<B>, CollectiveError> {
            let bias = linear.bias.map(|bias| own_part(bias, 0, communicator)).transpose()?;
            Ok(Linear::new(own_part(linear.weight, 1, communicator)?, bias))
        };
        let ranks = communicator.world_size();
        let heads = MultiHeadAttention {
            query: columns(layer.query)?,
            key: columns(layer.key)?,
            value: columns(layer.value)?,
            output: Linear::new(own_part(layer.output.weight, 0, communicator)?, None),
            dropout: layer.dropout,
            n_heads: layer.n_heads / ranks,
            n_key_value_heads: layer.n_key_value_heads / ranks,
            d_head: layer.d_head,
            quiet_softmax: layer.quiet_softmax,
        };
        let bias = layer.output.bias.map(|bias| of_rank_0(bias, communicator)).transpose()?;
        Ok(ParallelMultiHeadAttention { heads, bias, communicator: Ignored(communicator.clone()) })
    }

    /// Returns the whole layer, on every rank, such as for a checkpoint that any number of ranks loads.
    /// Called by all ranks.
    ///
    /// # Errors
    /// Those of [`Communicator::all_gather`].
    pub fn to_attention(&self) -> Result<MultiHeadAttention<B>, CollectiveError> {
        let (communicator, heads) = (&*self.communicator, &self.heads);
        let columns = |linear: &Linear<B>| -> Result<Linear<B>, CollectiveError> {
            let bias = linear.bias.as_ref().map(|bias| whole(bias, 0, communicator)).transpose()?;
            Ok(Linear::new(whole(&linear.weight, 1, communicator)?, bias))
        };
        let ranks = communicator.world_size();
        Ok(MultiHeadAttention {
            query: columns(&heads.query)?,
            key: columns(&heads.key)?,
            value: columns(&heads.value)?,
            output: Linear::new(whole(&heads.output.weight, 0, communicator)?, self.bias.clone()),
            dropout: heads.dropout,
            n_heads: heads.n_heads * ranks,
            n_key_value_heads: heads.n_key_value_heads * ranks,
            d_head: heads.d_head,
            quiet_softmax: heads.quiet_softmax,
        })
    }

    /// Applies the layer: query `[batch, queries, d_model]`, key `[batch, keys, d_key]` and value `[batch,
    /// keys, d_value]` to `[batch, queries, d_model]`.
    ///
    /// # Panics
    /// When [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward(&self, input: MhaInput<B>) -> MhaOutput<B> {
        self.try_forward(input).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Applies the layer, as [`forward`](Self::forward). An additive mask has one head or those of this rank,
    /// and attention weights that are asked for are those of the heads of this rank.
    ///
    /// # Errors
    /// When query, key, value or a mask has another shape, and those of [`Communicator::all_reduce`].
    pub fn try_forward(&self, input: MhaInput<B>) -> Result<MhaOutput<B>, CollectiveError> {
        let input = self.enter(input)?;
        let output = compute(&self.communicator, NAME, || self.heads.forward(input))?;
        self.leave(output)
    }

    /// Applies the layer to the next positions of a sequence, as [`MultiHeadAttention::try_forward_cache`];
    /// the cache has the heads of this rank.
    ///
    /// # Errors
    /// Those of [`try_forward`](Self::try_forward), and those of the cache.
    pub fn try_forward_cache(
        &self,
        input: MhaInput<B>,
        cache: &mut MhaCache<B>,
    ) -> Result<MhaOutput<B>, CollectiveError> {
        let input = self.enter(input)?;
        let output = compute(&self.communicator, NAME, || self.heads.forward_cache(input, cache))?;
        self.leave(output)
    }

    fn enter(&self, input: MhaInput<B>) -> Result<MhaInput<B>, CollectiveError> {
        input.try_map(|x| self.communicator.linear(x, Collective::EnterSplit))
    }

    fn leave(&self, output: MhaOutput<B>) -> Result<MhaOutput<B>, CollectiveError> {
        let context = self.communicator.linear(output.context, Collective::LeaveSplit)?;
        let context = match &self.bias {
            Some(bias) => compute(&self.communicator, NAME, || context + bias.val().unsqueeze())?,
            None => context,
        };
        Ok(MhaOutput { context, weights: output.weights })
    }
}

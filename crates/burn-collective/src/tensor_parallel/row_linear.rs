use super::split_weight::{check_divides, check_no_adapter, compute, of_rank_0, own_part, whole};
use crate::Collective;
use crate::{CollectiveError, Communicator};
use burn_core::module::{Ignored, Module, Param};
use burn_nn::Linear;
use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use burn_tensor::module::linear;

const NAME: &str = "RowParallelLinear";

/// Linear layer whose input features are split over ranks: each rank has some rows of the weight.
///
/// Each rank has its part of the input, `[.., d_input / ranks]`, such as a
/// [`ColumnParallelLinear`](crate::ColumnParallelLinear) computes; the sum over ranks is the output `[..,
/// d_output]`, equal on all of them. The backward pass moves nothing. All ranks compute one loss, as with
/// `ColumnParallelLinear`.
///
/// PyTorch: `torch.distributed.tensor.parallel.RowwiseParallel` (Shoeybi et al. 2019).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Local, RowParallelLinear};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::Tensor;
///
/// let outputs = Local::run(2, |communicator| {
///     let device = Default::default();
///     let layer: Linear<NdArray> = LinearConfig::new(6, 2).init(&device);
///     let layer = RowParallelLinear::from_linear(layer, &communicator)?;
///     let part = Tensor::<NdArray, 2>::ones([1, 3], &device);
///     layer.try_forward(part).map(|y| y.into_data().to_f64())
/// })?;
/// assert_eq!(outputs[0], outputs[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "RowwiseParallel")]
#[derive(Module, Debug)]
pub struct RowParallelLinear<B: Backend> {
    /// Rows of this rank, `[d_input / ranks, d_output]`.
    pub weight: Param<Tensor<B, 2>>,
    /// Bias, `[d_output]`, equal on all ranks.
    pub bias: Option<Param<Tensor<B, 1>>>,
    /// Ranks that share the layer.
    pub communicator: Ignored<Communicator>,
}

impl<B: Backend> RowParallelLinear<B> {
    /// Splits the layer of rank 0; those of the other ranks give shapes and device. Called by all ranks.
    ///
    /// # Errors
    /// When the number of ranks does not divide `d_input`, the layer has an adapter, or ranks have layers of
    /// other shapes.
    pub fn from_linear(layer: Linear<B>, communicator: &Communicator) -> Result<Self, CollectiveError> {
        const NAME: &str = "RowParallelLinear::from_linear";
        check_no_adapter(communicator, NAME, &layer)?;
        check_divides(communicator, NAME, "d_input", layer.weight.dims()[0])?;
        let weight = own_part(layer.weight, 0, communicator)?;
        let bias = layer.bias.map(|bias| of_rank_0(bias, communicator)).transpose()?;
        Ok(RowParallelLinear { weight, bias, communicator: Ignored(communicator.clone()) })
    }

    /// Returns the whole layer, on every rank, such as for a checkpoint that any number of ranks loads.
    /// Called by all ranks.
    ///
    /// # Errors
    /// Those of [`Communicator::all_gather`].
    pub fn to_linear(&self) -> Result<Linear<B>, CollectiveError> {
        Ok(Linear::new(whole(&self.weight, 0, &self.communicator)?, self.bias.clone()))
    }

    /// Applies the layer: the part `[.., d_input / ranks]` of this rank to `[.., d_output]`.
    ///
    /// # Panics
    /// When [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        self.try_forward(x).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Applies the layer, as [`forward`](Self::forward).
    ///
    /// # Errors
    /// When the last dimension is not `d_input / ranks`, and those of [`Communicator::all_reduce`].
    pub fn try_forward<const D: usize>(&self, x: Tensor<B, D>) -> Result<Tensor<B, D>, CollectiveError> {
        let y = compute(&self.communicator, NAME, || linear(x, self.weight.val(), None))?;
        let y = self.communicator.linear(y, Collective::LeaveSplit)?;
        let Some(bias) = &self.bias else { return Ok(y) };
        compute(&self.communicator, NAME, || y + bias.val().unsqueeze())
    }
}

use super::split_weight::{check_divides, check_no_adapter, compute, own_part, whole};
use crate::Collective;
use crate::{CollectiveError, Communicator};
use burn_core::module::{Ignored, Module, Param};
use burn_nn::Linear;
use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use burn_tensor::module::linear;

const NAME: &str = "ColumnParallelLinear";

/// Linear layer whose output features are split over ranks: each rank has some columns of the weight.
///
/// All ranks have the same input, `[.., d_input]`; each computes its part of the output, `[.., d_output /
/// ranks]`, which a [`RowParallelLinear`](crate::RowParallelLinear) takes as its input. The forward pass
/// moves nothing; the backward pass sums the gradients of the input over the ranks.
///
/// Layers that are split over ranks belong to one model: every rank computes the same loss, and gradients are
/// those of this loss, not of the sum over ranks as with [`Communicator::all_reduce`].
///
/// PyTorch: `torch.distributed.tensor.parallel.ColwiseParallel` (Shoeybi et al. 2019).
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, ColumnParallelLinear, Local, RowParallelLinear};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Tensor, activation};
///
/// let outputs = Local::run(2, |communicator| {
///     let device = Default::default();
///     let up: Linear<NdArray> = LinearConfig::new(4, 8).init(&device);
///     let down: Linear<NdArray> = LinearConfig::new(8, 4).init(&device);
///     // The layers of rank 0, split.
///     let up = ColumnParallelLinear::from_linear(up, &communicator)?;
///     let down = RowParallelLinear::from_linear(down, &communicator)?;
///     let x = Tensor::<NdArray, 2>::ones([3, 4], &device);
///     let hidden = activation::gelu(up.try_forward(x)?);
///     assert_eq!(hidden.dims(), [3, 4]);
///     down.try_forward(hidden).map(|y| y.into_data().to_f64())
/// })?;
/// assert_eq!(outputs[0], outputs[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "ColwiseParallel")]
#[derive(Module, Debug)]
pub struct ColumnParallelLinear<B: Backend> {
    /// Columns of this rank, `[d_input, d_output / ranks]`.
    pub weight: Param<Tensor<B, 2>>,
    /// Bias of these columns, `[d_output / ranks]`.
    pub bias: Option<Param<Tensor<B, 1>>>,
    /// Ranks that share the layer.
    pub communicator: Ignored<Communicator>,
}

impl<B: Backend> ColumnParallelLinear<B> {
    /// Splits the layer of rank 0; those of the other ranks give shapes and device. Called by all ranks.
    ///
    /// # Errors
    /// When the number of ranks does not divide `d_output`, the layer has an adapter, or ranks have layers of
    /// other shapes.
    pub fn from_linear(layer: Linear<B>, communicator: &Communicator) -> Result<Self, CollectiveError> {
        const NAME: &str = "ColumnParallelLinear::from_linear";
        check_no_adapter(communicator, NAME, &layer)?;
        check_divides(communicator, NAME, "d_output", layer.weight.dims()[1])?;
        let weight = own_part(layer.weight, 1, communicator)?;
        let bias = layer.bias.map(|bias| own_part(bias, 0, communicator)).transpose()?;
        Ok(ColumnParallelLinear { weight, bias, communicator: Ignored(communicator.clone()) })
    }

    /// Returns the whole layer, on every rank, such as for a checkpoint that any number of ranks loads.
    /// Called by all ranks.
    ///
    /// # Errors
    /// Those of [`Communicator::all_gather`].
    pub fn to_linear(&self) -> Result<Linear<B>, CollectiveError> {
        let weight = whole(&self.weight, 1, &self.communicator)?;
        let bias = self.bias.as_ref().map(|bias| whole(bias, 0, &self.communicator)).transpose()?;
        Ok(Linear::new(weight, bias))
    }

    /// Applies the layer: `[.., d_input]` to the part `[.., d_output / ranks]` of this rank.
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
    /// When the last dimension is not `d_input`.
    pub fn try_forward<const D: usize>(&self, x: Tensor<B, D>) -> Result<Tensor<B, D>, CollectiveError> {
        let x = self.communicator.linear(x, Collective::EnterSplit)?;
        compute(&self.communicator, NAME, || linear(x, self.weight.val(), self.bias.as_ref().map(Param::val)))
    }

    /// Concatenates the outputs of all ranks, `[.., d_output / ranks]`, to the output of the whole layer,
    /// `[.., d_output]`. The gradient is the part of this rank. PyTorch:
    /// `ColwiseParallel(output_layouts=Replicate())`.
    ///
    /// # Errors
    /// Those of [`Communicator::all_gather`].
    pub fn gather<const D: usize>(&self, y: Tensor<B, D>) -> Result<Tensor<B, D>, CollectiveError> {
        self.communicator.linear(y, Collective::GatherParts { dim: D.saturating_sub(1) })
    }
}

use super::split_weight::{check_linear, of_rank_0, own_part};
use crate::differentiable::Collective;
use crate::{CollectiveError, Communicator};
use burn_core::module::{Ignored, Module, Param};
use burn_nn::Linear;
use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use burn_tensor::module::linear;

/// Linear layer whose inputs are split over ranks: each has some rows of the weight.
///
/// Each rank has its part of the input, `[.., d_input / ranks]`, such as a [`ColumnParallelLinear`](crate::ColumnParallelLinear)
/// gives it; the sum over ranks is the output `[.., d_output]`, equal on all of them. Gradients are those of one loss that all
/// ranks compute.
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
    /// Splits the layer that rank 0 gives; those of the others say shapes and device. Called by all ranks.
    ///
    /// # Errors
    /// When the ranks do not divide `d_input`, the layer has an adapter, or ranks have layers of other shapes.
    pub fn from_linear(layer: Linear<B>, communicator: &Communicator) -> Result<Self, CollectiveError> {
        check_linear("RowParallelLinear::from_linear", &layer, 0, communicator)?;
        let weight = own_part(layer.weight, 0, communicator)?;
        let bias = layer.bias.map(|bias| of_rank_0(bias, communicator)).transpose()?;
        Ok(RowParallelLinear { weight, bias, communicator: Ignored(communicator.clone()) })
    }

    /// Applies the layer: the part `[.., d_input / ranks]` of this rank to `[.., d_output]`.
    ///
    /// # Panics
    /// The last dimension is not `d_input / ranks`, or [`try_forward`](Self::try_forward) has an error.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        match self.try_forward(x) {
            Ok(y) => y,
            Err(error) => panic!("{error}"),
        }
    }

    /// Applies the layer, as [`forward`](Self::forward).
    ///
    /// # Errors
    /// Those of [`Communicator::all_reduce`].
    pub fn try_forward<const D: usize>(&self, x: Tensor<B, D>) -> Result<Tensor<B, D>, CollectiveError> {
        let y = self.communicator.linear(linear(x, self.weight.val(), None), Collective::LeaveSplit)?;
        Ok(match &self.bias {
            Some(bias) => y + bias.val().unsqueeze(),
            None => y,
        })
    }
}

//! Parts of the parameters of a layer.

use crate::{CollectiveError, Communicator};
use burn_core::module::Param;
use burn_nn::Linear;
use burn_tensor::Tensor;
use burn_tensor::backend::Backend;

/// Checks that the ranks divide dimension `dim` of the weight, and that nothing is lost when it is split.
pub fn check_linear<B: Backend>(
    operation: &'static str,
    linear: &Linear<B>,
    dim: usize,
    communicator: &Communicator,
) -> Result<(), CollectiveError> {
    let (size, ranks) = (linear.weight.dims()[dim], communicator.world_size());
    let group = communicator.idle_group();
    let error = if linear.lora.adapter().is_some() {
        group.argument(operation, "linear", "a layer without an adapter", "one with a low-rank adapter")
    } else if size % ranks != 0 {
        let argument = if dim == 0 { "d_input" } else { "d_output" };
        group.argument(operation, argument, format!("a size that {ranks} ranks divide"), size.to_string())
    } else {
        return Ok(());
    };
    Err(group.refuse(operation, error))
}

/// Returns the part of this rank along `dim` of the parameter that rank 0 has.
pub fn own_part<B: Backend, const D: usize>(
    param: Param<Tensor<B, D>>,
    dim: usize,
    communicator: &Communicator,
) -> Result<Param<Tensor<B, D>>, CollectiveError> {
    let size = param.dims()[dim] / communicator.world_size();
    let whole = of_rank_0(param, communicator)?;
    let part = whole.val().narrow(dim, communicator.rank() * size, size);
    let device = part.device();
    let dtype = part.dtype();
    // A copy: a view would keep the whole.
    Ok(Param::from_tensor(Tensor::from_data(part.into_data(), (&device, dtype))))
}

/// Returns the parameter that rank 0 has.
pub fn of_rank_0<B: Backend, const D: usize>(
    param: Param<Tensor<B, D>>,
    communicator: &Communicator,
) -> Result<Param<Tensor<B, D>>, CollectiveError> {
    let value = communicator.broadcast(param.into_value().detach(), 0)?;
    Ok(Param::from_tensor(value))
}

//! Parts of the parameters of a layer, and what layers compute on one rank.

use crate::{CollectiveError, Communicator};
use burn_core::module::Param;
use burn_nn::Linear;
use burn_tensor::backend::Backend;
use burn_tensor::ops::try_in_operation;
use burn_tensor::{DType, Tensor};

/// Returns the error of an argument of this rank, which ends the call on all ranks.
pub fn wrong_argument(
    communicator: &Communicator,
    operation: &'static str,
    argument: &'static str,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> CollectiveError {
    let group = communicator.idle_group();
    group.refuse(operation, group.argument(operation, argument, expected, found))
}

/// Checks that the ranks divide `size`.
pub fn check_divides(
    communicator: &Communicator,
    operation: &'static str,
    argument: &'static str,
    size: usize,
) -> Result<(), CollectiveError> {
    let ranks = communicator.world_size();
    if size.is_multiple_of(ranks) {
        return Ok(());
    }
    let expected = format!("a size that {ranks} ranks divide");
    Err(wrong_argument(communicator, operation, argument, expected, size.to_string()))
}

/// Checks that the layer has no adapter, which would be lost.
pub fn check_no_adapter<B: Backend>(
    communicator: &Communicator,
    operation: &'static str,
    linear: &Linear<B>,
) -> Result<(), CollectiveError> {
    if linear.lora.adapter().is_none() {
        return Ok(());
    }
    let (expected, found) = ("a layer without an adapter", "one with a low-rank adapter");
    Err(wrong_argument(communicator, operation, "layer", expected, found))
}

/// Computes on the tensors of this rank. An error ends the call on all ranks.
pub fn compute<T>(
    communicator: &Communicator,
    operation: &'static str,
    call: impl FnOnce() -> T,
) -> Result<T, CollectiveError> {
    compute_alone(communicator, operation, call)
        .map_err(|error| communicator.idle_group().refuse(operation, error))
}

/// Computes on the tensors of this rank, where the other ranks are in no collective. An error is of this rank
/// alone.
pub fn compute_alone<T>(
    communicator: &Communicator,
    operation: &'static str,
    call: impl FnOnce() -> T,
) -> Result<T, CollectiveError> {
    try_in_operation(operation, || Ok(call())).map_err(|source| {
        let (operation, rank) = (operation.to_string(), communicator.rank());
        CollectiveError::Tensor { operation, rank, source }
    })
}

/// Returns the part of this rank along `dim` of the parameter that rank 0 has.
pub fn own_part<B: Backend, const D: usize>(
    param: Param<Tensor<B, D>>,
    dim: usize,
    communicator: &Communicator,
) -> Result<Param<Tensor<B, D>>, CollectiveError> {
    let size = param.dims()[dim] / communicator.world_size();
    let whole = of_rank_0(param, communicator)?;
    let (id, is_trained) = (whole.id(), whole.is_require_grad());
    let part = whole.into_value().detach().narrow(dim, communicator.rank() * size, size);
    let (device, dtype): (B::Device, DType) = (part.device(), part.dtype());
    // A copy: a view would keep the whole.
    let part = Tensor::from_data(part.into_data(), (&device, dtype));
    Ok(Param::initialized(id, part).set_require_grad(is_trained))
}

/// Returns the parameter that rank 0 has.
pub fn of_rank_0<B: Backend, const D: usize>(
    param: Param<Tensor<B, D>>,
    communicator: &Communicator,
) -> Result<Param<Tensor<B, D>>, CollectiveError> {
    let (id, is_trained) = (param.id(), param.is_require_grad());
    let value = communicator.broadcast(param.into_value().detach(), 0)?;
    Ok(Param::initialized(id, value).set_require_grad(is_trained))
}

/// Returns the whole parameter, of which each rank has a part along `dim`.
pub fn whole<B: Backend, const D: usize>(
    part: &Param<Tensor<B, D>>,
    dim: usize,
    communicator: &Communicator,
) -> Result<Param<Tensor<B, D>>, CollectiveError> {
    let value = communicator.all_gather(part.val().detach(), dim)?;
    Ok(Param::initialized(part.id(), value).set_require_grad(part.is_require_grad()))
}

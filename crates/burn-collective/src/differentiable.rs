//! Collectives as linear maps, whose gradients are the transposed collectives.

use crate::group::Group;
use crate::{Collective, CollectiveError, Communicator, Reduction};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{
    Backend, BinaryOp, Creation, DataError, HasSpec, LinearMap, LinearMapError, LinearMapRef, Scalar, Slice,
    block_on,
};
use burn_ir::TensorData;
use std::sync::Arc;

impl Collective {
    fn run(self, group: &Group, data: TensorData) -> Result<TensorData, CollectiveError> {
        match self {
            Collective::AllReduce(reduction) => group.all_reduce(data, reduction),
            Collective::LeaveSplit => group.all_reduce(data, Reduction::Sum),
            Collective::AllGather { dim, .. } | Collective::GatherParts { dim } => {
                group.all_gather(data, dim)
            }
            Collective::ReduceScatter { dim, mean } => {
                group.reduce_scatter(data, dim, if mean { Reduction::Mean } else { Reduction::Sum })
            }
            Collective::Broadcast { root } => group.broadcast(data, root),
            Collective::Reduce { root } => group.reduce_to_root(data, root),
            Collective::EnterSplit | Collective::TakePart { .. } => Ok(data),
        }
    }

    /// Computes the collective on the backend of `x`, without its gradient.
    pub(crate) fn apply(
        self,
        communicator: &Communicator,
        x: DynamicTensor,
    ) -> Result<DynamicTensor, CollectiveError> {
        match self {
            Collective::EnterSplit => return Ok(x),
            Collective::TakePart { dim } => return Ok(own_part(communicator, x, dim)),
            Collective::AllReduce(_)
            | Collective::AllGather { .. }
            | Collective::ReduceScatter { .. }
            | Collective::Broadcast { .. }
            | Collective::Reduce { .. }
            | Collective::LeaveSplit
            | Collective::GatherParts { .. } => {}
        }
        let group = communicator.idle_group();
        let device = Dynamic::device(&x);
        let result = match group.start_on_device(self, &x)? {
            Some(pending) => group.finish_on_device(self, pending)?,
            None => {
                let data = self.run(group, read(group, self.name(), x)?)?;
                <Dynamic as burn_backend::Backend>::create(Creation::Data(data), &device)
            }
        };
        Ok(match self {
            Collective::AllGather { mean: true, .. } => {
                let count = Scalar::Float(group.world_size() as f64);
                Dynamic::binary_scalar(BinaryOp::Div, result, count)
            }
            Collective::AllGather { mean: false, .. }
            | Collective::AllReduce(_)
            | Collective::ReduceScatter { .. }
            | Collective::Broadcast { .. }
            | Collective::Reduce { .. }
            | Collective::EnterSplit
            | Collective::LeaveSplit
            | Collective::GatherParts { .. }
            | Collective::TakePart { .. } => result,
        })
    }
}

/// Returns the part of this rank along `dim`, whose size the ranks divide.
fn own_part(communicator: &Communicator, x: DynamicTensor, dim: usize) -> DynamicTensor {
    let shape = x.shape();
    let size = shape[dim] / communicator.world_size();
    let start = communicator.rank() * size;
    let range = |(at, whole): (usize, &usize)| if at == dim { start..start + size } else { 0..*whole };
    let slices = shape.iter().enumerate().map(range).map(Slice::from).collect();
    Dynamic::slice(x, slices)
}

/// Reads a tensor.
pub fn data(operation: &str, rank: usize, x: DynamicTensor) -> Result<TensorData, CollectiveError> {
    let data = block_on(x.backend().read(x))
        .unwrap_or_else(|_pending| Err(DataError::Device("this platform cannot wait for the device".into())));
    data.map_err(|source| CollectiveError::Data { operation: operation.to_string(), rank, source })
}

/// Reads a tensor for a collective. An error ends the call on all ranks.
pub fn read(group: &Group, operation: &str, x: DynamicTensor) -> Result<TensorData, CollectiveError> {
    data(operation, group.rank(), x).map_err(|error| group.refuse(operation, error))
}

/// A collective of a communicator, as backends take it.
#[derive(Debug)]
struct CollectiveMap {
    communicator: Communicator,
    collective: Collective,
}

impl LinearMap for CollectiveMap {
    fn apply(&self, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
        Ok(self.collective.apply(&self.communicator, x)?)
    }

    fn transpose(&self) -> LinearMapRef {
        let (communicator, collective) = (self.communicator.clone(), self.collective.transpose());
        Arc::new(CollectiveMap { communicator, collective })
    }
}

/// Returns the linear map of a collective.
pub fn linear_map(communicator: &Communicator, collective: Collective) -> LinearMapRef {
    Arc::new(CollectiveMap { communicator: communicator.clone(), collective })
}

/// Returns the error of a collective that a backend passed on.
pub fn collective_error(communicator: &Communicator, error: LinearMapError) -> CollectiveError {
    match error.downcast::<CollectiveError>() {
        Ok(error) => *error,
        Err(error) => CollectiveError::Library {
            operation: "collective".into(),
            rank: communicator.rank(),
            message: error.to_string(),
        },
    }
}

//! Lists of tensors of which each belongs to one rank.

use crate::frame::CallFields;
use crate::group::CollectiveCall;
use crate::group::Group;
use crate::reduction::reduce_bytes;
use crate::tensor_list::list_fields;
use crate::{CollectiveError, Part, Reduction};
use burn_ir::{DType, Shape, TensorData};
use std::sync::Arc;

/// Tensor of one rank, which has the value.
pub struct OwnedTensor {
    pub owner: usize,
    pub shape: Shape,
    pub dtype: DType,
    pub value: Option<TensorData>,
}

impl Group {
    /// Reduces tensors of one dtype in the order of ranks; the owner of each gets the result.
    pub fn reduce_to_owners(
        &self,
        list: Vec<TensorData>,
        owners: &[usize],
        reduction: Reduction,
    ) -> Result<Vec<Option<TensorData>>, CollectiveError> {
        const NAME: &str = "reduce_to_owners";
        let fields =
            list_fields(NAME, &list).with("reduction", reduction).with("owners", format!("{owners:?}"));
        self.call(NAME, Ok(fields), |call| {
            let Some(dtype) = list.first().map(|data| data.dtype) else { return Ok(Vec::new()) };
            let specs: Vec<Shape> = list.iter().map(|data| data.shape.clone()).collect();
            let (mut parts, mut length) = (Vec::new(), 0);
            for rank in 0..self.world_size() {
                let own: Vec<&[u8]> = list
                    .iter()
                    .zip(owners)
                    .filter(|(_, owner)| **owner == rank)
                    .map(|(data, _)| data.as_bytes())
                    .collect();
                let part = joined(call, &own, dtype)?;
                if rank == self.rank() {
                    length = part.as_bytes().len();
                }
                parts.push(part);
            }
            drop(list);
            let parts = call.exchange(parts, &vec![length; self.world_size()])?;
            let lists: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
            let mut own = call.zeroed([length / dtype.size()].into(), dtype)?;
            reduce_bytes(reduction, dtype, &lists, &mut own);
            let mut rest = own.as_bytes();
            let mut result = |(shape, owner): (Shape, &usize)| {
                if *owner != self.rank() {
                    return Ok(None);
                }
                cut(call, &mut rest, shape, dtype).map(Some)
            };
            specs.into_iter().zip(owners).map(&mut result).collect()
        })
    }

    /// Gives the tensors of one dtype that each rank owns to all others; those of this rank are `None`.
    pub fn gather_from_owners(
        &self,
        list: &[OwnedTensor],
    ) -> Result<Vec<Option<TensorData>>, CollectiveError> {
        const NAME: &str = "gather_from_owners";
        let specs: Vec<String> =
            list.iter().map(|x| format!("{} {:?} {}", x.dtype, x.shape, x.owner)).collect();
        let fields = CallFields::new(NAME).with("tensors", specs.join(", "));
        self.call(NAME, Ok(fields), |call| {
            let Some(dtype) = list.first().map(|tensor| tensor.dtype) else { return Ok(Vec::new()) };
            let own: Vec<&[u8]> =
                list.iter().filter_map(|x| x.value.as_ref().map(TensorData::as_bytes)).collect();
            let own = joined(call, &own, dtype)?;
            let mut lengths = vec![0; self.world_size()];
            for tensor in list {
                lengths[tensor.owner] += tensor.shape.num_elements() * dtype.size();
            }
            let parts = call.exchange(vec![own; self.world_size()], &lengths)?;
            let mut rests: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
            let mut result = |tensor: &OwnedTensor| {
                if tensor.owner == self.rank() {
                    return Ok(None);
                }
                cut(call, &mut rests[tensor.owner], tensor.shape.clone(), dtype).map(Some)
            };
            list.iter().map(&mut result).collect()
        })
    }
}

/// Concatenates bytes.
fn joined(call: &CollectiveCall, list: &[&[u8]], dtype: DType) -> Result<Part, CollectiveError> {
    let bytes: usize = list.iter().map(|bytes| bytes.len()).sum();
    let mut all = call.zeroed([bytes / dtype.size()].into(), dtype)?;
    let mut rest = all.as_mut_bytes();
    for bytes in list {
        let (here, behind) = rest.split_at_mut(bytes.len());
        here.copy_from_slice(bytes);
        rest = behind;
    }
    Ok(Part::whole(Arc::new(all)))
}

/// Takes a tensor from the front of `rest`.
fn cut(
    call: &CollectiveCall,
    rest: &mut &[u8],
    shape: Shape,
    dtype: DType,
) -> Result<TensorData, CollectiveError> {
    let (here, behind) = rest.split_at(shape.num_elements() * dtype.size());
    *rest = behind;
    TensorData::from_bytes(here, shape, dtype).map_err(|error| call.data_error(error))
}

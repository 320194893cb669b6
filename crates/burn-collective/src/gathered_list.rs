//! Lists of tensors that are gathered or scattered, on the host: one exchange for all of them.

use crate::data_layout::{concatenate_along, split_along};
use crate::group::{CollectiveCall, Group};
use crate::reduction::reduce_bytes;
use crate::tensor_list::{by_dtype, list_fields};
use crate::{CollectiveError, Part, Reduction};
use burn_ir::{DType, Shape, TensorData};
use std::sync::Arc;

impl Group {
    /// Concatenates each tensor of the lists of all ranks along `dim`; every rank gets all results.
    pub fn all_gather_list(
        &self,
        list: Vec<TensorData>,
        dim: usize,
    ) -> Result<Vec<TensorData>, CollectiveError> {
        const NAME: &str = "all_gather_list";
        let fields = list.iter().try_for_each(|data| self.check_dim(NAME, data, dim));
        let fields = fields.map(|()| list_fields(NAME, &list).with("dim", dim));
        self.call(NAME, fields, |call| {
            let own = Arc::new(joined(call, list.iter().map(TensorData::as_bytes), DType::U8)?);
            let (bytes, count) = (own.as_bytes().len(), self.world_size());
            let parts = call.exchange(vec![Part::whole(own); count], &vec![bytes; count])?;
            let mut start = 0;
            let concatenate = |data: &TensorData| {
                let range = start..start + data.as_bytes().len();
                start = range.end;
                let parts: Vec<Part> = parts.iter().map(|part| part.slice(range.clone())).collect();
                concatenate_along(call, data, &parts, dim)
            };
            list.iter().map(concatenate).collect()
        })
    }

    /// Reduces each tensor of the lists of all ranks; every rank gets its part of each result along `dim`.
    pub fn reduce_scatter_list(
        &self,
        list: Vec<TensorData>,
        dim: usize,
        reduction: Reduction,
    ) -> Result<Vec<TensorData>, CollectiveError> {
        const NAME: &str = "reduce_scatter_list";
        let fields = list.iter().try_for_each(|data| {
            self.check_dim(NAME, data, dim)?;
            self.check_number(NAME, data)?;
            self.check_divides(NAME, data, dim)
        });
        let fields = fields.map(|()| list_fields(NAME, &list).with("dim", dim).with("reduction", reduction));
        self.call(NAME, fields, |call| {
            let mut results = vec![None; list.len()];
            for (dtype, indices) in by_dtype(&list) {
                let tensors: Vec<TensorData> = indices.iter().map(|index| list[*index].clone()).collect();
                for (index, result) in
                    indices.into_iter().zip(scattered(call, tensors, dtype, dim, reduction)?)
                {
                    results[index] = Some(result);
                }
            }
            Ok(results.into_iter().flatten().collect())
        })
    }
}

/// Reduces tensors of one dtype, and returns the parts of this rank.
fn scattered(
    call: &CollectiveCall,
    tensors: Vec<TensorData>,
    dtype: DType,
    dim: usize,
    reduction: Reduction,
) -> Result<Vec<TensorData>, CollectiveError> {
    let (rank, count) = (call.group.rank(), call.group.world_size());
    let split: Result<Vec<(Vec<Part>, Shape)>, _> =
        tensors.into_iter().map(|data| split_along(call, data, dim, count)).collect();
    let split = split?;
    let mut parts = Vec::with_capacity(count);
    for to in 0..count {
        let bytes = split.iter().map(|(parts, _)| parts[to].as_bytes());
        parts.push(Part::whole(Arc::new(joined(call, bytes, dtype)?)));
    }
    let bytes = parts[rank].as_bytes().len();
    let parts = call.exchange(parts, &vec![bytes; count])?;
    let lists: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
    let mut reduced = call.zeroed([bytes / dtype.size()].into(), dtype)?;
    reduce_bytes(reduction, dtype, &lists, &mut reduced);
    let mut rest = reduced.as_bytes();
    let take = |(_, shape): (Vec<Part>, Shape)| {
        let mut data = call.zeroed(shape, dtype)?;
        let (here, behind) = rest.split_at(data.as_bytes().len());
        data.as_mut_bytes().copy_from_slice(here);
        rest = behind;
        Ok(data)
    };
    split.into_iter().map(take).collect()
}

/// Joins the bytes of tensors into elements of `dtype`.
fn joined<'a>(
    call: &CollectiveCall,
    bytes: impl Iterator<Item = &'a [u8]> + Clone,
    dtype: DType,
) -> Result<TensorData, CollectiveError> {
    let count = bytes.clone().map(<[u8]>::len).sum::<usize>() / dtype.size();
    let mut all = call.zeroed([count].into(), dtype)?;
    let mut rest = all.as_mut_bytes();
    for bytes in bytes {
        let (here, behind) = rest.split_at_mut(bytes.len());
        here.copy_from_slice(bytes);
        rest = behind;
    }
    Ok(all)
}

use crate::data_layout::even_ranges;
use crate::data_parallel::sum_pairs;
use crate::frame::CallFields;
use crate::group::CollectiveCall;
use crate::group::Group;
use crate::reduction::reduce_bytes;
use crate::{CollectiveError, Part, Reduction};
use burn_ir::{DType, TensorData};
use std::sync::Arc;

/// Bytes up to which every rank gets all values and reduces them itself: one exchange in place of two.
const SMALL: usize = 16 * 1024;

/// Adds the spec of a tensor to the fields of a call, and checks that it can be reduced.
pub fn reduced_fields(
    group: &Group,
    operation: &str,
    data: &TensorData,
    reduction: Reduction,
) -> Result<CallFields, CollectiveError> {
    group.check_number(operation, data)?;
    Ok(spec_fields(operation, data).with("reduction", reduction))
}

/// Returns the fields of a call with equal tensors on all ranks.
pub fn spec_fields(operation: &str, data: &TensorData) -> CallFields {
    let shape = format!("{:?}", data.shape);
    CallFields::new(operation).with("dtype", data.dtype).with("shape", shape)
}

impl Group {
    pub fn check_number(&self, operation: &str, data: &TensorData) -> Result<(), CollectiveError> {
        if data.dtype == DType::Bool {
            let expected = "a float or int dtype";
            return Err(self.argument(operation, "dtype", expected, data.dtype.name()));
        }
        Ok(())
    }

    /// Reduces tensors of all ranks; each gets the result.
    pub fn all_reduce(&self, data: TensorData, reduction: Reduction) -> Result<TensorData, CollectiveError> {
        let fields = reduced_fields(self, "all_reduce", &data, reduction);
        self.call("all_reduce", fields, |call| reduce_to_all(call, data, reduction))
    }
}

/// Reduces in the order of ranks.
pub fn reduce_to_all(
    call: &CollectiveCall,
    data: TensorData,
    reduction: Reduction,
) -> Result<TensorData, CollectiveError> {
    reduce_by(call, data, &|parts, mut result| {
        let lists: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
        reduce_bytes(reduction, result.dtype, &lists, &mut result);
        Ok(result)
    })
}

/// Sums neighbouring ranks, then neighbouring pairs, and so on.
pub fn sum_pairs_to_all(call: &CollectiveCall, data: TensorData) -> Result<TensorData, CollectiveError> {
    reduce_by(call, data, &|parts, result| {
        let value = |part: &Part| TensorData::from_bytes(part.as_bytes(), result.shape.clone(), result.dtype);
        let values: Result<Vec<TensorData>, _> = parts.iter().map(value).collect();
        values.and_then(sum_pairs).map_err(|source| call.data_error(source))
    })
}

/// Computes the result from the parts of all ranks; the second argument is memory for it.
type Reduce<'a> = &'a dyn Fn(&[Part], TensorData) -> Result<TensorData, CollectiveError>;

/// Each rank reduces a part of the elements, and all ranks get all parts.
fn reduce_by(call: &CollectiveCall, data: TensorData, reduce: Reduce) -> Result<TensorData, CollectiveError> {
    let (group, size, bytes) = (call.group, data.dtype.size(), data.as_bytes().len());
    let (rank, count) = (group.rank(), group.world_size());
    if count == 1 {
        return Ok(data);
    }
    let (shape, dtype, data) = (data.shape.clone(), data.dtype, Arc::new(data));
    let mut result = call.zeroed(shape.clone(), dtype)?;
    if bytes <= SMALL {
        let parts = call.exchange(vec![Part::whole(data); count], &vec![bytes; count])?;
        return reduce(&parts, result);
    }
    let ranges = even_ranges(bytes / size, count);
    let lengths: Vec<usize> = ranges.iter().map(|range| range.len() * size).collect();
    let part = |range: &core::ops::Range<usize>| Part::range(&data, range.start * size..range.end * size);
    let parts = call.exchange(ranges.iter().map(part).collect(), &vec![lengths[rank]; count])?;
    let own = reduce(&parts, call.zeroed([ranges[rank].len()].into(), dtype)?)?;
    drop(parts);
    let parts = call.exchange(vec![Part::whole(Arc::new(own)); count], &lengths)?;
    let mut rest = result.as_mut_bytes();
    for part in &parts {
        let (here, behind) = rest.split_at_mut(part.as_bytes().len());
        here.copy_from_slice(part.as_bytes());
        rest = behind;
    }
    Ok(result)
}

use crate::all_reduce::{reduced_fields, spec_fields};
use crate::data_layout::{concatenate_along, split_along};
use crate::group::Group;
use crate::reduction::reduce_bytes;
use crate::{CollectiveError, Part, Reduction};
use burn_ir::TensorData;
use std::sync::Arc;

impl Group {
    pub fn check_dim(&self, operation: &str, data: &TensorData, dim: usize) -> Result<(), CollectiveError> {
        let rank = data.shape.rank();
        if dim < rank {
            return Ok(());
        }
        let expected = format!("a dimension of a tensor of rank {rank}");
        Err(self.argument(operation, "dim", expected, dim.to_string()))
    }

    pub fn check_divides(
        &self,
        operation: &str,
        data: &TensorData,
        dim: usize,
    ) -> Result<(), CollectiveError> {
        let (size, count) = (data.shape[dim], self.world_size());
        if size.is_multiple_of(count) {
            return Ok(());
        }
        let expected = format!("a size of dimension {dim} that {count} ranks divide");
        Err(self.argument(operation, "shape", expected, size.to_string()))
    }

    /// Concatenates the tensors of all ranks along `dim`; each gets the result.
    pub fn all_gather(&self, data: TensorData, dim: usize) -> Result<TensorData, CollectiveError> {
        const NAME: &str = "all_gather";
        let fields = self.check_dim(NAME, &data, dim).map(|()| spec_fields(NAME, &data).with("dim", dim));
        self.call(NAME, fields, |call| {
            let (data, count) = (Arc::new(data), self.world_size());
            let lengths = vec![data.as_bytes().len(); count];
            let parts = call.exchange(vec![Part::whole(data.clone()); count], &lengths)?;
            concatenate_along(call, &data, &parts, dim)
        })
    }

    /// Reduces tensors of all ranks; each gets its part of the result along `dim`.
    pub fn reduce_scatter(
        &self,
        data: TensorData,
        dim: usize,
        reduction: Reduction,
    ) -> Result<TensorData, CollectiveError> {
        const NAME: &str = "reduce_scatter";
        let count = self.world_size();
        let fields = self.check_dim(NAME, &data, dim);
        let fields = fields.and_then(|()| self.check_divides(NAME, &data, dim));
        let fields = fields.and_then(|()| reduced_fields(self, NAME, &data, reduction));
        self.call(NAME, fields.map(|fields| fields.with("dim", dim)), |call| {
            let dtype = data.dtype;
            let (parts, shape) = split_along(call, data, dim, count)?;
            let length = parts[self.rank()].as_bytes().len();
            let parts = call.exchange(parts, &vec![length; count])?;
            let mut result = call.zeroed(shape, dtype)?;
            let lists: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
            reduce_bytes(reduction, dtype, &lists, &mut result);
            Ok(result)
        })
    }
}

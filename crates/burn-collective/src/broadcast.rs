use crate::all_reduce::{reduced_fields, spec_fields};
use crate::frame::CallFields;
use crate::group::CollectiveCall;
use crate::group::Group;
use crate::reduction::reduce_bytes;
use crate::{CollectiveError, Part, Reduction};
use burn_ir::TensorData;
use std::sync::Arc;

/// Gives the bytes of rank `root` to all ranks.
pub fn from_root(
    call: &CollectiveCall,
    data: TensorData,
    root: usize,
) -> Result<TensorData, CollectiveError> {
    let count = call.group.world_size();
    let (shape, dtype, bytes, data) = (data.shape.clone(), data.dtype, data.as_bytes().len(), Arc::new(data));
    let sent = if call.group.rank() == root { Part::whole(data) } else { Part::range(&data, 0..0) };
    let mut lengths = vec![0; count];
    lengths[root] = bytes;
    let parts = call.exchange(vec![sent; count], &lengths)?;
    let received = TensorData::from_bytes(parts[root].as_bytes(), shape, dtype);
    received.map_err(|error| call.data_error(error))
}

impl Group {
    pub fn check_root(&self, operation: &str, root: usize) -> Result<(), CollectiveError> {
        let count = self.world_size();
        if root < count {
            return Ok(());
        }
        Err(self.argument(operation, "root", format!("a rank below {count}"), root.to_string()))
    }

    /// Gives the tensor of rank `root` to all ranks, whose own has the same spec.
    pub fn broadcast(&self, data: TensorData, root: usize) -> Result<TensorData, CollectiveError> {
        const NAME: &str = "broadcast";
        let fields = self.check_root(NAME, root).map(|()| spec_fields(NAME, &data).with("root", root));
        self.call(NAME, fields, |call| from_root(call, data, root))
    }

    /// Sums tensors of all ranks on rank `root`; the others get zeros.
    pub fn reduce_to_root(&self, data: TensorData, root: usize) -> Result<TensorData, CollectiveError> {
        const NAME: &str = "reduce";
        let fields = self.check_root(NAME, root);
        let fields = fields.and_then(|()| reduced_fields(self, NAME, &data, Reduction::Sum));
        self.call(NAME, fields.map(|fields| fields.with("root", root)), |call| {
            let (shape, dtype, bytes, count) =
                (data.shape.clone(), data.dtype, data.as_bytes().len(), self.world_size());
            let (data, is_root) = (Arc::new(data), self.rank() == root);
            let mut parts = vec![Part::range(&data, 0..0); count];
            parts[root] = Part::whole(data);
            let parts = call.exchange(parts, &vec![if is_root { bytes } else { 0 }; count])?;
            let mut result = call.zeroed(shape, dtype)?;
            if is_root {
                let lists: Vec<&[u8]> = parts.iter().map(Part::as_bytes).collect();
                reduce_bytes(Reduction::Sum, dtype, &lists, &mut result);
            }
            Ok(result)
        })
    }

    /// Waits until all ranks have called this.
    pub fn barrier(&self) -> Result<(), CollectiveError> {
        self.call("barrier", Ok(CallFields::new("barrier")), |_call| Ok(()))
    }
}

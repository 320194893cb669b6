use super::catch_panic::catch_panic;
use crate::wire::Failure;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, DType, HasSpec, TensorData, TensorSpec, block_on};

/// Bytes that are read from the device at once: few enough to stay in a cache until they are on the way.
const PIECE_BYTES: usize = 1 << 20;

/// Download of a tensor, read from its device in pieces, so that the first bytes are sent while others are
/// still on the device.
#[derive(Debug)]
pub struct Download {
    x: Stretches,
    spec: TensorSpec,
}

#[derive(Debug)]
enum Stretches {
    /// A tensor that is read at once.
    Whole(Option<DynamicTensor>),
    /// Elements of the tensor as one row, and the number of them already read.
    Row { row: DynamicTensor, read: usize },
}

impl Download {
    /// # Errors
    /// When the backend cannot lay the elements in a row.
    pub fn new(x: DynamicTensor) -> Result<Self, Failure> {
        let spec = x.spec().clone();
        let count = spec.shape.num_elements();
        let x = if count <= elements_per_read(spec.dtype) {
            Stretches::Whole(Some(x))
        } else {
            let row = catch_panic("read", || Dynamic::reshape(x, [count].into()))?;
            Stretches::Row { row, read: 0 }
        };
        Ok(Download { x, spec })
    }

    /// Returns the shape and dtype of the tensor being read.
    pub fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}

fn elements_per_read(dtype: DType) -> usize {
    PIECE_BYTES / dtype.size()
}

impl Iterator for Download {
    type Item = Result<TensorData, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.x {
            Stretches::Whole(x) => x.take().map(read),
            Stretches::Row { row, read: start } => {
                let count = row.shape().num_elements();
                let range = *start..count.min(*start + elements_per_read(row.dtype()));
                if range.is_empty() {
                    return None;
                }
                *start = range.end;
                let part =
                    catch_panic("read", || Dynamic::slice(row.clone(), [range.into()].into_iter().collect()));
                Some(part.and_then(read))
            }
        }
    }
}

fn read(x: DynamicTensor) -> Result<TensorData, Failure> {
    let read = catch_panic("read", || block_on(Dynamic::into_data(x)))?;
    let read = read.map_err(|_pending| Failure::Refused("this server cannot wait for its device".into()))?;
    read.map_err(Failure::Data)
}

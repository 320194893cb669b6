use super::transform::Transform;
use crate::tensor::sync::Arc;
use crate::tensor::{DType, Shape};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A tensor of [`Weights`](super::Weights) as an adapter sees it: its name within the layer, and the layout
/// that it is going to be read in. No element is read before the tensor is loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTensor {
    path: Arc<str>,
    /// The name begins here: the part before it was entered.
    start: usize,
    /// The place of the tensor in its source.
    pub(super) index: usize,
    shape: Shape,
    dtype: DType,
    pub(super) transforms: Vec<Transform>,
}

impl NamedTensor {
    pub(super) fn new(name: String, index: usize, shape: Shape, dtype: DType) -> Self {
        NamedTensor { path: name.into(), start: 0, index, shape, dtype, transforms: Vec::new() }
    }

    /// Returns the name within the layer, with dots: `weight`, `layers.0.bias`.
    pub fn name(&self) -> &str {
        &self.path[self.start..]
    }

    /// Returns the shape of the tensor after its transformations.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Renames the tensor.
    #[must_use]
    pub fn renamed(self, name: &str) -> Self {
        NamedTensor { path: name.into(), start: 0, ..self }
    }

    /// Transposes a matrix; other tensors stay as they are.
    #[must_use]
    pub fn transposed(mut self) -> Self {
        if let [rows, columns] = self.shape[..] {
            self.shape = [columns, rows].into();
            self.transforms.push(Transform::Transpose);
        }
        self
    }

    /// Selects the indices `rows` of the first dimension, if they exist.
    pub fn rows(mut self, rows: Range<usize>) -> Option<Self> {
        let mut shape = self.shape.to_vec();
        let size = shape.first_mut().filter(|size| rows.start <= rows.end && rows.end <= **size)?;
        *size = rows.len();
        self.shape = shape.into();
        self.transforms.push(Transform::Rows(rows));
        Some(self)
    }

    /// Reshapes the tensor, if the number of elements fits.
    pub fn reshaped(mut self, shape: impl Into<Shape>) -> Option<Self> {
        let shape = shape.into();
        if shape.num_elements() != self.shape.num_elements() {
            return None;
        }
        self.shape = shape.clone();
        self.transforms.push(Transform::Reshape(shape));
        Some(self)
    }

    /// Returns the first part of the name, before the first dot.
    pub(super) fn first(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Returns the tensor named relative to `key`, if its name begins with it.
    pub(super) fn below(&self, key: &str) -> Option<Self> {
        let rest = self.name().strip_prefix(key)?;
        let skipped = match rest.as_bytes().first() {
            None => key.len(),
            Some(b'.') => key.len() + 1,
            Some(_) => return None,
        };
        Some(NamedTensor { start: self.start + skipped, ..self.clone() })
    }
}

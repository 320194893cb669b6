use crate::Dims;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};
use serde::{Deserialize, Serialize};

/// Shape: the size of each dimension of a tensor; no heap up to rank 6.
#[derive(Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shape {
    pub dims: Dims,
}

impl Shape {
    /// ```
    /// let shape = burn::tensor::Shape::new([2, 3]);
    /// assert_eq!((shape.num_dims(), shape.num_elements(), shape.dims[1]), (2, 6, 3));
    /// ```
    pub fn new<const N: usize>(dims: [usize; N]) -> Self {
        Shape::from(dims)
    }

    pub fn rank(&self) -> usize {
        self.len()
    }

    /// Returns the number of dimensions, as [`Shape::rank`].
    pub fn num_dims(&self) -> usize {
        self.len()
    }

    pub fn num_elements(&self) -> usize {
        self.iter().product()
    }

    /// [`Shape::num_elements`], or `None` when it does not fit a `usize`.
    pub fn checked_num_elements(&self) -> Option<usize> {
        self.iter().try_fold(1_usize, |product, &size| product.checked_mul(size))
    }

    /// Returns the row-major strides, in elements.
    pub fn strides(&self) -> Dims {
        let mut strides = self.dims.clone();
        let mut step = 1;
        for (stride, size) in strides.iter_mut().zip(self.iter()).rev() {
            *stride = step;
            step *= size;
        }
        strides
    }

    /// Returns the dimensions that `self` gained or widened when broadcast to `wide`.
    pub fn broadcast_dims(&self, wide: &Shape) -> Dims {
        let extra = wide.rank() - self.rank();
        (0..wide.rank()).filter(|&d| d < extra || self[d - extra] != wide[d]).collect()
    }

    /// Returns this shape with another size at `dim`.
    #[must_use]
    pub fn with(&self, dim: usize, size: usize) -> Shape {
        let mut shape = self.clone();
        shape[dim] = size;
        shape
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.dims
    }
}
impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.dims
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Self {
        Shape { dims: Dims::from(&dims[..]) }
    }
}
impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Self {
        Shape { dims: Dims::from(&dims[..]) }
    }
}
impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Self {
        Shape { dims: Dims::from(dims) }
    }
}
impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}
impl From<Dims> for Shape {
    fn from(dims: Dims) -> Self {
        Shape { dims }
    }
}
impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(iter: I) -> Self {
        Shape { dims: iter.into_iter().collect() }
    }
}
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

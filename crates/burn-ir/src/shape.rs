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

    /// Returns the strides by which elements of this shape with these strides are read as those of the shape
    /// `to`, of as many elements; `None` where there are no such strides, or no elements.
    pub fn reshaped_strides(&self, strides: &[usize], to: &Shape) -> Option<Dims> {
        if self.num_elements() == 0 {
            return None;
        }
        let kept = || (0..self.rank()).filter(|&d| self[d] != 1);
        let sizes: Dims = kept().map(|d| self[d]).collect();
        let steps: Dims = kept().map(|d| strides[d]).collect();
        let mut result = Dims::repeat(1, to.len());
        let (mut left, mut right) = (0, 0);
        while left < sizes.len() && right < to.len() {
            // The shortest groups of dimensions on both sides that have the same number of elements.
            let (mut left_end, mut right_end) = (left + 1, right + 1);
            let (mut have, mut want) = (sizes[left], to[right]);
            while have != want {
                if have < want {
                    have *= sizes[left_end];
                    left_end += 1;
                } else {
                    want *= to[right_end];
                    right_end += 1;
                }
            }
            if (left + 1..left_end).any(|d| steps[d - 1] != steps[d].wrapping_mul(sizes[d])) {
                return None;
            }
            let mut step = steps[left_end - 1];
            for d in (right..right_end).rev() {
                result[d] = step;
                step = step.wrapping_mul(to[d]);
            }
            (left, right) = (left_end, right_end);
        }
        Some(result)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reshaped<const A: usize, const B: usize>(
        from: [usize; A],
        strides: [usize; A],
        to: [usize; B],
    ) -> Option<Vec<usize>> {
        Shape::from(from).reshaped_strides(&strides, &Shape::from(to)).map(|strides| strides.to_vec())
    }

    #[test]
    fn strides_of_a_reshape() {
        assert_eq!(reshaped([2, 3, 4], [12, 4, 1], [6, 4]), Some(alloc::vec![4, 1]));
        assert_eq!(reshaped([4, 6], [1, 4], [4, 2, 3]), Some(alloc::vec![1, 12, 4]));
        assert_eq!(reshaped([4, 6], [1, 4], [24]), None);
        assert_eq!(reshaped([4, 6], [1, 4], [4, 1, 6]), Some(alloc::vec![1, 24, 4]));
        assert_eq!(reshaped([4, 1, 6], [1, 7, 4], [4, 6]), Some(alloc::vec![1, 4]));
        assert_eq!(reshaped([2, 6], [12, 2], [12]), Some(alloc::vec![2]));
        assert_eq!(reshaped([3, 5], [0, 1], [15]), None);
        assert_eq!(reshaped([1, 1], [3, 7], [1]).map(|s| s.len()), Some(1));
        assert_eq!(reshaped([], [], [1, 1]).map(|s| s.len()), Some(2));
        assert_eq!(reshaped([0, 2], [2, 1], [2, 0]), None);
    }
}

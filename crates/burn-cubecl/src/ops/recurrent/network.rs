//! Sizes of a network, order of its steps, and what its kernels share.

use super::unit_offset::CUBE;
use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::launch::kernel::{Kernel, launch_cubes};
use crate::launch::tensor::CubeTensor;
use crate::ops::create::from_data;
use crate::ops::layout::contiguous;
use burn_backend::{DType, HasSpec, RecurrentKind, Shape, TensorData, TensorSpec};
use cubecl::CubeDim;

/// A network over a batch of sequences.
#[derive(Clone, Copy, Debug)]
pub struct Network<'a> {
    pub kind: RecurrentKind,
    pub time: usize,
    pub batch: usize,
    /// Number of units.
    pub size: usize,
    pub lengths: Option<&'a [usize]>,
    pub reverse: bool,
    pub dtype: DType,
    pub engine: &'static dyn Engine,
    pub abilities: Abilities,
}

impl Network<'_> {
    /// Elements of one state of all sequences.
    pub fn state_len(&self) -> usize {
        self.batch * self.size
    }

    /// Times of the steps, in the order in which they are gone through.
    pub fn times(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (time, reverse) = (self.time, self.reverse);
        (0..time).map(move |step| if reverse { time - 1 - step } else { step })
    }

    /// A tensor of one part for each unit and sequence, or several.
    pub fn parts(&self, count: usize) -> CubeTensor {
        self.room([self.batch, count * self.size])
    }

    pub fn room(&self, shape: impl Into<Shape>) -> CubeTensor {
        CubeTensor::empty(TensorSpec::new(shape, self.dtype), self.engine)
    }

    /// Lengths on the device, where a sequence ends before the others.
    pub fn lengths(&self) -> Option<CubeTensor> {
        let lengths = self.lengths.filter(|lengths| lengths.iter().any(|&length| length < self.time))?;
        let lengths: Vec<u32> = lengths.iter().map(|&length| length as u32).collect();
        Some(from_data(TensorData::new(lengths, [self.batch]), self.engine))
    }

    /// Runs a kernel for every unit of every sequence.
    pub fn launch(
        &self,
        kernel: impl Kernel,
        inputs: &[&CubeTensor],
        outputs: &[&CubeTensor],
        words: &[u32],
    ) {
        let cubes = self.state_len().div_ceil(CUBE as usize);
        launch_cubes(kernel, inputs, outputs, words, cubes, CubeDim::new_1d(CUBE));
    }
}

/// Entry `at` of the first of three dimensions, as a matrix.
pub fn entry(x: &CubeTensor, at: usize) -> CubeTensor {
    let (shape, strides) = (x.shape(), x.strides().clone());
    let offset = x.offset().wrapping_add(strides[0].wrapping_mul(at));
    x.clone().view(Shape::from(&shape[1..]), strides[1..].iter().copied().collect(), offset)
}

/// Columns of a matrix from `first` on.
pub fn columns(x: &CubeTensor, first: usize, count: usize) -> CubeTensor {
    let (strides, shape) = (x.strides().clone(), x.shape());
    let offset = x.offset().wrapping_add(first.wrapping_mul(strides[1]));
    x.clone().view(Shape::from([shape[0], count]), strides, offset)
}

/// The same values, of which those of a row are neighbours.
pub fn with_neighbours(x: &CubeTensor) -> CubeTensor {
    let last = x.spec().shape.rank() - 1;
    if x.strides()[last] == 1 { x.clone() } else { contiguous(x.clone()) }
}

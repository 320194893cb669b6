//! Windows over the spatial dimensions of `[batch, channels, ..]`, as lists of positions.

use super::precision::wide;
use crate::Backend;
use alloc::vec::Vec;
use burn_ir::{DType, HasSpec, IndexUpdate, Scalar, Shape, Slice, Slices, TensorData, TensorSpec};

/// Positions in the flattened input of each tap of each window, tap by tap. Taps outside of the input have
/// the position `inputs`, one after the last.
#[derive(Clone, Debug)]
pub struct Windows {
    pub places: Vec<usize>,
    /// The number of elements of a window.
    pub taps: usize,
    /// The number of windows.
    pub outputs: usize,
    /// The number of elements that the windows move over.
    pub inputs: usize,
}

impl Windows {
    /// Creates windows; `place(dimension, window, tap)` is where a tap lies along one dimension, if it is
    /// inside.
    pub fn new(
        input: &[usize],
        taps: &[usize],
        output: &[usize],
        place: impl Fn(usize, usize, usize) -> Option<usize>,
    ) -> Self {
        let [taps, output] = [taps, output].map(Shape::from);
        let inputs = input.iter().product();
        let (tap_strides, output_strides) = (taps.strides(), output.strides());
        let at = |tap: usize, window: usize| {
            (0..input.len()).try_fold(0, |flat, d| {
                let (tap, window) = (tap / tap_strides[d] % taps[d], window / output_strides[d] % output[d]);
                place(d, window, tap).map(|place| flat * input[d] + place)
            })
        };
        let (tap_count, outputs) = (taps.num_elements(), output.num_elements());
        let pairs = (0..tap_count).flat_map(|tap| (0..outputs).map(move |window| (tap, window)));
        let places = pairs.map(|(tap, window)| at(tap, window).unwrap_or(inputs)).collect();
        Windows { places, taps: tap_count, outputs, inputs }
    }

    /// Windows that move by `stride` over a padded input, with steps of `dilation` between their taps.
    pub fn sliding(
        input: &[usize],
        kernel: &[usize],
        output: &[usize],
        [stride, padding, dilation]: [&[usize]; 3],
    ) -> Self {
        Windows::new(input, kernel, output, |d, window, tap| {
            let padded = window * stride[d] + tap * dilation[d];
            padded.checked_sub(padding[d]).filter(|&place| place < input[d])
        })
    }

    /// Windows that share the input between `output`: from `i input / output`, down, to `(i + 1) input /
    /// output`, up.
    pub fn adaptive(input: &[usize], output: &[usize]) -> Self {
        let start = |d: usize, window: usize| window * input[d] / output[d];
        let end = |d: usize, window: usize| ((window + 1) * input[d]).div_ceil(output[d]);
        let longest = |d: usize| (0..output[d]).map(|i| end(d, i) - start(d, i)).max().unwrap_or(0);
        let taps: Vec<usize> = (0..input.len()).map(longest).collect();
        Windows::new(input, &taps, output, |d, window, tap| {
            Some(start(d, window) + tap).filter(|&place| place < end(d, window))
        })
    }

    /// Returns the number of taps inside of the input, by window.
    pub fn counts(&self) -> Vec<usize> {
        let inside = |tap: usize, window: usize| self.places[tap * self.outputs + window] < self.inputs;
        (0..self.outputs).map(|i| (0..self.taps).filter(|&tap| inside(tap, i)).count()).collect()
    }

    /// Replaces taps outside of the input by the first one inside: for a maximum, which repetition does not
    /// change.
    #[must_use]
    pub fn repeated(mut self) -> Self {
        for window in 0..self.outputs {
            let column = || (window..).step_by(self.outputs).take(self.taps);
            let first = column().map(|at| self.places[at]).find(|&place| place < self.inputs);
            let outside: Vec<usize> = column().filter(|&at| self.places[at] == self.inputs).collect();
            outside.into_iter().for_each(|at| self.places[at] = first.unwrap_or(self.inputs));
        }
        self
    }

    /// Returns the positions as a tensor: `[taps * windows]`.
    pub fn index<B: Backend>(&self, device: &B::Device) -> B::Tensor {
        let places: Vec<i64> = self.places.iter().map(|&place| place as i64).collect();
        B::from_data(TensorData::from(places), device)
    }

    /// Reads the elements of all windows, `[batch, channels, taps, windows]`, with zeros outside; in the type
    /// of sums.
    pub fn read<B: Backend>(&self, x: B::Tensor) -> B::Tensor {
        let (x, device) = (wide::<B>(x.clone()), B::device(&x));
        let (shape, dtype) = (x.shape(), x.dtype());
        let [batch, channels] = [shape[0], shape[1]];
        let outside = B::full(TensorSpec::new([batch, channels, 1], dtype), Scalar::Int(0), &device);
        let flat = B::reshape(x, [batch, channels, self.inputs].into());
        let read = B::select(B::cat([flat, outside].into(), 2), 2, self.index::<B>(&device));
        B::reshape(read, [batch, channels, self.taps, self.outputs].into())
    }

    /// Adds the windows back, the reverse of [`read`](Self::read): each element of the windows `x` added to
    /// its index in `[batch, channels, ..]`, a shape of `target`.
    pub fn add<B: Backend>(&self, x: B::Tensor, target: &Shape) -> B::Tensor {
        let (device, dtype) = (B::device(&x), x.dtype());
        let [batch, channels] = [target[0], target[1]];
        let x = B::reshape(x, [batch, channels, self.taps * self.outputs].into());
        let zeros = TensorSpec::new([batch, channels, self.inputs + 1], dtype);
        let zeros = B::full(zeros, Scalar::Int(0), &device);
        let sums = B::select_assign(zeros, 2, self.index::<B>(&device), x, IndexUpdate::Add);
        let inside: Slices =
            [batch, channels, self.inputs].into_iter().map(|size| Slice::from(0..size)).collect();
        B::reshape(B::slice(sums, inside), target.clone())
    }

    /// Returns one number for each window, `[windows]`.
    pub fn numbers<B: Backend>(&self, numbers: &[usize], dtype: DType, device: &B::Device) -> B::Tensor {
        let numbers: Vec<f64> = numbers.iter().map(|&x| x as f64).collect();
        B::from_data(TensorData::from(numbers).convert_dtype(dtype), device)
    }
}

use crate::elements::number::Number;
use crate::kernels::window::{Spatial, Taps, Window, spatial};
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{PoolOptions, Shape};
use core::ops::Range;

/// The planes of a pooling and how windows lie over them.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    pub window: Window,
    pub taps: Taps,
    pub input: Spatial,
    pub output: Spatial,
}

pub fn area(size: Spatial) -> usize {
    size.iter().product()
}

pub fn sizes(shape: &Shape) -> Spatial {
    spatial(&shape[2..], 1)
}

pub fn pooled_shape(shape: &Shape, options: &PoolOptions) -> Shape {
    let size = |d: usize| options.output_size(d, shape[d + 2]).expect("checked by the caller");
    shape[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect()
}

impl Planes {
    pub fn new(input: &Shape, output: &Shape, options: &PoolOptions) -> Self {
        let PoolOptions { kernel, stride, padding, dilation } = options;
        let window = Window::new(kernel, stride, padding, dilation);
        let (input, output) = (sizes(input), sizes(output));
        Planes { window, taps: Taps::new(&window, input[2], output[2]), input, output }
    }

    /// Number of rows of results.
    pub fn rows(&self) -> usize {
        self.output[0] * self.output[1]
    }

    /// Calls `f` with each row of the plane that a row of results covers: the elements.
    #[inline(always)]
    pub fn for_lines(&self, row: usize, mut f: impl FnMut(Range<usize>)) {
        let (window, [depth, height, width]) = (&self.window, self.input);
        let (i, j) = (row / self.output[1], row % self.output[1]);
        for a in window.taps(0, i, depth) {
            for b in window.taps(1, j, height) {
                let line = (window.element(0, i, a) * height + window.element(1, j, b)) * width;
                f(line..line + width);
            }
        }
    }

    /// Calls `f(columns, element)` for each tap along a row: results `columns` read the elements of the row
    /// from `element` on, `stride` apart.
    #[inline(always)]
    pub fn for_columns(&self, mut f: impl FnMut(Range<usize>, usize)) {
        for c in 0..self.window.kernel[2] {
            let tap = self.taps.get(c);
            if tap.first < tap.end {
                f(tap.first..tap.end, tap.element);
            }
        }
    }

    /// How many elements the windows of a row of results cover, for each column.
    pub fn counts(&self, row: usize) -> impl Fn(usize) -> usize + '_ {
        let (i, j) = (row / self.output[1], row % self.output[1]);
        let rows = self.window.taps(0, i, self.input[0]).len() * self.window.taps(1, j, self.input[1]).len();
        move |column| rows * self.window.taps(2, column, self.input[2]).len()
    }
}

/// A kernel of one plane: its number, its input, its output.
pub type Kernel<'a, E> = &'a (dyn Fn(usize, &[E], &mut [E]) + Sync);

pub fn for_planes<E: Number>(x: &NdTensor, out: &mut NdTensor, f: Kernel<'_, E>) {
    let (from, to) = (area(sizes(x.shape())), area(sizes(out.shape())));
    let xs: &[E] = x.slice();
    parallel::for_chunks(out.make_mut::<E>(), to.max(1), from + to, &|plane, out| {
        f(plane, &xs[plane * from..][..from], out);
    });
}

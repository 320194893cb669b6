use crate::kernels::window::{Spatial, Window, spatial};
use burn_backend::{ConvOptions, Shape};

/// The sizes of a convolution, whichever of its tensors is computed.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub batch: usize,
    pub groups: usize,
    /// Input channels of a group.
    pub group_in: usize,
    /// Output channels of a group.
    pub group_out: usize,
    pub input: Spatial,
    pub output: Spatial,
    pub window: Window,
}

impl Geometry {
    pub fn new(x: &Shape, weight: &Shape, out: &Shape, options: &ConvOptions) -> Self {
        let geometry = Geometry {
            batch: x[0],
            groups: options.groups,
            group_in: weight[1],
            group_out: weight[0] / options.groups,
            input: spatial(&x[2..], 1),
            output: spatial(&out[2..], 1),
            window: Window::new(&weight[2..], &options.stride, options.padding_before(), &options.dilation),
        };
        geometry.with_column_as_row()
    }

    /// A plane of one column as one of one row, which lies in memory as it does: kernels go along rows.
    fn with_column_as_row(mut self) -> Self {
        let w = &mut self.window;
        if [self.input[2], self.output[2], w.kernel[2]] == [1; 3] && w.padding[2] == 0 {
            // It moves nowhere.
            w.stride[2] = 1;
            let lists = [&mut w.kernel, &mut w.stride, &mut w.padding, &mut w.dilation];
            lists.into_iter().chain([&mut self.input, &mut self.output]).for_each(|list| list.swap(1, 2));
        }
        self
    }

    /// Elements of an input plane.
    pub fn area_in(&self) -> usize {
        self.input.iter().product()
    }

    /// Elements of an output plane.
    pub fn area_out(&self) -> usize {
        self.output.iter().product()
    }

    /// Taps of a kernel.
    pub fn taps(&self) -> usize {
        self.window.kernel.iter().product()
    }

    /// Products in one output element.
    pub fn depth(&self) -> usize {
        self.group_in * self.taps()
    }

    /// Rows of an output plane.
    pub fn lines(&self) -> usize {
        self.output[0] * self.output[1]
    }

    /// Products in the convolution of one image by one group.
    pub fn products(&self) -> usize {
        self.group_out * self.depth() * self.area_out()
    }

    /// Zeros after dimension `d` that its last window has.
    pub fn padding_after(&self, d: usize) -> usize {
        let w = &self.window;
        let last = self.output[d].saturating_sub(1).saturating_mul(w.stride[d]);
        let reach = w.dilation[d].saturating_mul(w.kernel[d] - 1).saturating_add(1);
        last.saturating_add(reach).saturating_sub(w.padding[d].saturating_add(self.input[d]))
    }

    /// Whether the input is its own unfolding: kernels of one tap, on every element.
    pub fn is_pointwise(&self) -> bool {
        let Window { stride, padding, .. } = self.window;
        self.taps() == 1 && stride == [1; 3] && padding == [0; 3] && self.input == self.output
    }

    /// Whether a group is too small for matrix products.
    pub fn is_depthwise(&self) -> bool {
        self.groups > 1 && self.group_in * self.group_out <= 4
    }

    /// The phases of the stride.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + Clone + use<> {
        let (g, [depth, height, width]) = (*self, self.window.stride);
        let remainders =
            (0..depth * height * width).map(move |n| [n / (height * width), n / width % height, n % width]);
        remainders.map(move |remainder| g.phase(remainder))
    }

    fn phase(&self, remainder: Spatial) -> Phase {
        let Window { stride, padding, .. } = self.window;
        let window: Spatial =
            core::array::from_fn(|d| padding[d].saturating_sub(remainder[d]).div_ceil(stride[d]));
        let first: Spatial = core::array::from_fn(|d| window[d] * stride[d] + remainder[d] - padding[d]);
        let count = core::array::from_fn(|d| self.input[d].saturating_sub(first[d]).div_ceil(stride[d]));
        Phase { remainder, window, first, count }
    }
}

/// Elements of the input whose distance to the first window has the same remainder by the stride: element `i`
/// is read by window `u - c` with tap `k`, where `i + padding = u * stride + remainder` and `k * dilation = c
/// * stride + remainder`.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    pub remainder: Spatial,
    /// `u` of the first such element.
    pub window: Spatial,
    /// The first such element, and how many there are.
    pub first: Spatial,
    pub count: Spatial,
}

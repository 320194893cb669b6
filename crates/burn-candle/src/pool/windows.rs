//! The windows of a pool over the planes of a tensor.

use burn_backend::{PoolOptions, Shape};

/// Sizes along up to three spatial dimensions; those that are missing in front are 1.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Elements of a plane that goes in, and of one that comes out.
    pub inputs: usize,
    pub outputs: usize,
    input: [usize; 3],
    output: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
}

impl Windows {
    /// The windows over an input of shape `[batch, channels, ..]`.
    pub fn new(input: &Shape, options: &PoolOptions) -> Self {
        let spatial = options.kernel.len();
        let all = |fill: usize, list: &dyn Fn(usize) -> usize| {
            std::array::from_fn(|d| (d + spatial).checked_sub(3).map_or(fill, list))
        };
        let size = |d: usize| options.output_size(d, input[d + 2]).expect("a window fits");
        let (input, output) = (all(1, &|d| input[d + 2]), all(1, &size));
        Windows {
            inputs: input.iter().product(),
            outputs: output.iter().product(),
            input,
            output,
            kernel: all(1, &|d| options.kernel[d]),
            stride: all(1, &|d| options.stride[d]),
            padding: all(0, &|d| options.padding[d]),
            dilation: all(1, &|d| options.dilation[d]),
        }
    }

    /// Elements of a window, those in the padding among them.
    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// Calls `f` with the position in its plane of every element of window `at`, in order.
    #[inline]
    pub fn each(&self, at: usize, mut f: impl FnMut(usize)) {
        let [_, rows, cols] = self.output;
        let window = [at / (rows * cols), at / cols % rows, at % cols];
        let place = |d: usize, tap: usize| {
            let padded = window[d] * self.stride[d] + tap * self.dilation[d];
            padded.checked_sub(self.padding[d]).filter(|&place| place < self.input[d])
        };
        for plane in (0..self.kernel[0]).filter_map(|tap| place(0, tap)) {
            for row in (0..self.kernel[1]).filter_map(|tap| place(1, tap)) {
                for col in (0..self.kernel[2]).filter_map(|tap| place(2, tap)) {
                    f((plane * self.input[1] + row) * self.input[2] + col);
                }
            }
        }
    }

    /// Returns the divisor of the sum of window `at`.
    pub fn divisor(&self, at: usize, count_include_pad: bool) -> usize {
        if count_include_pad {
            return self.taps();
        }
        let mut count = 0;
        self.each(at, |_| count += 1);
        count
    }
}

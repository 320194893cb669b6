use burn_core::config::Config;

/// Padding of a one-dimensional convolution or pooling layer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig1d {
    /// No padding: the output is smaller than the input.
    Valid,
    /// Padding that makes the output as long as the input, divided by the stride and rounded up. An odd
    /// element is added at the end. PyTorch: `padding="same"`, which has no stride.
    Same,
    /// So many elements at each end.
    Explicit(usize),
}

/// Padding of a two-dimensional convolution or pooling layer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig2d {
    /// No padding: the output is smaller than the input.
    Valid,
    /// Padding that makes the output as large as the input, divided by the stride and rounded up. An odd
    /// element is added at the end. PyTorch: `padding="same"`, which has no stride.
    Same,
    /// So many rows at the top and at the bottom, and so many columns at the left and at the right.
    Explicit(usize, usize),
}

/// Sliding windows over the last `N` dimensions.
pub struct Windows<const N: usize> {
    pub kernel: [usize; N],
    pub stride: [usize; N],
    pub dilation: [usize; N],
}

impl<const N: usize> Windows<N> {
    /// The number of elements that a window reaches over in dimension `d`.
    fn extent(&self, d: usize) -> usize {
        (self.dilation[d].saturating_mul(self.kernel[d].saturating_sub(1))).saturating_add(1)
    }

    /// Panics when a window is larger than the padded input.
    #[track_caller]
    fn check(&self, layer: &str, input: [usize; N], padding: &Padding<N>) {
        let padded: [usize; N] = core::array::from_fn(|d| match padding {
            Padding::Even(both) => input[d].saturating_add(both[d].saturating_mul(2)),
            Padding::Uneven(pairs) => input[d].saturating_add(pairs[d].0).saturating_add(pairs[d].1),
        });
        let window: [usize; N] = core::array::from_fn(|d| self.extent(d));
        let fits = padded.iter().zip(window).all(|(&padded, window)| window <= padded);
        assert!(
            fits,
            "{layer}: the window is larger than the padded input; expected at least {window:?}, got {padded:?} \
             (unpadded {input:?})"
        );
    }
}

/// Padding of each of the last `N` dimensions.
#[derive(Debug, PartialEq)]
pub enum Padding<const N: usize> {
    /// The same on both sides.
    Even([usize; N]),
    /// Elements before and after.
    Uneven([(usize, usize); N]),
}

impl PaddingConfig1d {
    /// The padding of an input of `layer`.
    ///
    /// # Panics
    /// The window is larger than the padded input.
    #[track_caller]
    pub(crate) fn of(self, layer: &str, input: [usize; 1], windows: &Windows<1>) -> Padding<1> {
        let padding = match self {
            PaddingConfig1d::Valid => Padding::Even([0]),
            PaddingConfig1d::Same => same(input, windows),
            PaddingConfig1d::Explicit(length) => Padding::Even([length]),
        };
        windows.check(layer, input, &padding);
        padding
    }
}

impl PaddingConfig2d {
    /// The padding of an input of `layer`.
    ///
    /// # Panics
    /// The window is larger than the padded input.
    #[track_caller]
    pub(crate) fn of(self, layer: &str, input: [usize; 2], windows: &Windows<2>) -> Padding<2> {
        let padding = match self {
            PaddingConfig2d::Valid => Padding::Even([0, 0]),
            PaddingConfig2d::Same => same(input, windows),
            PaddingConfig2d::Explicit(height, width) => Padding::Even([height, width]),
        };
        windows.check(layer, input, &padding);
        padding
    }
}

fn same<const N: usize>(input: [usize; N], windows: &Windows<N>) -> Padding<N> {
    let pairs = core::array::from_fn(|d| {
        let stride = windows.stride[d].max(1);
        let steps = input[d].div_ceil(stride).saturating_sub(1);
        let total = (steps * stride).saturating_add(windows.extent(d)).saturating_sub(input[d]);
        (total / 2, total - total / 2)
    });
    if pairs.iter().all(|(before, after)| before == after) {
        Padding::Even(pairs.map(|(before, _)| before))
    } else {
        Padding::Uneven(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::{Padding, PaddingConfig1d, PaddingConfig2d, Windows};

    fn length(kernel: usize, stride: usize, dilation: usize, input: usize) -> usize {
        let windows = Windows { kernel: [kernel], stride: [stride], dilation: [dilation] };
        let padded = match PaddingConfig1d::Same.of("conv1d", [input], &windows) {
            Padding::Even([both]) => input + 2 * both,
            Padding::Uneven([(before, after)]) => {
                assert_eq!(after, before + 1);
                input + before + after
            }
        };
        (padded - dilation * (kernel - 1) - 1) / stride + 1
    }

    #[test]
    fn same_padding_keeps_the_length_up_to_the_stride() {
        for kernel in 1..6 {
            for stride in 1..4 {
                for dilation in 1..4 {
                    for input in 1..12 {
                        // A kernel shorter than the stride may skip the end, and needs no padding.
                        assert_eq!(length(kernel, stride, dilation, input), input.div_ceil(stride));
                    }
                }
            }
        }
    }

    #[test]
    fn even_kernels_pad_the_end() {
        let windows = Windows { kernel: [2, 3], stride: [1, 1], dilation: [1, 1] };
        assert_eq!(PaddingConfig2d::Same.of("conv2d", [5, 5], &windows), Padding::Uneven([(0, 1), (1, 1)]));
        assert_eq!(PaddingConfig2d::Explicit(1, 2).of("conv2d", [5, 5], &windows), Padding::Even([1, 2]));
        assert_eq!(PaddingConfig2d::Valid.of("conv2d", [5, 5], &windows), Padding::Even([0, 0]));
    }
}

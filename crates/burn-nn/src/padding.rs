use burn_core::config::Config;

/// What a convolution or a pooling of one dimension sees around its input.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig1d {
    /// Nothing: the output is smaller than the input.
    Valid,
    /// As much as makes the output as long as the input, divided by the stride and rounded up. What does not divide
    /// by two has the odd one at the end. PyTorch: `padding="same"`, which has no stride.
    Same,
    /// So much at each end.
    Explicit(usize),
}

/// What a convolution or a pooling of two dimensions sees around its input.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig2d {
    /// Nothing: the output is smaller than the input.
    Valid,
    /// As much as makes the output as large as the input, divided by the stride and rounded up. What does not divide
    /// by two has the odd one at the end. PyTorch: `padding="same"`, which has no stride.
    Same,
    /// So much at the top and at the bottom, and so much at the left and at the right.
    Explicit(usize, usize),
}

/// Windows that move over the last `N` dimensions.
pub struct Windows<const N: usize> {
    pub kernel: [usize; N],
    pub stride: [usize; N],
    pub dilation: [usize; N],
}

/// How much is added to each of the last `N` dimensions.
#[derive(Debug, PartialEq)]
pub enum Padding<const N: usize> {
    /// The same at both ends.
    Even([usize; N]),
    /// Before and after.
    Uneven([(usize, usize); N]),
}

impl PaddingConfig1d {
    pub(crate) fn of(self, input: [usize; 1], windows: &Windows<1>) -> Padding<1> {
        match self {
            PaddingConfig1d::Valid => Padding::Even([0]),
            PaddingConfig1d::Same => same(input, windows),
            PaddingConfig1d::Explicit(length) => Padding::Even([length]),
        }
    }
}

impl PaddingConfig2d {
    pub(crate) fn of(self, input: [usize; 2], windows: &Windows<2>) -> Padding<2> {
        match self {
            PaddingConfig2d::Valid => Padding::Even([0, 0]),
            PaddingConfig2d::Same => same(input, windows),
            PaddingConfig2d::Explicit(height, width) => Padding::Even([height, width]),
        }
    }
}

fn same<const N: usize>(input: [usize; N], windows: &Windows<N>) -> Padding<N> {
    let pairs = core::array::from_fn(|d| {
        let (stride, reach) =
            (windows.stride[d].max(1), windows.dilation[d] * windows.kernel[d].saturating_sub(1));
        let steps = input[d].div_ceil(stride).saturating_sub(1);
        let total = (steps * stride + reach + 1).saturating_sub(input[d]);
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
        let padded = match PaddingConfig1d::Same.of([input], &windows) {
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
                        // A kernel shorter than the stride may leave the end out, and pads nothing.
                        assert_eq!(length(kernel, stride, dilation, input), input.div_ceil(stride));
                    }
                }
            }
        }
    }

    #[test]
    fn even_kernels_pad_the_end() {
        let windows = Windows { kernel: [2, 3], stride: [1, 1], dilation: [1, 1] };
        assert_eq!(PaddingConfig2d::Same.of([5, 5], &windows), Padding::Uneven([(0, 1), (1, 1)]));
        assert_eq!(PaddingConfig2d::Explicit(1, 2).of([5, 5], &windows), Padding::Even([1, 2]));
        assert_eq!(PaddingConfig2d::Valid.of([5, 5], &windows), Padding::Even([0, 0]));
    }
}

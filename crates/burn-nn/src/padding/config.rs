use super::window::{Sides, Windows};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::tensor::TensorError;
use core::fmt::Debug;

/// Padding of a one-dimensional convolution or pooling layer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig1d {
    /// No padding: the output is smaller than the input.
    Valid,
    /// Padding that makes the output as long as the input, divided by the stride and rounded up. An odd
    /// element is added at the end. PyTorch: `padding="same"`, which allows no stride.
    Same,
    /// The number of elements added at both ends.
    Explicit(usize),
    /// The number of elements added before and after.
    Asymmetric(usize, usize),
}

/// Padding of a two-dimensional convolution or pooling layer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig2d {
    /// No padding: the output is smaller than the input.
    Valid,
    /// Padding that makes the output as large as the input, divided by the stride and rounded up. An odd
    /// element is added at the end. PyTorch: `padding="same"`, which allows no stride.
    Same,
    /// The number of rows added at the top and at the bottom, and of columns added at the left and at the
    /// right.
    Explicit(usize, usize),
    /// The numbers of rows added at the top and at the bottom, and of columns added at the left and at the
    /// right.
    Asymmetric((usize, usize), (usize, usize)),
}

/// Padding of a three-dimensional convolution or pooling layer.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum PaddingConfig3d {
    /// No padding: the output is smaller than the input.
    Valid,
    /// Padding that makes the output as large as the input, divided by the stride and rounded up. An odd
    /// element is added at the end. PyTorch: `padding="same"`, which allows no stride.
    Same,
    /// The number of elements added to both sides of depth, height and width.
    Explicit(usize, usize, usize),
    /// The numbers of elements added before and after, of depth, height and width.
    Asymmetric((usize, usize), (usize, usize), (usize, usize)),
}

/// Padding of a layer over `N` spatial dimensions, without the input.
pub enum PaddingKind<const N: usize> {
    Valid,
    Same,
    Sides(Sides<N>),
}

/// The padding configs of `N` dimensions.
pub trait Padding<const N: usize>: Copy + Debug {
    fn kind(self) -> PaddingKind<N>;

    /// Returns the elements to add before and after each dimension of an input of `layer`.
    ///
    /// # Errors
    /// A window is larger than the padded input.
    #[track_caller]
    fn sides(
        self,
        layer: &'static str,
        input: [usize; N],
        windows: &Windows<N>,
    ) -> Result<Sides<N>, TensorError> {
        let sides = match self.kind() {
            PaddingKind::Valid => [(0, 0); N],
            PaddingKind::Same => windows.same(input),
            PaddingKind::Sides(sides) => sides,
        };
        windows.check(layer, input, &sides)?;
        Ok(sides)
    }

    /// Refuses more padding at a side of a pooling layer than half of the dilated kernel: a window could
    /// cover padding alone.
    fn check_of_pool(self, check: FieldCheck, reach: [usize; N]) -> Result<(), ConfigError> {
        let PaddingKind::Sides(sides) = self.kind() else { return Ok(()) };
        let fits = sides.iter().zip(reach).all(|(&(before, after), reach)| before.max(after) <= reach / 2);
        check.ensure(fits, "padding", &self, "at most half of the kernel size at each side")
    }
}

impl Padding<1> for PaddingConfig1d {
    fn kind(self) -> PaddingKind<1> {
        match self {
            PaddingConfig1d::Valid => PaddingKind::Valid,
            PaddingConfig1d::Same => PaddingKind::Same,
            PaddingConfig1d::Explicit(length) => PaddingKind::Sides([(length, length)]),
            PaddingConfig1d::Asymmetric(before, after) => PaddingKind::Sides([(before, after)]),
        }
    }
}

impl Padding<2> for PaddingConfig2d {
    fn kind(self) -> PaddingKind<2> {
        match self {
            PaddingConfig2d::Valid => PaddingKind::Valid,
            PaddingConfig2d::Same => PaddingKind::Same,
            PaddingConfig2d::Explicit(height, width) => {
                PaddingKind::Sides([height, width].map(|both| (both, both)))
            }
            PaddingConfig2d::Asymmetric(height, width) => PaddingKind::Sides([height, width]),
        }
    }
}

impl Padding<3> for PaddingConfig3d {
    fn kind(self) -> PaddingKind<3> {
        match self {
            PaddingConfig3d::Valid => PaddingKind::Valid,
            PaddingConfig3d::Same => PaddingKind::Same,
            PaddingConfig3d::Explicit(depth, height, width) => {
                PaddingKind::Sides([depth, height, width].map(|both| (both, both)))
            }
            PaddingConfig3d::Asymmetric(depth, height, width) => PaddingKind::Sides([depth, height, width]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Padding, PaddingConfig1d, PaddingConfig2d, PaddingConfig3d, Windows};

    fn length(kernel: usize, stride: usize, dilation: usize, input: usize) -> usize {
        let windows = Windows { kernel: [kernel], stride: [stride], dilation: [dilation] };
        let [(before, after)] = PaddingConfig1d::Same.sides("conv1d", [input], &windows).unwrap();
        assert!(after == before || after == before + 1);
        (input + before + after - dilation * (kernel - 1) - 1) / stride + 1
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
        let sides = |padding: PaddingConfig2d| padding.sides("conv2d", [5, 5], &windows).unwrap();
        assert_eq!(sides(PaddingConfig2d::Same), [(0, 1), (1, 1)]);
        assert_eq!(sides(PaddingConfig2d::Explicit(1, 2)), [(1, 1), (2, 2)]);
        assert_eq!(sides(PaddingConfig2d::Asymmetric((1, 0), (2, 3))), [(1, 0), (2, 3)]);
        assert_eq!(sides(PaddingConfig2d::Valid), [(0, 0), (0, 0)]);
    }

    #[test]
    fn padding_of_three_dimensions_is_of_depth_height_and_width() {
        let windows = Windows { kernel: [2, 3, 1], stride: [1, 2, 1], dilation: [1, 1, 1] };
        let sides = |padding: PaddingConfig3d| padding.sides("conv3d", [5, 5, 5], &windows).unwrap();
        assert_eq!(sides(PaddingConfig3d::Same), [(0, 1), (1, 1), (0, 0)]);
        assert_eq!(sides(PaddingConfig3d::Explicit(1, 2, 3)), [(1, 1), (2, 2), (3, 3)]);
        assert_eq!(sides(PaddingConfig3d::Asymmetric((1, 0), (2, 3), (0, 0))), [(1, 0), (2, 3), (0, 0)]);
    }
}

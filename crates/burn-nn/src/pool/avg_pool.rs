use super::pooling::{Pooled, Pooling};
use crate::display::one_line;
use crate::padding::Padding;
use crate::spatial::Sizes;
use crate::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::module::{try_avg_pool_ceil, try_sum_pool};
use burn_core::tensor::ops::{PoolOptions, try_in_operation};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

impl<const N: usize> Pooling<N> {
    #[track_caller]
    fn avg<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        padding: impl Padding<N>,
        count_include_pad: bool,
        divisor: Option<usize>,
    ) -> Result<Tensor<B, D>, TensorError> {
        let dims = x.dims();
        let sides = self.sides(&dims, padding)?;
        try_in_operation(self.layer, || {
            let device = x.device();
            let Pooled { x, options, padded } = self.pooled(x, sides, 0.0)?;
            if let Some(divisor) = divisor {
                return try_sum_pool(x, options, self.ceil_mode)?.try_div_scalar(divisor as f64);
            }
            if padded.is_none() || count_include_pad {
                return self.means(x, options, count_include_pad);
            }
            // The padding is part of the input of the operation: fraction of each window that is not padding.
            let ones: [usize; D] = core::array::from_fn(|dim| if dim < 2 { 1 } else { dims[dim] });
            let ones = self.pooled(Tensor::<B, D>::ones(ones, &device).cast(x.dtype()), sides, 0.0)?;
            let shares = self.means(ones.x, ones.options, true)?;
            self.means(x, options, true)?.try_div(shares)
        })
    }

    fn means<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        options: PoolOptions,
        count_include_pad: bool,
    ) -> Result<Tensor<B, D>, TensorError> {
        match self.ceil_mode {
            true => try_avg_pool_ceil(x, options, count_include_pad),
            false => x.try_avg_pool(options, count_include_pad),
        }
    }
}

macro_rules! avg_pool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $rank:literal, $sizes:ty, $padding:ident,
        $along:literal, $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, "; the kernel size unless it is given.")]
            #[config(default = "kernel_size")]
            pub stride: $sizes,
            /// Zero padding added to both sides of each spatial dimension, at most half of the kernel size.
            #[config(default = $padding::Valid)]
            pub padding: $padding,
            /// Whether the zeros of the padding are part of the mean.
            #[config(default = true)]
            pub count_include_pad: bool,
            /// Whether the last window of a dimension may reach beyond the padded input: the output size is
            /// rounded up.
            #[config(default = false)]
            pub ceil_mode: bool,
            /// Divisor of the sum of a window in place of its number of elements.
            #[config(default = "None")]
            pub divisor_override: Option<usize>,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                let check = FieldCheck::of(stringify!($config));
                self.kernel_size.check(check, "kernel_size", 1)?;
                self.stride.check(check, "stride", 1)?;
                self.padding.check_of_pool(check, self.kernel_size.array::<$n>())?;
                let divides = self.divisor_override != Some(0);
                check.ensure(divides, "divisor_override", &self.divisor_override, "at least 1, or None")?;
                Ok($layer {
                    kernel_size: self.kernel_size,
                    stride: self.stride,
                    padding: Ignored(self.padding),
                    count_include_pad: self.count_include_pad,
                    ceil_mode: self.ceil_mode,
                    divisor_override: self.divisor_override,
                })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, ".")]
            pub stride: $sizes,
            /// Zero padding added to both sides of each spatial dimension.
            pub padding: Ignored<$padding>,
            /// Whether the zeros of the padding are part of the mean.
            pub count_include_pad: bool,
            /// Whether the last window of a dimension may reach beyond the padded input.
            pub ceil_mode: bool,
            /// Divisor of the sum of a window in place of its number of elements.
            pub divisor_override: Option<usize>,
        }

        #[fallible(layer)]
        impl $layer {
            #[doc = concat!("Applies the pooling: `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// The kernel is larger than the padded input.
            pub fn try_forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                let pooling = Pooling::<$n>::undilated($name, self.kernel_size, self.stride, self.ceil_mode);
                pooling.avg(x, self.padding.0, self.count_include_pad, self.divisor_override)
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                let content = content
                    .add_debug("kernel_size", &self.kernel_size)
                    .add_debug("stride", &self.stride)
                    .add_debug("padding", &self.padding.0)
                    .add("count_include_pad", &self.count_include_pad)
                    .add("ceil_mode", &self.ceil_mode);
                match self.divisor_override {
                    Some(divisor) => content.add("divisor_override", &divisor).optional(),
                    None => content.optional(),
                }
            }
        }
    };
}

avg_pool! {
    /// One-dimensional average pooling layer. PyTorch: `torch.nn.AvgPool1d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AvgPool1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AvgPool1dConfig::new(2).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0]]], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [2.5]);
    /// ```
    AvgPool1d, AvgPool1dConfig, "avg_pool1d", 1, 3, usize, PaddingConfig1d, "", "[batch, channels, length]",
    "[batch, channels, length_out]"
}

avg_pool! {
    /// Two-dimensional average pooling layer. PyTorch: `torch.nn.AvgPool2d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AvgPool2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AvgPool2dConfig::new([2, 2]).init();
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [2.5]);
    /// ```
    AvgPool2d, AvgPool2dConfig, "avg_pool2d", 2, 4, [usize; 2], PaddingConfig2d, ": height and width",
    "[batch, channels, height, width]", "[batch, channels, height_out, width_out]"
}

avg_pool! {
    /// Three-dimensional average pooling layer. PyTorch: `torch.nn.AvgPool3d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::AvgPool3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = AvgPool3dConfig::new([1, 2, 2]).with_ceil_mode(true).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pool.forward(x).dims(), [1, 2, 3, 2, 3]);
    /// ```
    AvgPool3d, AvgPool3dConfig, "avg_pool3d", 3, 5, [usize; 3], PaddingConfig3d, ": depth, height and width",
    "[batch, channels, depth, height, width]", "[batch, channels, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{AvgPool1dConfig, AvgPool2dConfig};
    use crate::{PaddingConfig1d, PaddingConfig2d};
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn avg_pool1d_counts_padding_or_not() {
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0]]], &Default::default());
        let run = |config: AvgPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = AvgPool1dConfig::new(2).with_stride(1);
        assert_eq!(run(config.clone()), [1.5, 4.0]);
        let same = config.clone().with_padding(PaddingConfig1d::Same);
        assert_eq!(run(same.clone()), [1.5, 4.0, 3.0]);
        assert_eq!(run(same.clone().with_count_include_pad(false)), [1.5, 4.0, 6.0]);
        assert_eq!(run(same.with_divisor_override(Some(4))), [0.75, 2.0, 1.5]);
        let explicit = config.with_padding(PaddingConfig1d::Explicit(1));
        assert_eq!(run(explicit.clone()), [0.5, 1.5, 4.0, 3.0]);
        assert_eq!(run(explicit.with_count_include_pad(false)), [1.0, 1.5, 4.0, 6.0]);
    }

    #[test]
    fn avg_pool1d_in_ceil_mode_does_not_count_what_is_beyond_the_padding() {
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0, 3.0]]], &Default::default());
        let run = |config: AvgPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = AvgPool1dConfig::new(3).with_stride(2).with_ceil_mode(true);
        assert_eq!(run(config.clone()), [3.0, 4.5]);
        assert_eq!(run(config.clone().with_divisor_override(Some(1))), [9.0, 9.0]);
        // Windows [0 1 2], [2 6 3], [3 0 beyond] of the padded input.
        let padded = config.clone().with_padding(PaddingConfig1d::Explicit(1));
        let y = run(padded.clone());
        assert!((y[1] - 11.0 / 3.0).abs() < 1e-6 && (y[0], y[2]) == (1.0, 1.5), "{y:?}");
        let y = run(padded.with_count_include_pad(false));
        assert!((y[1] - 11.0 / 3.0).abs() < 1e-6 && (y[0], y[2]) == (1.5, 3.0), "{y:?}");
        // Windows [0 1 2] and [2 6 3].
        let uneven = config.with_padding(PaddingConfig1d::Asymmetric(1, 0)).with_count_include_pad(false);
        let y = run(uneven);
        assert!((y[1] - 11.0 / 3.0).abs() < 1e-6 && (y[0], y.len()) == (1.5, 2), "{y:?}");
    }

    #[test]
    fn avg_pool1d_in_ceil_mode_has_no_window_in_the_padding_alone() {
        let x = Tensor::<NdArray, 3>::from_data([[[1.0, 2.0, 6.0, 4.0]]], &Default::default());
        let config = AvgPool1dConfig::new(2).with_ceil_mode(true).with_count_include_pad(false);
        for padding in [PaddingConfig1d::Valid, PaddingConfig1d::Asymmetric(0, 1)] {
            let y = config.clone().with_padding(padding).init().forward(x.clone());
            assert_eq!(y.into_data().to_f64(), [1.5, 5.0]);
        }
    }

    #[test]
    fn avg_pool2d_counts_uneven_padding_or_not() {
        let config = AvgPool2dConfig::new([2, 2]).with_stride([1, 1]).with_padding(PaddingConfig2d::Same);
        let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
        let y = config.init().forward(x.clone());
        assert_eq!(y.into_data().to_f64(), [2.5, 1.25, 1.75, 0.75]);
        let y = config.with_count_include_pad(false).init().forward(x);
        assert_eq!(y.into_data().to_f64(), [2.5, 2.5, 3.5, 3.0]);
    }

    #[test]
    fn avg_pool2d_prints_its_settings() {
        let config = AvgPool2dConfig::new([2, 1]).with_divisor_override(Some(3));
        let text = "AvgPool2d {kernel_size: [2, 1], stride: [2, 1], padding: Valid, count_include_pad: true, ceil_mode: \
                    false, divisor_override: 3}";
        assert_eq!(config.init().to_string(), text);
        let error = config.with_divisor_override(Some(0)).try_init().unwrap_err().to_string();
        let text = "AvgPool2dConfig: invalid `divisor_override`; expected at least 1, or None, got Some(0)";
        assert_eq!(error, text);
    }
}

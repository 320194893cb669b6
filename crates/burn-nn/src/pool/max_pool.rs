use super::pooling::{Pooled, Pooling};
use crate::display::one_line;
use crate::padding::{Padding, Sides, Windows};
use crate::spatial::{Sizes, check_windows};
use crate::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::module::{try_max_pool_ceil, try_max_pool_ceil_with_indices};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Int, Tensor, TensorError};
use burn_derive::fallible;

impl<const N: usize> Pooling<N> {
    #[track_caller]
    fn max<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        padding: impl Padding<N>,
    ) -> Result<Tensor<B, D>, TensorError> {
        let sides = self.sides(&x.dims(), padding)?;
        try_in_operation(self.layer, || {
            let Pooled { x, options, .. } = self.pooled(x, sides, f64::NEG_INFINITY)?;
            if self.ceil_mode { try_max_pool_ceil(x, options) } else { x.try_max_pool(options) }
        })
    }

    #[track_caller]
    fn max_with_indices<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        padding: impl Padding<N>,
    ) -> Result<(Tensor<B, D>, Tensor<B, D, Int>), TensorError> {
        let sides = self.sides(&x.dims(), padding)?;
        try_in_operation(self.layer, || {
            let Pooled { x, options, padded } = self.pooled(x, sides, f64::NEG_INFINITY)?;
            let (values, indices) = match self.ceil_mode {
                true => try_max_pool_ceil_with_indices(x, options)?,
                false => x.try_max_pool_with_indices(options)?,
            };
            let indices = match padded {
                Some((sizes, sides)) => unpadded(indices, sizes, sides)?,
                None => indices,
            };
            Ok((values, indices))
        })
    }
}

/// Flat indices of padded dimensions as those of the dimensions `sizes` before padding.
fn unpadded<B: Backend, const D: usize, const N: usize>(
    indices: Tensor<B, D, Int>,
    sizes: [usize; N],
    sides: Sides<N>,
) -> Result<Tensor<B, D, Int>, TensorError> {
    let (device, dims) = (indices.device(), indices.dims());
    let table = Tensor::<B, 1, Int>::arange(0..sizes.iter().product::<usize>() as i64, &device);
    let table: Tensor<B, N, Int> = table.try_reshape(sizes)?.try_pad(sides, 0)?;
    let (entries, count) = (table.shape().num_elements(), indices.shape().num_elements());
    let table: Tensor<B, 1, Int> = table.try_reshape([entries])?;
    table.select(0, indices.try_reshape([count])?).try_reshape(dims)
}

macro_rules! max_pool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $rank:literal, $sizes:ty, $padding:ident,
        $along:literal, $flat:literal, $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, "; the kernel size unless it is given.")]
            #[config(default = "kernel_size")]
            pub stride: $sizes,
            /// Padding added to both sides of each spatial dimension, at most half of the (dilated) kernel
            /// size; it is never the maximum.
            #[config(default = $padding::Valid)]
            pub padding: $padding,
            #[doc = concat!("Dilation (distance between the elements of a window)", $along, ".")]
            #[config(default = "Sizes::repeat(1)")]
            pub dilation: $sizes,
            /// Whether the last window of a dimension may reach beyond the padded input: the output size is
            /// rounded up.
            #[config(default = false)]
            pub ceil_mode: bool,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                let check = FieldCheck::of(stringify!($config));
                check_windows(check, self.kernel_size, self.stride, self.dilation)?;
                let (kernel, dilation): ([usize; $n], [usize; $n]) =
                    (self.kernel_size.array(), self.dilation.array());
                let reach = core::array::from_fn(|d| dilation[d].saturating_mul(kernel[d] - 1).saturating_add(1));
                self.padding.check_of_pool(check, reach)?;
                Ok($layer {
                    kernel_size: self.kernel_size,
                    stride: self.stride,
                    padding: Ignored(self.padding),
                    dilation: self.dilation,
                    ceil_mode: self.ceil_mode,
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
            /// Padding added to both sides of each spatial dimension.
            pub padding: Ignored<$padding>,
            #[doc = concat!("Dilation (distance between the elements of a window)", $along, ".")]
            pub dilation: $sizes,
            /// Whether the last window of a dimension may reach beyond the padded input.
            pub ceil_mode: bool,
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
                self.pooling().max(x, self.padding.0)
            }

            #[doc = concat!("Applies the pooling, and returns the index of each maximum in the ", $flat, " of the")]
            /// input too, as unpooling layers take them. PyTorch: `return_indices=True`.
            ///
            /// # Errors
            /// The kernel is larger than the padded input.
            pub fn try_forward_with_indices<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<(Tensor<B, $rank>, Tensor<B, $rank, Int>), TensorError> {
                self.pooling().max_with_indices(x, self.padding.0)
            }

            fn pooling(&self) -> Pooling<$n> {
                let windows = Windows {
                    kernel: self.kernel_size.array(),
                    stride: self.stride.array(),
                    dilation: self.dilation.array(),
                };
                Pooling { layer: $name, windows, ceil_mode: self.ceil_mode }
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                content
                    .add_debug("kernel_size", &self.kernel_size)
                    .add_debug("stride", &self.stride)
                    .add_debug("padding", &self.padding.0)
                    .add_debug("dilation", &self.dilation)
                    .add("ceil_mode", &self.ceil_mode)
                    .optional()
            }
        }
    };
}

max_pool! {
    /// One-dimensional max pooling layer. PyTorch: `torch.nn.MaxPool1d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::MaxPool1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = MaxPool1dConfig::new(2).with_stride(1).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0]]], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [4.0, 4.0]);
    /// ```
    MaxPool1d, MaxPool1dConfig, "max_pool1d", 1, 3, usize, PaddingConfig1d, "", "length",
    "[batch, channels, length]", "[batch, channels, length_out]"
}

max_pool! {
    /// Two-dimensional max pooling layer. PyTorch: `torch.nn.MaxPool2d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::MaxPool2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init();
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
    /// let (y, indices) = pool.forward_with_indices(x);
    /// assert_eq!((y.into_scalar(), indices.into_data().to_f64()), (4.0, vec![2.0]));
    /// ```
    MaxPool2d, MaxPool2dConfig, "max_pool2d", 2, 4, [usize; 2], PaddingConfig2d, ": height and width",
    "flattened height and width", "[batch, channels, height, width]",
    "[batch, channels, height_out, width_out]"
}

max_pool! {
    /// Three-dimensional max pooling layer. PyTorch: `torch.nn.MaxPool3d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::MaxPool3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = MaxPool3dConfig::new([1, 2, 2]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 6], &Default::default());
    /// assert_eq!(pool.forward(x).dims(), [1, 2, 3, 2, 3]);
    /// ```
    MaxPool3d, MaxPool3dConfig, "max_pool3d", 3, 5, [usize; 3], PaddingConfig3d, ": depth, height and width",
    "flattened depth, height and width", "[batch, channels, depth, height, width]",
    "[batch, channels, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{MaxPool1dConfig, MaxPool2dConfig};
    use crate::{PaddingConfig1d, PaddingConfig2d};
    use alloc::string::ToString;
    use burn_core::config::Config;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn max_pool1d_takes_the_maximum_of_each_window() {
        let x = Tensor::<NdArray, 3>::from_data([[[-1.0, -2.0, -5.0, -3.0, -4.0]]], &Default::default());
        let run = |config: MaxPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = MaxPool1dConfig::new(2);
        assert_eq!(run(config.clone()), [-1.0, -3.0]);
        assert_eq!(run(config.clone().with_ceil_mode(true)), [-1.0, -3.0, -4.0]);
        assert_eq!(run(config.clone().with_stride(1).with_dilation(2)), [-1.0, -2.0, -4.0]);
        assert_eq!(
            run(config.with_stride(1).with_padding(PaddingConfig1d::Same)),
            [-1.0, -2.0, -3.0, -3.0, -4.0]
        );
    }

    #[test]
    fn max_pool2d_stride_is_the_kernel_size_unless_given() {
        let config = MaxPool2dConfig::new([2, 3]);
        assert_eq!(config.stride, [2, 3]);
        let read = MaxPool2dConfig::from_json(r#"{"kernel_size": [3, 2]}"#).unwrap();
        assert_eq!(read.stride, [3, 2]);
        let pool = config.with_stride([1, 1]).init();
        let text = "MaxPool2d {kernel_size: [2, 3], stride: [1, 1], padding: Valid, dilation: [1, 1], ceil_mode: false}";
        assert_eq!(pool.to_string(), text);
    }

    #[test]
    fn max_pool2d_indices_are_those_of_the_unpadded_input() {
        let x = Tensor::<NdArray, 4>::from_data([[[[-1.0, -2.0], [-4.0, -3.0]]]], &Default::default());
        let run = |padding| {
            let pool = MaxPool2dConfig::new([2, 2]).with_stride([1, 1]).with_padding(padding).init();
            let (values, indices) = pool.forward_with_indices(x.clone());
            assert_eq!(pool.forward(x.clone()).into_data(), values.to_data());
            (values.into_data().to_f64(), indices.into_data().to_f64())
        };
        let (values, indices) = run(PaddingConfig2d::Same);
        assert_eq!(values, [-1.0, -2.0, -3.0, -3.0]);
        assert_eq!(indices, [0.0, 1.0, 3.0, 3.0]);
        let (values, indices) = run(PaddingConfig2d::Asymmetric((1, 0), (1, 0)));
        assert_eq!(values, [-1.0, -1.0, -1.0, -1.0]);
        assert_eq!(indices, [0.0; 4]);
    }

    #[test]
    fn max_pool2d_refuses_padding_beyond_half_of_the_kernel() {
        let config = MaxPool2dConfig::new([2, 3]).with_padding(PaddingConfig2d::Explicit(1, 2));
        assert_eq!(
            config.try_init().unwrap_err().to_string(),
            "MaxPool2dConfig: invalid `padding`; expected at most half of the kernel size at each side, got \
             Explicit(1, 2)"
        );
    }
}

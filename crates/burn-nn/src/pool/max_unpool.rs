use crate::display::one_line;
use crate::spatial::{Sizes, spatial, value_or_raise};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::{max_unpool, try_max_unpool};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Int, Tensor, TensorError};
use burn_derive::fallible;

/// Sizes of the pooling that is inverted.
struct Unpooling<const N: usize> {
    layer: &'static str,
    kernel: [usize; N],
    stride: [usize; N],
    padding: [usize; N],
}

impl<const N: usize> Unpooling<N> {
    /// The smallest input of the pooling with an output of the sizes `pooled`.
    #[track_caller]
    fn output_size(&self, pooled: [usize; N]) -> Result<[usize; N], TensorError> {
        let size = |d: usize| {
            let spread = pooled[d].checked_sub(1)?.checked_mul(self.stride[d])?;
            spread.checked_add(self.kernel[d])?.checked_sub(self.padding[d].checked_mul(2)?)
        };
        let sizes: [Option<usize>; N] = core::array::from_fn(size);
        if sizes.iter().all(Option::is_some) {
            return Ok(sizes.map(Option::unwrap_or_default));
        }
        let message = format_args!("the input {pooled:?} has no element, or its output is too large");
        Err(TensorError::argument(self.layer, message))
    }

    /// Fails unless the pooling takes an input of the sizes `output` to one of `pooled`, up to one stride.
    #[track_caller]
    fn check(&self, pooled: [usize; N], output: [usize; N]) -> Result<(), TensorError> {
        let size = self.output_size(pooled)?;
        let near = (0..N).all(|d| {
            output[d].saturating_add(self.stride[d]) > size[d]
                && output[d] < size[d].saturating_add(self.stride[d])
        });
        if near {
            return Ok(());
        }
        let stride = self.stride;
        let message = format_args!(
            "impossible output size for the input {pooled:?}; expected less than the stride {stride:?} away from \
             {size:?}, got {output:?}"
        );
        Err(TensorError::argument(self.layer, message))
    }
}

macro_rules! max_unpool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $rank:literal, $sizes:ty, $along:literal,
        $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!("Kernel size of the pooling", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride of the pooling", $along, "; the kernel size unless it is given.")]
            #[config(default = "kernel_size")]
            pub stride: $sizes,
            #[doc = concat!("Padding of the pooling", $along, ".")]
            #[config(default = "Sizes::repeat(0)")]
            pub padding: $sizes,
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
                let (kernel, padding): ([usize; $n], [usize; $n]) =
                    (self.kernel_size.array(), self.padding.array());
                let fits = (0..$n).all(|d| padding[d] <= kernel[d] / 2);
                check.ensure(fits, "padding", &self.padding, "at most half of the kernel size")?;
                Ok($layer { kernel_size: self.kernel_size, stride: self.stride, padding: self.padding })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = concat!("Kernel size of the pooling", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride of the pooling", $along, ".")]
            pub stride: $sizes,
            #[doc = concat!("Padding of the pooling", $along, ".")]
            pub padding: $sizes,
        }

        impl $layer {
            #[doc = concat!("Applies the unpooling: `", $from, "` and indices of the same shape to `", $to, "`,")]
            /// where each size is `(size - 1) stride - 2 padding + kernel_size`.
            ///
            /// # Panics
            /// The shapes of input and indices differ, or an index is beyond the output; see
            /// [`max_unpool`](burn_core::tensor::module::max_unpool).
            #[track_caller]
            pub fn forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
                indices: Tensor<B, $rank, Int>,
            ) -> Tensor<B, $rank> {
                let size = value_or_raise(self.sizes().output_size(spatial(&x.dims())));
                let unpool = || Ok(max_unpool::<B, $rank, $n>(x, indices, size));
                value_or_raise(try_in_operation($name, unpool))
            }

            /// [`forward`](Self::forward), and what is wrong as a value; reads the indices.
            ///
            /// # Errors
            /// The shapes of input and indices differ, or an index is beyond the output.
            #[track_caller]
            pub fn try_forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
                indices: Tensor<B, $rank, Int>,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                let size = self.sizes().output_size(spatial(&x.dims()))?;
                try_in_operation($name, || try_max_unpool::<B, $rank, $n>(x, indices, size))
            }

            /// Applies the unpooling to an output of `output_size`, for inputs of the pooling whose end no
            /// window covered. PyTorch: `forward(x, indices, output_size=..)`.
            ///
            /// # Panics
            /// As [`forward`](Self::forward), and when the pooling takes no input of `output_size` to the
            /// size of `x`.
            #[track_caller]
            pub fn forward_with_size<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
                indices: Tensor<B, $rank, Int>,
                output_size: $sizes,
            ) -> Tensor<B, $rank> {
                value_or_raise(self.sizes().check(spatial(&x.dims()), output_size.array()));
                let unpool = || Ok(max_unpool::<B, $rank, $n>(x, indices, output_size.array()));
                value_or_raise(try_in_operation($name, unpool))
            }

            /// [`forward_with_size`](Self::forward_with_size), and what is wrong as a value; reads the
            /// indices.
            ///
            /// # Errors
            /// When [`forward_with_size`](Self::forward_with_size) panics.
            #[track_caller]
            pub fn try_forward_with_size<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
                indices: Tensor<B, $rank, Int>,
                output_size: $sizes,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                self.sizes().check(spatial(&x.dims()), output_size.array())?;
                try_in_operation($name, || {
                    try_max_unpool::<B, $rank, $n>(x, indices, output_size.array())
                })
            }

            fn sizes(&self) -> Unpooling<$n> {
                Unpooling {
                    layer: $name,
                    kernel: self.kernel_size.array(),
                    stride: self.stride.array(),
                    padding: self.padding.array(),
                }
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
        }
    };
}

max_unpool! {
    /// One-dimensional max unpooling layer: writes the maxima of [`MaxPool1d`](super::MaxPool1d) back to
    /// their indices, and zeros elsewhere. PyTorch: `torch.nn.MaxUnpool1d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::{MaxPool1dConfig, MaxUnpool1dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0, 2.0]]], &Default::default());
    /// let (maxima, indices) = MaxPool1dConfig::new(2).init().forward_with_indices(x);
    /// let y = MaxUnpool1dConfig::new(2).init().forward(maxima, indices);
    /// assert_eq!(y.into_data().to_f64(), [0.0, 4.0, 3.0, 0.0]);
    /// ```
    MaxUnpool1d, MaxUnpool1dConfig, "max_unpool1d", 1, 3, usize, "", "[batch, channels, length]",
    "[batch, channels, length_out]"
}

max_unpool! {
    /// Two-dimensional max unpooling layer: writes the maxima of [`MaxPool2d`](super::MaxPool2d) back to
    /// their indices, and zeros elsewhere. PyTorch: `torch.nn.MaxUnpool2d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::{MaxPool2dConfig, MaxUnpool2dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0, 5.0], [4.0, 3.0, 6.0]]]], &Default::default());
    /// let (maxima, indices) = MaxPool2dConfig::new([2, 2]).init().forward_with_indices(x);
    /// // No window covered the last column.
    /// let y = MaxUnpool2dConfig::new([2, 2]).init().forward_with_size(maxima, indices, [2, 3]);
    /// assert_eq!(y.into_data().to_f64(), [0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    /// ```
    MaxUnpool2d, MaxUnpool2dConfig, "max_unpool2d", 2, 4, [usize; 2], ": height and width",
    "[batch, channels, height, width]", "[batch, channels, height_out, width_out]"
}

max_unpool! {
    /// Three-dimensional max unpooling layer: writes the maxima of [`MaxPool3d`](super::MaxPool3d) back to
    /// their indices, and zeros elsewhere. PyTorch: `torch.nn.MaxUnpool3d`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::{MaxPool3dConfig, MaxUnpool3dConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let x = Tensor::<NdArray, 5>::from_data([[[[[1.0, 2.0], [4.0, 3.0]]]]], &Default::default());
    /// let (maxima, indices) = MaxPool3dConfig::new([1, 2, 2]).init().forward_with_indices(x);
    /// let y = MaxUnpool3dConfig::new([1, 2, 2]).init().forward(maxima, indices);
    /// assert_eq!(y.into_data().to_f64(), [0.0, 0.0, 4.0, 0.0]);
    /// ```
    MaxUnpool3d, MaxUnpool3dConfig, "max_unpool3d", 3, 5, [usize; 3], ": depth, height and width",
    "[batch, channels, depth, height, width]", "[batch, channels, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{MaxUnpool1dConfig, MaxUnpool2dConfig};
    use alloc::string::ToString;
    use burn_core::tensor::{Int, Tensor};
    use burn_ndarray::NdArray;

    #[test]
    fn max_unpool1d_refuses_indices_and_sizes_that_do_not_fit() {
        let device = Default::default();
        let pool = MaxUnpool1dConfig::new(2).init();
        let x = Tensor::<NdArray, 3>::ones([1, 1, 2], &device);
        let refused = |indices: [i64; 2], size: usize, text: &str| {
            let indices = Tensor::<NdArray, 3, Int>::from_data([[indices]], &device);
            let error = pool.try_forward_with_size(x.clone(), indices, size).unwrap_err().to_string();
            assert!(error.starts_with(text), "{error}");
        };
        refused([0, 4], 4, "max_unpool1d: index 4 is out of range");
        let text = "max_unpool1d: impossible output size for the input [2]; expected less than the stride [2] away \
                    from [4], got ";
        refused([0, 2], 2, text);
        refused([0, 2], 6, text);
    }

    #[test]
    fn max_unpool2d_of_equal_indices_writes_one_element() {
        let device = Default::default();
        let pool = MaxUnpool2dConfig::new([2, 2]).with_stride([1, 1]).init();
        let x = Tensor::<NdArray, 4>::from_data([[[[5.0, 5.0]]]], &device);
        let indices = Tensor::<NdArray, 4, Int>::from_data([[[[1, 1]]]], &device);
        assert_eq!(pool.forward(x, indices).into_data().to_f64(), [0.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
    }
}

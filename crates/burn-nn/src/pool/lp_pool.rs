use super::pooling::{Pooled, Pooling};
use crate::display::one_line;
use crate::half_precision::{is_half, widened};
use crate::spatial::{Sizes, spatial};
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::module::try_lp_pool;
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

impl<const N: usize> Pooling<N> {
    #[track_caller]
    fn lp<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        norm_type: f64,
    ) -> Result<Tensor<B, D>, TensorError> {
        let sides = [(0, 0); N];
        self.windows.check(self.layer, spatial(&x.dims()), &sides)?;
        try_in_operation(self.layer, || {
            let Pooled { x, options, .. } = self.pooled(x, sides, 0.0)?;
            let dtype = x.dtype();
            let y = try_lp_pool(widened(x), norm_type, options, self.ceil_mode)?;
            Ok(if is_half(dtype) { y.cast(dtype) } else { y })
        })
    }
}

macro_rules! lp_pool {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $name:literal, $n:literal, $rank:literal, $sizes:ty, $along:literal,
        $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            /// Exponent `p` of the norm.
            pub norm_type: f64,
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, "; the kernel size unless it is given.")]
            #[config(default = "kernel_size")]
            pub stride: $sizes,
            /// Whether the last window of a dimension may reach beyond the input: the output size is rounded
            /// up.
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
                check.positive("norm_type", self.norm_type)?;
                self.kernel_size.check(check, "kernel_size", 1)?;
                self.stride.check(check, "stride", 1)?;
                Ok($layer {
                    norm_type: self.norm_type,
                    kernel_size: self.kernel_size,
                    stride: self.stride,
                    ceil_mode: self.ceil_mode,
                })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            /// Exponent `p` of the norm.
            pub norm_type: f64,
            #[doc = concat!("Kernel size", $along, ".")]
            pub kernel_size: $sizes,
            #[doc = concat!("Stride", $along, ".")]
            pub stride: $sizes,
            /// Whether the last window of a dimension may reach beyond the input.
            pub ceil_mode: bool,
        }

        #[fallible(layer)]
        impl $layer {
            #[doc = concat!("Applies the pooling: `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// The kernel is larger than the input.
            pub fn try_forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                let pooling = Pooling::<$n>::undilated($name, self.kernel_size, self.stride, self.ceil_mode);
                pooling.lp(x, self.norm_type)
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
        }
    };
}

lp_pool! {
    /// One-dimensional power-average pooling layer: `(sum over the window of x^p)^(1/p)` with `p =
    /// norm_type`. PyTorch: `torch.nn.LPPool1d`.
    ///
    /// In ceil mode, the sum over a window that reaches beyond the input is scaled up to a whole window, as
    /// PyTorch does.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::LpPool1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = LpPool1dConfig::new(2.0, 2).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[3.0, -4.0, 1.0]]], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [5.0]);
    /// assert_eq!(pool.to_string(), "LpPool1d {norm_type: 2, kernel_size: 2, stride: 2, ceil_mode: false}");
    /// ```
    LpPool1d, LpPool1dConfig, "lp_pool1d", 1, 3, usize, "", "[batch, channels, length]",
    "[batch, channels, length_out]"
}

lp_pool! {
    /// Two-dimensional power-average pooling layer: `(sum over the window of x^p)^(1/p)` with `p =
    /// norm_type`. PyTorch: `torch.nn.LPPool2d`.
    ///
    /// In ceil mode, the sum over a window that reaches beyond the input is scaled up to a whole window, as
    /// PyTorch does.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::LpPool2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = LpPool2dConfig::new(1.0, [2, 2]).init();
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [4.0, 3.0]]]], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [10.0]);
    /// ```
    LpPool2d, LpPool2dConfig, "lp_pool2d", 2, 4, [usize; 2], ": height and width",
    "[batch, channels, height, width]", "[batch, channels, height_out, width_out]"
}

lp_pool! {
    /// Three-dimensional power-average pooling layer: `(sum over the window of x^p)^(1/p)` with `p =
    /// norm_type`. PyTorch: `torch.nn.LPPool3d`.
    ///
    /// In ceil mode, the sum over a window that reaches beyond the input is scaled up to a whole window, as
    /// PyTorch does.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::pool::LpPool3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pool = LpPool3dConfig::new(2.0, [1, 2, 2]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 1, 1, 2, 2], &Default::default());
    /// assert_eq!(pool.forward(x).into_data().to_f64(), [2.0]);
    /// ```
    LpPool3d, LpPool3dConfig, "lp_pool3d", 3, 5, [usize; 3], ": depth, height and width",
    "[batch, channels, depth, height, width]", "[batch, channels, depth_out, height_out, width_out]"
}

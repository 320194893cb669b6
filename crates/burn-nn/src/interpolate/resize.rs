use crate::display::one_line;
use crate::spatial::Sizes;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::module::{self, InterpolateMode, InterpolateOptions, InterpolateTo};
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// A scale factor per spatial dimension as configs have it: a number of layers over one dimension, a list of
/// others.
pub trait Scales: Copy {
    fn array<const N: usize>(self) -> [f64; N];
}

impl Scales for f64 {
    fn array<const N: usize>(self) -> [f64; N] {
        [self; N]
    }
}

impl<const M: usize> Scales for [f64; M] {
    fn array<const N: usize>(self) -> [f64; N] {
        core::array::from_fn(|d| self[d])
    }
}

/// Options of a config, over `N` dimensions.
pub struct Asked<'a> {
    pub output_size: Option<&'a [usize]>,
    pub scale_factor: Option<&'a [f64]>,
    pub mode: InterpolateMode,
    pub align_corners: bool,
}

impl Asked<'_> {
    /// Refuses neither or both of size and scale, sizes of 0, and corners that the mode does not know.
    pub fn check(&self, check: FieldCheck) -> Result<(), ConfigError> {
        let (size, scale) = (self.output_size, self.scale_factor);
        let given = size.is_some() || scale.is_some();
        check.ensure(given, "output_size", &size, "a size, or a scale_factor in its place")?;
        check.ensure(
            size.is_none() || scale.is_none(),
            "scale_factor",
            &scale,
            "None beside an output_size",
        )?;
        check.all_at_least("output_size", size.unwrap_or_default(), 1)?;
        let positive = scale.unwrap_or_default().iter().all(|&scale| scale.is_finite() && scale > 0.0);
        check.ensure(positive, "scale_factor", &scale, "finite numbers above 0")?;
        let knows_corners = match self.mode {
            InterpolateMode::Nearest | InterpolateMode::NearestExact => false,
            InterpolateMode::Linear | InterpolateMode::Cubic | InterpolateMode::Lanczos => true,
        };
        let fits = !self.align_corners || knows_corners;
        check.ensure(fits, "align_corners", &self.align_corners, "false with the nearest modes")
    }
}

/// Returns the size to interpolate `input` to; with `recomputed`, scale factors only give the size.
pub fn target<const N: usize>(
    size: Option<[usize; N]>,
    scale: Option<[f64; N]>,
    recomputed: bool,
    input: [usize; N],
) -> InterpolateTo<N> {
    match (size, scale) {
        (Some(size), _) => InterpolateTo::Size(size),
        (None, Some(scale)) if recomputed => {
            InterpolateTo::Size(core::array::from_fn(|d| (input[d] as f64 * scale[d]) as usize))
        }
        (None, Some(scale)) => InterpolateTo::Scale(scale),
        (None, None) => InterpolateTo::Size(input),
    }
}

macro_rules! interpolate {
    (
        $(#[$docs:meta])*
        $layer:ident, $config:ident, $function:ident, $n:literal, $rank:literal, $sizes:ty, $scales:ty, $size:literal,
        $from:literal, $to:literal
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`]: an output size, or a scale factor.")]
        #[derive(Config, Debug)]
        pub struct $config {
            #[doc = concat!($size, " of the output.")]
            #[config(default = "None")]
            pub output_size: Option<$sizes>,
            /// Factor that the sizes of the input are multiplied by and rounded down.
            #[config(default = "None")]
            pub scale_factor: Option<$scales>,
            /// Interpolation mode.
            #[config(default = "InterpolateMode::Nearest")]
            pub mode: InterpolateMode,
            /// Whether the centres of the corner elements of input and output coincide; otherwise their outer
            /// edges do.
            #[config(default = false)]
            pub align_corners: bool,
            /// Whether the scale factor only gives the output size, and positions are computed from the
            /// sizes.
            #[config(default = false)]
            pub recompute_scale_factor: bool,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                let size: Option<[usize; $n]> = self.output_size.map(Sizes::array);
                let scale: Option<[f64; $n]> = self.scale_factor.map(Scales::array);
                let asked = Asked {
                    output_size: size.as_ref().map(<[usize; $n]>::as_slice),
                    scale_factor: scale.as_ref().map(<[f64; $n]>::as_slice),
                    mode: self.mode,
                    align_corners: self.align_corners,
                };
                asked.check(FieldCheck::of(stringify!($config)))?;
                Ok($layer {
                    output_size: self.output_size,
                    scale_factor: self.scale_factor,
                    mode: Ignored(self.mode),
                    align_corners: self.align_corners,
                    recompute_scale_factor: self.recompute_scale_factor,
                })
            }
        }

        $(#[$docs])*
        #[derive(Module, Clone, Debug)]
        #[module(custom_display)]
        pub struct $layer {
            #[doc = concat!($size, " of the output.")]
            pub output_size: Option<$sizes>,
            /// Factor that the sizes of the input are multiplied by and rounded down.
            pub scale_factor: Option<$scales>,
            /// Interpolation mode.
            pub mode: Ignored<InterpolateMode>,
            /// Whether the centres of the corner elements of input and output coincide.
            pub align_corners: bool,
            /// Whether the scale factor only gives the output size.
            pub recompute_scale_factor: bool,
        }

        #[fallible(layer)]
        impl $layer {
            #[doc = concat!("Resizes `", $from, "` to `", $to, "`.")]
            ///
            /// # Errors
            /// A spatial dimension of the input or of the output has no element.
            pub fn try_forward<B: Backend>(
                &self,
                x: Tensor<B, $rank>,
            ) -> Result<Tensor<B, $rank>, TensorError> {
                let (size, scale) = (self.output_size.map(Sizes::array), self.scale_factor.map(Scales::array));
                let input: [usize; $n] = crate::spatial::spatial(&x.dims());
                let to = target(size, scale, self.recompute_scale_factor, input);
                let options = InterpolateOptions { mode: self.mode.0, align_corners: self.align_corners };
                module::$function(x, to, options)
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                content
                    .add_debug("output_size", &self.output_size)
                    .add_debug("scale_factor", &self.scale_factor)
                    .add_debug("mode", &self.mode.0)
                    .add("align_corners", &self.align_corners)
                    .optional()
            }
        }
    };
}

interpolate! {
    /// One-dimensional interpolation layer: resizes `[batch, channels, length]`. PyTorch:
    /// `torch.nn.functional.interpolate` as a layer, with `mode` `"nearest"`, `"nearest-exact"` or
    /// `"linear"`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::interpolate::{Interpolate1dConfig, InterpolateMode};
    /// use burn::tensor::Tensor;
    ///
    /// let config = Interpolate1dConfig::new().with_output_size(Some(5)).with_mode(InterpolateMode::Linear);
    /// let layer = config.with_align_corners(true).init();
    /// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 3.0, 4.0]]], &Default::default());
    /// assert_eq!(layer.forward(x).into_data().to_f64(), [1.0, 2.0, 3.0, 3.5, 4.0]);
    /// ```
    #[doc(alias = "interpolate")]
    Interpolate1d, Interpolate1dConfig, try_interpolate1d, 1, 3, usize, f64, "Length", "[batch, channels, length]",
    "[batch, channels, length_out]"
}

interpolate! {
    /// Two-dimensional interpolation layer: resizes `[batch, channels, height, width]`. PyTorch:
    /// `torch.nn.functional.interpolate` as a layer, with `mode` `"nearest"`, `"nearest-exact"`, `"bilinear"`
    /// or `"bicubic"`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::interpolate::Interpolate2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let layer = Interpolate2dConfig::new().with_scale_factor(Some([2.0, 1.0])).init();
    /// let x = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [3.0, 4.0]]]], &Default::default());
    /// assert_eq!(layer.forward(x).into_data().to_f64(), [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
    /// ```
    #[doc(alias = "interpolate")]
    Interpolate2d, Interpolate2dConfig, try_interpolate2d, 2, 4, [usize; 2], [f64; 2], "Height and width",
    "[batch, channels, height, width]", "[batch, channels, height_out, width_out]"
}

interpolate! {
    /// Three-dimensional interpolation layer: resizes `[batch, channels, depth, height, width]`. PyTorch:
    /// `torch.nn.functional.interpolate` as a layer, with `mode` `"nearest"`, `"nearest-exact"` or
    /// `"trilinear"`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::interpolate::Interpolate3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let layer = Interpolate3dConfig::new().with_output_size(Some([4, 6, 8])).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(layer.forward(x).dims(), [1, 2, 4, 6, 8]);
    /// ```
    #[doc(alias = "interpolate")]
    Interpolate3d, Interpolate3dConfig, try_interpolate3d, 3, 5, [usize; 3], [f64; 3], "Depth, height and width",
    "[batch, channels, depth, height, width]", "[batch, channels, depth_out, height_out, width_out]"
}

#[cfg(test)]
mod tests {
    use super::{Interpolate1dConfig, Interpolate2dConfig};
    use crate::interpolate::InterpolateMode;
    use alloc::string::ToString;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn interpolate2d_refuses_sizes_and_corners_without_a_meaning() {
        let config = Interpolate2dConfig::new();
        let refused = |config: &Interpolate2dConfig, text: &str| {
            let error = config.try_init().unwrap_err().to_string();
            assert_eq!(error, ["Interpolate2dConfig: invalid ", text].concat());
        };
        refused(&config, "`output_size`; expected a size, or a scale_factor in its place, got None");
        let both = config.clone().with_output_size(Some([2, 2])).with_scale_factor(Some([1.0, 1.0]));
        refused(&both, "`scale_factor`; expected None beside an output_size, got Some([1.0, 1.0])");
        let zero = config.clone().with_output_size(Some([2, 0]));
        refused(&zero, "`output_size`; expected at least 1 in every dimension, got [2, 0]");
        let negative = config.clone().with_scale_factor(Some([2.0, -1.0]));
        refused(&negative, "`scale_factor`; expected finite numbers above 0, got Some([2.0, -1.0])");
        let nearest = config.with_output_size(Some([2, 2])).with_align_corners(true);
        refused(&nearest, "`align_corners`; expected false with the nearest modes, got true");
    }

    #[test]
    fn interpolate1d_recomputes_its_scale_or_not() {
        let x = Tensor::<NdArray, 3>::from_data([[[0.0, 1.0, 2.0]]], &Default::default());
        let config =
            Interpolate1dConfig::new().with_scale_factor(Some(1.5)).with_mode(InterpolateMode::Linear);
        let run = |config: Interpolate1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        // Positions (i + 1/2) / scale - 1/2 with the scale 3/2, and 4/3 of the sizes.
        let close = |found: &[f64], expected: [f64; 4]| {
            let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6);
            assert!(near, "{found:?} {expected:?}");
        };
        close(&run(config.clone()), [0.0, 0.5, 1.0 + 1.0 / 6.0, 1.0 + 5.0 / 6.0]);
        close(&run(config.with_recompute_scale_factor(true)), [0.0, 0.625, 1.375, 2.0]);
    }

    #[test]
    fn interpolate1d_prints_its_settings() {
        let layer = Interpolate1dConfig::new().with_output_size(Some(5)).init();
        let text =
            "Interpolate1d {output_size: Some(5), scale_factor: None, mode: Nearest, align_corners: false}";
        assert_eq!(layer.to_string(), text);
    }
}

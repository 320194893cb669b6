//! Dropout of whole channels, for feature maps whose neighbours are alike.

use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{AutodiffModule, Content, DisplaySettings, Module, ModuleDisplay, Training};
use burn_core::tensor::{AutodiffBackend, Backend, Distribution, Tensor};
use burn_derive::fallible;

/// Multiplies each channel of `[batch, channels, ..]` by 0 with probability `prob`, and by `1 / (1 - prob)`
/// otherwise.
fn drop_channels<B: Backend, const D: usize>(x: Tensor<B, D>, prob: f64, training: Training) -> Tensor<B, D> {
    if prob == 0.0 || !training.is_on::<B>(&x.device()) {
        return x;
    }
    let keep = 1.0 - prob;
    let scale = if keep > 0.0 { 1.0 / keep } else { 0.0 };
    let mut dims = x.dims();
    dims.iter_mut().skip(2).for_each(|size| *size = 1);
    let mask = Tensor::random(dims, Distribution::Bernoulli(keep), (&x.device(), x.dtype())) * scale;
    x * mask
}

macro_rules! feature_dropouts {
    ($($layer:ident $config:ident $rank:literal $shape:literal $torch:literal;)*) => {$(
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            /// Dropout probability of a channel, in `[0, 1]`.
            pub prob: f64,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init(&self) -> Result<$layer, ConfigError> {
                FieldCheck::of(stringify!($config)).probability("prob", self.prob)?;
                Ok($layer { prob: self.prob, training: Training::default() })
            }
        }

        #[doc = concat!("Dropout of channels of `", $shape, "`: sets all of a channel to 0 with probability `prob` and")]
        /// scales the others by `1 / (1 - prob)` (Tompson et al. 2015). PyTorch:
        #[doc = concat!("`torch.nn.", $torch, "`.")]
        ///
        /// Active on a backend that tracks gradients. On any other, and in `module.valid()`, it is the
        /// identity.
        #[derive(Module, Clone, Copy, Debug)]
        #[module(custom_display, custom_valid)]
        pub struct $layer {
            /// Dropout probability of a channel.
            pub prob: f64,
            /// Whether the layer is in training mode; [`valid`](AutodiffModule::valid) switches to evaluation
            /// mode.
            pub training: Training,
        }

        impl $layer {
            #[doc = concat!("Applies the layer to `", $shape, "`; the shape is unchanged.")]
            pub fn forward<B: Backend>(&self, x: Tensor<B, $rank>) -> Tensor<B, $rank> {
                drop_channels(x, self.prob, self.training)
            }
        }

        /// Evaluation mode holds from then on, also where the inner backend tracks gradients.
        impl<B: AutodiffBackend> AutodiffModule<B> for $layer {
            type InnerModule = Self;

            fn valid(&self) -> Self {
                $layer { training: Training::OFF, ..*self }
            }
        }

        impl ModuleDisplay for $layer {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                content.add("prob", &self.prob).optional()
            }
        }
    )*};
}

feature_dropouts! {
    Dropout1d Dropout1dConfig 3 "[batch, channels, length]" "Dropout1d";
    Dropout2d Dropout2dConfig 4 "[batch, channels, height, width]" "Dropout2d";
    Dropout3d Dropout3dConfig 5 "[batch, channels, depth, height, width]" "Dropout3d";
}

#[cfg(test)]
mod tests {
    use super::{Dropout1dConfig, Dropout2dConfig, Dropout3dConfig};
    use burn_autodiff::Autodiff;
    use burn_core::module::AutodiffModule;
    use burn_core::tensor::{Backend, Tensor};
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    fn channels_are_whole(values: &[f64], size: usize) {
        assert!(values.chunks(size).all(|channel| channel.iter().all(|value| *value == channel[0])));
        assert!(values.iter().all(|value| *value == 0.0 || *value == 4.0));
        let dropped = values.iter().filter(|value| **value == 0.0).count() as f64 / values.len() as f64;
        // Five standard deviations of the share of 400 channels.
        assert!((dropped - 0.75).abs() < 5.0 * f64::sqrt(0.75 * 0.25 / 400.0), "{dropped}");
    }

    #[test]
    fn feature_dropouts_drop_whole_channels_and_scale_the_others() {
        B::seed(8);
        let device = Default::default();
        let x = Tensor::<B, 3>::ones([20, 20, 6], &device);
        channels_are_whole(&Dropout1dConfig::new(0.75).init().forward(x).into_data().to_f64(), 6);
        let x = Tensor::<B, 4>::ones([20, 20, 2, 3], &device);
        channels_are_whole(&Dropout2dConfig::new(0.75).init().forward(x).into_data().to_f64(), 6);
        let x = Tensor::<B, 5>::ones([20, 20, 1, 2, 3], &device);
        let dropout = Dropout3dConfig::new(0.75).init();
        channels_are_whole(&dropout.forward(x.clone()).into_data().to_f64(), 6);
        let valid = AutodiffModule::<B>::valid(&dropout);
        assert_eq!(valid.forward(x.clone().inner()).into_data(), x.into_data());
    }
}

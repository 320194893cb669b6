use crate::PaddingConfig1d;
use crate::display::one_line;
use crate::padding::{Padding, Windows};
use burn_core::config::Config;
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, module};

/// Options of [`MaxPool1d`].
#[derive(Config, Debug)]
pub struct MaxPool1dConfig {
    /// Length of the windows.
    pub kernel_size: usize,
    /// How far the windows move. Unless it is given, they touch each other.
    #[config(default = "kernel_size")]
    pub stride: usize,
    /// What is around the input; it never is the largest.
    #[config(default = "PaddingConfig1d::Valid")]
    pub padding: PaddingConfig1d,
    /// The distance of what a window reads.
    #[config(default = 1)]
    pub dilation: usize,
}

impl MaxPool1dConfig {
    /// The layer.
    pub fn init(&self) -> MaxPool1d {
        MaxPool1d {
            kernel_size: self.kernel_size,
            stride: self.stride,
            padding: Ignored(self.padding),
            dilation: self.dilation,
        }
    }
}

/// The largest element of each window. PyTorch: `torch.nn.MaxPool1d`.
///
/// ```
/// use burn_core::tensor::Tensor;
/// use burn_ndarray::NdArray;
/// use burn_nn::pool::MaxPool1dConfig;
///
/// let pool = MaxPool1dConfig::new(2).with_stride(1).init();
/// let x = Tensor::<NdArray, 3>::from_data([[[1.0, 4.0, 3.0]]], &Default::default());
/// assert_eq!(pool.forward(x).into_data().to_f64(), [4.0, 4.0]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct MaxPool1d {
    pub kernel_size: usize,
    pub stride: usize,
    pub padding: Ignored<PaddingConfig1d>,
    pub dilation: usize,
}

impl MaxPool1d {
    /// `[batch, channels, length]` to `[batch, channels, length_out]`.
    ///
    /// # Panics
    /// The windows are larger than the padded input.
    #[track_caller]
    pub fn forward<B: Backend>(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [_, _, length] = x.dims();
        let windows =
            Windows { kernel: [self.kernel_size], stride: [self.stride], dilation: [self.dilation] };
        let (x, padding) = match self.padding.of([length], &windows) {
            Padding::Even([padding]) => (x, padding),
            Padding::Uneven(pairs) => (x.pad(pairs, f64::NEG_INFINITY), 0),
        };
        module::max_pool1d(x, self.kernel_size, self.stride, padding, self.dilation)
    }
}

impl ModuleDisplay for MaxPool1d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add("kernel_size", &self.kernel_size)
            .add("stride", &self.stride)
            .add_debug("padding", &self.padding.0)
            .add("dilation", &self.dilation)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::MaxPool1dConfig;
    use crate::PaddingConfig1d;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn max_pool1d_moves_its_window() {
        let x = Tensor::<NdArray, 3>::from_data([[[-1.0, -2.0, -5.0, -3.0, -4.0]]], &Default::default());
        let run = |config: MaxPool1dConfig| config.init().forward(x.clone()).into_data().to_f64();
        let config = MaxPool1dConfig::new(2);
        assert_eq!(run(config.clone()), [-1.0, -3.0]);
        assert_eq!(run(config.clone().with_stride(1).with_dilation(2)), [-1.0, -2.0, -4.0]);
        assert_eq!(
            run(config.with_stride(1).with_padding(PaddingConfig1d::Same)),
            [-1.0, -2.0, -3.0, -3.0, -4.0]
        );
    }
}

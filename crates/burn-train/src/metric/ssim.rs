use super::{FormatOptions, ImageInput, Metric, MetricEntry, MetricMetadata, Numeric, NumericMetricState};
use crate::history::Direction;
use burn_tensor::module::conv2d;
use burn_tensor::ops::ConvOptions;
use burn_tensor::{Backend, PadMode, Tensor, TensorData};
use std::marker::PhantomData;

/// Structural similarity of images (Wang et al. 2004): the mean over the pixels of `(2 mx my + c1) (2 sxy +
/// c2) / ((mx^2 + my^2 + c1) (sx^2 + sy^2 + c2))`, with means `m`, variances `s^2` and the covariance `sxy`
/// in a Gaussian window of 11 x 11 pixels with a standard deviation of 1.5, `c1 = (0.01 range)^2` and `c2 =
/// (0.03 range)^2`.
///
/// At the edges the image is reflected. It is computed on the device and in the element type of the images.
/// The value is the mean over the images of the epoch. torchmetrics:
/// `torchmetrics.image.StructuralSimilarityIndexMeasure`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::{Distribution, Tensor};
/// use burn::train::metric::*;
///
/// let images = Tensor::<NdArray, 4>::random([2, 3, 16, 16], Distribution::Default, &Default::default());
/// let mut metric = SsimMetric::new(1.0);
/// metric.update(&ImageInput::new(images.clone(), images), &MetricMetadata::default());
/// assert!((metric.value() - 1.0).abs() < 1e-5);
/// ```
#[derive(Clone, Debug)]
pub struct SsimMetric<B: Backend> {
    state: NumericMetricState,
    range: f64,
    backend: PhantomData<fn(B)>,
}

/// Width of the window, and its standard deviation.
const WINDOW: usize = 11;
const DEVIATION: f64 = 1.5;
/// Pixels of the window on each side of its middle.
const REACH: usize = WINDOW / 2;

impl<B: Backend> SsimMetric<B> {
    /// Compares images whose values span `range`: 1 for those from 0 to 1, 255 for bytes.
    ///
    /// # Panics
    /// If `range` is not a positive number.
    #[track_caller]
    pub fn new(range: f64) -> Self {
        assert!(
            range > 0.0 && range.is_finite(),
            "SSIM: expected a positive range of the values, got {range}"
        );
        Self { state: NumericMetricState::new(), range, backend: PhantomData }
    }

    fn similarity(&self, x: Tensor<B, 4>, y: Tensor<B, 4>) -> f64 {
        let [batch, channels, height, width] = x.dims();
        let planes = |x: Tensor<B, 4>| {
            let x = x.detach().reshape([batch * channels, 1, height, width]);
            x.pad((REACH, REACH, REACH, REACH), PadMode::Reflect)
        };
        let (x, y) = (planes(x), planes(y));
        let window = window::<B>(&x);
        let blur = |x: Tensor<B, 4>| {
            let options = || ConvOptions::new(2);
            let lines = conv2d(x, window.clone(), None, options());
            conv2d(lines, window.clone().swap_dims(2, 3), None, options())
        };
        let (mean_x, mean_y) = (blur(x.clone()), blur(y.clone()));
        let variance = blur(x.clone().square()) - mean_x.clone().square() + blur(y.clone().square())
            - mean_y.clone().square();
        let covariance = blur(x * y) - mean_x.clone() * mean_y.clone();
        let (c1, c2) = ((0.01 * self.range).powi(2), (0.03 * self.range).powi(2));
        let above = (mean_x.clone() * mean_y.clone() * 2.0 + c1) * (covariance * 2.0 + c2);
        let below = (mean_x.square() + mean_y.square() + c1) * (variance + c2);
        (above / below).mean().into_data().to_f64()[0]
    }
}

/// Returns a column of the Gaussian window, `[1, 1, 11, 1]`, whose sum is 1.
fn window<B: Backend>(like: &Tensor<B, 4>) -> Tensor<B, 4> {
    let middle = REACH as f64;
    let weight = |at: usize| (-0.5 * ((at as f64 - middle) / DEVIATION).powi(2)).exp();
    let sum: f64 = (0..WINDOW).map(weight).sum();
    let weights: Vec<f64> = (0..WINDOW).map(|at| weight(at) / sum).collect();
    let data = TensorData::new(weights, [1, 1, WINDOW, 1]).convert_dtype(like.dtype());
    Tensor::from_data(data, (&like.device(), like.dtype()))
}

impl<B: Backend> Metric for SsimMetric<B> {
    type Input = ImageInput<B>;

    /// Adds a batch.
    ///
    /// # Panics
    /// If the images have fewer than six rows or columns, which cannot be reflected.
    fn update(&mut self, input: &ImageInput<B>, _metadata: &MetricMetadata) -> MetricEntry {
        let [batch, _, height, width] = input.targets.dims();
        assert!(
            height > REACH && width > REACH,
            "SSIM: expected images of {0} x {0} pixels at least, got {height} x {width}",
            REACH + 1
        );
        let value = self.similarity(input.predictions.clone(), input.targets.clone());
        self.state.update(value, batch, FormatOptions::new("SSIM").precision(4))
    }

    fn name(&self) -> Option<String> {
        Some("SSIM".to_string())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Highest)
    }

    fn clear(&mut self) {
        self.state.reset();
    }
}

impl<B: Backend> Numeric for SsimMetric<B> {
    fn value(&self) -> f64 {
        self.state.value()
    }
}

use super::{try_fft, try_irfft, try_rfft};
use crate::check::ensure;
use crate::create::fits;
use crate::options::index_type;
use crate::{Int, PadMode, Tensor, TensorError};
use burn_backend::{Backend, DType, Scalar, TensorSpec};
use burn_derive::fallible;

/// Options of [`stft`] and [`istft`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StftOptions {
    /// Samples in a frame, and so frequencies in its spectrum.
    pub n_fft: usize,
    /// Samples between the starts of two frames.
    pub hop_length: usize,
    /// Samples of a frame that the window covers, in the middle of it.
    pub win_length: usize,
    /// Frame `t` has its middle at sample `t hop_length`, and the signal is mirrored at its ends; else it
    /// starts there.
    pub center: bool,
    /// Whether only the first `n_fft / 2 + 1` frequencies are returned, which determine the others for a real
    /// signal.
    pub onesided: bool,
    /// Divided by `sqrt(n_fft)`, so that the energy of a frame is that of its spectrum.
    pub normalized: bool,
}

impl StftOptions {
    /// Creates options with PyTorch's defaults: a hop length of a quarter frame, windows over whole frames,
    /// centered, one-sided, not normalized.
    pub fn new(n_fft: usize) -> Self {
        StftOptions {
            n_fft,
            hop_length: n_fft / 4,
            win_length: n_fft,
            center: true,
            onesided: true,
            normalized: false,
        }
    }

    #[must_use]
    pub fn with_hop_length(self, hop_length: usize) -> Self {
        StftOptions { hop_length, ..self }
    }

    #[must_use]
    pub fn with_win_length(self, win_length: usize) -> Self {
        StftOptions { win_length, ..self }
    }

    #[must_use]
    pub fn with_center(self, center: bool) -> Self {
        StftOptions { center, ..self }
    }

    #[must_use]
    pub fn with_onesided(self, onesided: bool) -> Self {
        StftOptions { onesided, ..self }
    }

    #[must_use]
    pub fn with_normalized(self, normalized: bool) -> Self {
        StftOptions { normalized, ..self }
    }

    fn frequencies(&self) -> usize {
        if self.onesided { self.n_fft / 2 + 1 } else { self.n_fft }
    }

    /// Returns the number of samples that centering adds at each end.
    fn margin(&self) -> usize {
        if self.center { self.n_fft / 2 } else { 0 }
    }

    #[track_caller]
    fn check(&self, operation: &'static str) -> Result<(), TensorError> {
        let StftOptions { n_fft, hop_length, win_length, .. } = *self;
        ensure!(n_fft > 0, operation, "n_fft is 0");
        ensure!(hop_length > 0, operation, "hop_length is 0: frames would not move");
        ensure!(
            (1..=n_fft).contains(&win_length),
            operation,
            "win_length is {win_length}, should be from 1 to n_fft = {n_fft}"
        );
        Ok(())
    }

    /// Returns the window of a whole frame, in the dtype of the signal.
    #[track_caller]
    fn frame_window<B: Backend>(
        &self,
        operation: &'static str,
        window: Option<Tensor<B, 1>>,
        dtype: DType,
        device: &B::Device,
    ) -> Result<Tensor<B, 1>, TensorError> {
        let window = match window {
            None => {
                let spec = TensorSpec::new([self.win_length], dtype);
                Tensor::from_handle(B::full(spec, Scalar::Int(1), device))
            }
            Some(window) => {
                let [found] = window.dims();
                ensure!(
                    found == self.win_length,
                    operation,
                    "the window has {found} elements, win_length is {}",
                    self.win_length
                );
                window.try_cast(dtype)?
            }
        };
        let free = self.n_fft - self.win_length;
        window.try_pad([(free / 2, free - free / 2)], 0.0)
    }

    /// Returns the factor of normalized spectra, `1 / sqrt(n_fft)`.
    fn scale(&self) -> f64 {
        1.0 / burn_backend::UnaryOp::Sqrt.eval_f64(self.n_fft as f64)
    }
}

/// Returns the sample index of each element of each frame, `[frames * n_fft]`.
fn samples<B: Backend>(frames: usize, options: &StftOptions, device: &B::Device) -> Tensor<B, 1, Int> {
    let line = |count: usize, step: usize| {
        let spec = TensorSpec::new([count], index_type::<B>(device));
        Tensor::<B, 1, Int>::from_handle(B::range(spec, Scalar::Int(0), step.into(), device))
    };
    // One frame hops nowhere, and its hop may be of any length.
    let hop = if frames > 1 { options.hop_length } else { 1 };
    let starts = line(frames, hop).unsqueeze_dim::<2>(1);
    (starts + line(options.n_fft, 1).unsqueeze_dim::<2>(0)).flatten(0, 1)
}

/// Computes the short-time Fourier transform: the spectra of overlapping frames, each times a window.
///
/// `X[k, t] = sum over j of window[j] x[t hop_length + j] e^(-2 pi i j k / n_fft)`. Without a `window` all
/// samples count the same. Shapes: `[batch, time]` to `[batch, frequencies, frames]`, real and imaginary
/// parts. There are `1 + (time - n_fft) / hop_length` frames; centering adds `n_fft / 2` samples at each end
/// first. PyTorch: `torch.stft`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, signal};
/// use signal::StftOptions;
///
/// /// Magnitudes over time and frequency, `[batch, 201, frames]`.
/// fn spectrogram<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 3> {
///     let window = signal::hann_window::<B>(400, true, &x.device());
///     let options = StftOptions::new(400).with_hop_length(160);
///     let (re, im) = signal::stft(x, Some(window), &options);
///     (re.clone() * re + im.clone() * im).sqrt()
/// }
/// ```
///
/// # Errors
/// When the signal is shorter than a frame, or centered and not longer than half of one; when the window does
/// not have `win_length` elements; when the lengths of the options contradict each other.
#[fallible]
pub fn try_stft<B: Backend>(
    signal: Tensor<B, 2>,
    window: Option<Tensor<B, 1>>,
    options: &StftOptions,
) -> Result<(Tensor<B, 3>, Tensor<B, 3>), TensorError> {
    options.check("stft")?;
    let ([batch, time], device) = (signal.dims(), signal.device());
    let (n_fft, margin) = (options.n_fft, options.margin());
    ensure!(
        margin == 0 || time > margin,
        "stft",
        "{time} samples are too few to mirror {margin} of them at the ends of a centered signal"
    );
    let padded = time.saturating_add(margin).saturating_add(margin);
    ensure!(padded >= n_fft, "stft", "{padded} samples are fewer than the {n_fft} of a frame");
    let frames = 1 + (padded - n_fft) / options.hop_length;
    // Without a signal in the batch there are still positions to read.
    fits("stft", &[frames, n_fft].into(), 2, DType::I64)?;
    let window = options.frame_window::<B>("stft", window, signal.dtype(), &device)?;
    let signal = signal.try_pad([(margin, margin)], PadMode::Reflect)?;
    let pieces = signal.select(1, samples::<B>(frames, options, &device));
    let pieces = pieces.try_reshape([batch, frames, n_fft])?.try_mul(window.unsqueeze())?;
    let pieces = if options.normalized { pieces * options.scale() } else { pieces };
    let (re, im) = if options.onesided {
        try_rfft(pieces, 2, None)?
    } else {
        let zeros = pieces.zeros_like();
        try_fft(pieces, zeros, 2, None)?
    };
    Ok((re.swap_dims(1, 2), im.swap_dims(1, 2)))
}

/// Computes the inverse of [`stft`] with the same window and options: the signal whose spectra these are, or
/// are nearest to.
///
/// Frames are transformed back, multiplied by the window and added up, and the sum is divided by that of the
/// squares of the windows (Griffin and Lim, 1984). A sample that no window covers is 0. Shapes: `[batch,
/// frequencies, frames]` to `[batch, time]`; `length` cuts the signal, or fills it up with zeros. PyTorch:
/// `torch.istft`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, signal};
/// fn unchanged<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
///     let [_, time] = x.dims();
///     let window = signal::hann_window::<B>(64, true, &x.device());
///     let options = signal::StftOptions::new(64);
///     let (re, im) = signal::stft(x, Some(window.clone()), &options);
///     signal::istft(re, im, Some(window), &options, Some(time))
/// }
/// ```
///
/// # Errors
/// When the parts differ in shape or dtype, there is no frame, the number of frequencies is not that of the
/// options, the window does not have `win_length` elements, or the lengths of the options contradict each
/// other.
#[fallible]
pub fn try_istft<B: Backend>(
    re: Tensor<B, 3>,
    im: Tensor<B, 3>,
    window: Option<Tensor<B, 1>>,
    options: &StftOptions,
    length: Option<usize>,
) -> Result<Tensor<B, 2>, TensorError> {
    options.check("istft")?;
    let ([batch, frequencies, frames], device) = (re.dims(), re.device());
    let (n_fft, expected) = (options.n_fft, options.frequencies());
    ensure!(
        frequencies == expected,
        "istft",
        "{:?} has {frequencies} frequencies, the options say {expected}",
        re.shape()
    );
    ensure!(frames > 0, "istft", "there are no frames");
    let steps = options.hop_length.checked_mul(frames - 1);
    let time = steps.and_then(|steps| steps.checked_add(n_fft)).filter(|&time| time <= isize::MAX as usize);
    let Some(time) = time else {
        return Err(TensorError::argument(
            "istft",
            format_args!("the signal has more samples than memory can hold"),
        ));
    };
    fits("istft", &[frames, n_fft].into(), 2, DType::I64)?;
    let window = options.frame_window::<B>("istft", window, re.dtype(), &device)?;
    // The signal is real, so the first half of the spectrum determines it.
    let pieces = try_irfft(re.swap_dims(1, 2), im.swap_dims(1, 2), 2, Some(n_fft))?;
    let pieces = if options.normalized { pieces * (1.0 / options.scale()) } else { pieces };
    let pieces = pieces.try_mul(window.clone().unsqueeze())?.try_reshape([batch, frames * n_fft])?;
    let places = samples::<B>(frames, options, &device);
    let zeros = |batch: usize| {
        let spec = TensorSpec::new([batch, time], pieces.dtype());
        Tensor::<B, 2>::from_handle(B::full(spec, Scalar::Int(0), &device))
    };
    let weights = (window.clone() * window).unsqueeze::<2>().repeat_dim(1, frames);
    let weights = zeros(1).select_assign(1, places.clone(), weights);
    let bare = weights.clone().lower_elem(UNCOVERED);
    let signal = zeros(batch).select_assign(1, places, pieces);
    let signal = signal.try_div(weights.mask_fill(bare, 1.0))?;
    let (start, end) = (options.margin(), time - options.margin());
    let whole = signal.try_narrow(1, start, length.unwrap_or(end - start).min(time - start))?;
    let [_, found] = whole.dims();
    let missing = length.unwrap_or(found) - found;
    whole.try_pad([(0, missing)], 0.0)
}

/// Squares of windows that add up to less cover nothing: PyTorch's bound.
const UNCOVERED: f64 = 1e-11;

//! transforms and windows.

use crate::torch::signal as torch;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::signal::{self, StftOptions};
use burn::tensor::{DType, Distribution, Tensor, TensorData, backend::Backend};
use std::f64::consts::TAU;

type B = NdArray<f64>;

/// Numbers that are different at each index: those of `scripts/signal_fixtures.py`.
fn ramp<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let count: usize = shape.iter().product();
    let at = |k: usize| ((k * 7 % 11) as f64 - 5.0) / 4.0;
    Tensor::from_data(TensorData::new((0..count).map(at).collect::<Vec<_>>(), shape), &Default::default())
}

#[track_caller]
fn close<B: Backend, const D: usize>(found: Tensor<B, D>, expected: impl Into<TensorData>) {
    within(found, expected, 1e-13);
}

#[track_caller]
fn within<B: Backend, const D: usize>(found: Tensor<B, D>, expected: impl Into<TensorData>, tolerance: f64) {
    let (found, expected) = (found.into_data(), expected.into());
    assert_eq!(found.shape, expected.shape);
    let (found, expected) = (found.to_f64(), expected.to_f64());
    let size = expected.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let near = (found - expected).abs() <= tolerance * size;
        assert!(near, "element {at}: found {found}, expected {expected}");
    }
}

#[track_caller]
fn both_close<B: Backend, const D: usize>(
    (re, im): (Tensor<B, D>, Tensor<B, D>),
    expected_re: impl Into<TensorData>,
    expected_im: impl Into<TensorData>,
) {
    close(re, expected_re);
    close(im, expected_im);
}

fn complex() -> (Tensor<B, 2>, Tensor<B, 2>) {
    (ramp([2, 5]), ramp::<B, 2>([5, 2]).transpose())
}

#[test]
fn x_022_fft_is_pytorchs() {
    let fft = |dim, n| {
        let (re, im) = complex();
        signal::fft(re, im, dim, n)
    };
    both_close(fft(-1, None), torch::FFT_RE, torch::FFT_IM);
    both_close(fft(0, None), torch::FFT_FIRST_RE, torch::FFT_FIRST_IM);
    both_close(fft(1, Some(7)), torch::FFT_LONG_RE, torch::FFT_LONG_IM);
    both_close(fft(1, Some(3)), torch::FFT_SHORT_RE, torch::FFT_SHORT_IM);
    let (re, im) = complex();
    both_close(signal::ifft(re, im, -1, None), torch::IFFT_RE, torch::IFFT_IM);
}

#[test]
fn x_022_rfft_and_irfft_are_pytorchs() {
    let x = ramp::<B, 2>([2, 6]);
    both_close(signal::rfft(x.clone(), -1, None), torch::RFFT_RE, torch::RFFT_IM);
    both_close(signal::rfft(x.clone(), -1, Some(5)), torch::RFFT_ODD_RE, torch::RFFT_ODD_IM);
    both_close(signal::rfft(x, -1, Some(9)), torch::RFFT_LONG_RE, torch::RFFT_LONG_IM);
    let irfft = |n| signal::irfft(ramp::<B, 2>([2, 4]), ramp::<B, 2>([4, 2]).transpose(), -1, n);
    close(irfft(None), torch::IRFFT);
    close(irfft(Some(7)), torch::IRFFT_ODD);
    close(irfft(Some(4)), torch::IRFFT_SHORT);
    close(irfft(Some(9)), torch::IRFFT_LONG);
}

#[test]
fn x_022_transforms_of_planes_are_pytorchs() {
    let x = ramp::<B, 2>([3, 4]);
    both_close(signal::fft2(x.clone(), x.clone().flip([0]), None), torch::FFT2_RE, torch::FFT2_IM);
    both_close(signal::rfft2(x.clone(), None), torch::RFFT2_RE, torch::RFFT2_IM);
    both_close(signal::rfft2(x.clone(), Some([4, 5])), torch::RFFT2_SIZES_RE, torch::RFFT2_SIZES_IM);
    let (re, im) = signal::rfft2(x.clone() * 2, None);
    close(signal::irfft2(re, im, Some([3, 4])), torch::IRFFT2);
    let (re, im) = signal::fft2(x.clone(), x.clone() * 3, None);
    let (re, im) = signal::ifft2(re, im, None);
    close(re, x.clone().into_data());
    close(im, (x * 3).into_data());
}

#[test]
fn x_022_a_wave_has_one_frequency() {
    // Lengths with small factors, large primes and powers of two: each signal is a sum of two waves of known
    // amplitude.
    for n in [5, 12, 101, 1009, 2 * 523, 4096, 10_007] {
        let waves = |t: usize| {
            let angle = |cycles: usize| TAU * (t * cycles % n) as f64 / n as f64;
            3.0 + 2.0 * angle(1).cos() - 0.5 * angle(2).sin()
        };
        let values: Vec<f64> = (0..n).map(waves).collect();
        let (re, im) = signal::rfft(Tensor::<B, 1>::from_floats(&values[..], &Default::default()), 0, None);
        let (mut cosines, mut sines) = (vec![0.0; n / 2 + 1], vec![0.0; n / 2 + 1]);
        (cosines[0], cosines[1], sines[2]) = (3.0 * n as f64, n as f64, 0.25 * n as f64);
        within(re, &cosines[..], 1e-14);
        within(im, &sines[..], 1e-14);
    }
}

#[test]
fn x_022_the_inverse_gives_back_the_signal() {
    B::seed(7);
    for n in [1, 2, 3, 16, 63, 509, 1000] {
        let x = Tensor::<B, 2>::random([3, n], Distribution::Normal(0.0, 1.0), &Default::default());
        let (re, im) = signal::rfft(x.clone(), 1, None);
        // Parseval: the elements of the half stand for all, those between the ends twice.
        let power = (re.clone() * re.clone() + im.clone() * im.clone()).sum_dim(1) * 2;
        let ends = re.clone().narrow(1, 0, 1).powi_scalar(2).sum_dim(1);
        let last = re.clone().narrow(1, n / 2, 1).powi_scalar(2).sum_dim(1);
        let power = if n % 2 == 0 { power - ends - last } else { power - ends };
        if n > 1 {
            close(power / n as f64, (x.clone() * x.clone()).sum_dim(1).into_data());
        }
        close(signal::irfft(re, im, 1, Some(n)), x.clone().into_data());
        let (re, im) = signal::fft(x.clone(), x.clone() * -0.5, 0, None);
        let (re, im) = signal::ifft(re, im, 0, None);
        close(re, x.clone().into_data());
        close(im, (x * -0.5).into_data());
    }
}

#[test]
fn x_022_narrow_element_types_are_transformed_too() {
    let x = ramp::<NdArray, 2>([2, 6]);
    let (re, im) = signal::rfft(x.clone(), -1, None);
    within(re, torch::RFFT_RE, 1e-6);
    within(im, torch::RFFT_IM, 1e-6);
    let (re, _) = signal::rfft(x.cast(DType::F16), -1, None);
    assert_eq!(re.dtype(), DType::F16);
    within(re, torch::RFFT_RE, 2e-3);
}

#[test]
fn x_022_frequencies_and_their_order_are_pytorchs() {
    let device = Default::default();
    close(signal::fftfreq::<B>(6, 0.5, &device), torch::FFTFREQ_EVEN);
    close(signal::fftfreq::<B>(5, 0.5, &device), torch::FFTFREQ_ODD);
    close(signal::rfftfreq::<B>(6, 0.5, &device), torch::RFFTFREQ);
    let x = ramp::<B, 2>([3, 5]);
    close(signal::fftshift(x.clone(), &[0, 1]), torch::FFTSHIFT);
    close(signal::ifftshift(x.clone(), &[0, 1]), torch::IFFTSHIFT);
    close(signal::ifftshift(signal::fftshift(x.clone(), &[-1]), &[-1]), x.into_data());
}

#[test]
fn x_022_windows_are_pytorchs() {
    let device = Default::default();
    close(signal::hann_window::<B>(7, true, &device), torch::HANN);
    close(signal::hann_window::<B>(7, false, &device), torch::HANN_SYMMETRIC);
    close(signal::hamming_window::<B>(7, true, &device), torch::HAMMING);
    close(signal::hamming_window::<B>(7, false, &device), torch::HAMMING_SYMMETRIC);
    close(signal::blackman_window::<B>(7, true, &device), torch::BLACKMAN);
    close(signal::blackman_window::<B>(7, false, &device), torch::BLACKMAN_SYMMETRIC);
    assert_eq!(signal::hann_window::<B>(0, true, &device).dims(), [0]);
    close(signal::blackman_window::<B>(1, false, &device), [1.0]);
}

#[test]
fn x_022_stft_is_pytorchs() {
    let (x, device) = (ramp::<B, 2>([2, 20]), Default::default());
    let options = StftOptions::new(6).with_hop_length(2);
    let window = || Some(signal::hann_window::<B>(6, true, &device));
    let (re, im) = signal::stft(x.clone(), window(), &options);
    both_close((re.clone(), im.clone()), torch::STFT_RE, torch::STFT_IM);
    let start = options.with_center(false).with_normalized(true);
    both_close(signal::stft(x.clone(), window(), &start), torch::STFT_START_RE, torch::STFT_START_IM);
    let whole = StftOptions::new(8).with_hop_length(3).with_win_length(5).with_onesided(false);
    let hamming = signal::hamming_window::<B>(5, true, &device);
    both_close(signal::stft(x, Some(hamming), &whole), torch::STFT_WHOLE_RE, torch::STFT_WHOLE_IM);
    // A spectrum times 1 + i / 2, which is that of no signal.
    let turned = (re.clone() - im.clone() * 0.5, im + re * 0.5);
    close(signal::istft(turned.0, turned.1, window(), &options, Some(20)), torch::ISTFT);
}

#[test]
fn x_022_istft_undoes_stft() {
    B::seed(3);
    let device = Default::default();
    let x = Tensor::<B, 2>::random([2, 100], Distribution::Default, &device);
    for onesided in [true, false] {
        for (n_fft, hop, win, normalized) in [(16, 4, 16, false), (15, 5, 12, true), (8, 1, 3, false)] {
            let options = StftOptions::new(n_fft).with_hop_length(hop).with_win_length(win);
            let options = options.with_normalized(normalized).with_onesided(onesided);
            let window = || Some(signal::hamming_window::<B>(win, true, &device));
            let (re, im) = signal::stft(x.clone(), window(), &options);
            assert_eq!(
                re.dims(),
                [2, if onesided { n_fft / 2 + 1 } else { n_fft }, 1 + (100 - n_fft % 2) / hop]
            );
            close(signal::istft(re.clone(), im.clone(), window(), &options, Some(100)), x.to_data());
            let longer = signal::istft(re, im, window(), &options, Some(200));
            close(longer.clone().narrow(1, 0, 99), x.clone().narrow(1, 0, 99).into_data());
            assert_eq!(longer.dims(), [2, 200]);
        }
    }
    // Without a window, frames side by side.
    let side_by_side = StftOptions::new(10).with_hop_length(10).with_center(false);
    let (re, im) = signal::stft(x.clone(), None, &side_by_side);
    close(signal::istft(re, im, None, &side_by_side, None), x.into_data());
}

#[test]
fn x_022_gradients_flow_through_transforms() {
    type A = Autodiff<B>;
    let power = |(re, im): (Tensor<A, 3>, Tensor<A, 3>)| re.clone() * re + im.clone() * im;
    let x = ramp::<A, 3>([1, 2, 7]).require_grad();
    let loss = (power(signal::rfft(x.clone(), -1, None)) * ramp([1, 2, 4])).sum();
    close(x.grad(&loss.backward()).expect("tracked").reshape([2, 7]), torch::RFFT_GRAD);

    let (options, device) = (StftOptions::new(4).with_hop_length(2), Default::default());
    let window = || Some(signal::hann_window::<A>(4, true, &device));
    let x = ramp::<A, 2>([1, 16]).require_grad();
    let loss = (power(signal::stft(x.clone(), window(), &options)) * ramp([1, 3, 9])).sum();
    close(x.grad(&loss.backward()).expect("tracked"), torch::STFT_GRAD);

    let (re, im) = (ramp::<A, 3>([1, 3, 9]).require_grad(), ramp::<A, 3>([1, 3, 9]).flip([2]).require_grad());
    let back = signal::istft(re.clone(), im.clone(), window(), &options, None);
    let gradients = (back.clone() * back * ramp([1, 16])).sum().backward();
    close(re.grad(&gradients).expect("tracked"), torch::ISTFT_GRAD_RE);
    close(im.grad(&gradients).expect("tracked"), torch::ISTFT_GRAD_IM);
}

#[test]
fn x_022_misuse_is_an_error() {
    let says = |error: String, parts: &[&str]| {
        for part in parts {
            assert!(error.contains(part), "{error:?} does not say {part:?}");
        }
    };
    let x = || ramp::<B, 2>([2, 6]);
    let failed = |result: Result<(Tensor<B, 2>, Tensor<B, 2>), burn::tensor::TensorError>| {
        result.expect_err("this has no meaning").to_string()
    };
    says(failed(signal::try_rfft(x(), 2, None)), &["rfft", "dimension 2", "[2, 6]"]);
    says(failed(signal::try_rfft(x(), 1, Some(0))), &["rfft", "a transform needs"]);
    says(failed(signal::try_fft(x(), ramp([2, 5]), 1, None)), &["fft", "[2, 6]", "[2, 5]"]);
    says(failed(signal::try_fft(x(), x().cast(DType::F32), 1, None)), &["fft", "f64", "f32"]);
    says(failed(signal::try_rfft(ramp([2, 0]), 1, None)), &["rfft", "a transform needs"]);
    says(failed(signal::try_rfft(x(), 1, Some(usize::MAX))), &["rfft", "memory"]);
    let alone = ramp::<B, 2>([2, 1]);
    let error = signal::try_irfft(alone.clone(), alone, 1, None).expect_err("no element");
    says(error.to_string(), &["irfft", "a transform needs", "[2, 1]"]);
    let stft = |options: StftOptions, window: Option<usize>| {
        let window = window.map(|size| ramp::<B, 1>([size]));
        signal::try_stft(x(), window, &options).expect_err("this has no meaning").to_string()
    };
    says(stft(StftOptions::new(0), None), &["stft", "n_fft is 0"]);
    says(stft(StftOptions::new(3), None), &["stft", "hop_length is 0"]);
    says(stft(StftOptions::new(4).with_win_length(5), None), &["stft", "win_length is 5", "4"]);
    says(stft(StftOptions::new(4), Some(3)), &["stft", "3 elements", "4"]);
    says(stft(StftOptions::new(12), None), &["stft", "6 samples", "mirror 6"]);
    says(stft(StftOptions::new(8).with_center(false), None), &["stft", "6 samples", "8 of a frame"]);
    let frames = ramp::<B, 3>([1, 3, 2]);
    let error = signal::try_istft(frames.clone(), frames, None, &StftOptions::new(8), None);
    says(error.expect_err("this has no meaning").to_string(), &["istft", "3 frequencies", "5"]);
}

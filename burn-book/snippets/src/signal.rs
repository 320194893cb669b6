use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::Tolerance;

// ANCHOR: tone
use burn::tensor::signal;
use std::f64::consts::TAU;

/// The frequency, in cycles a second, that is strongest in one second of sound.
fn pitch<B: Backend>(sound: Tensor<B, 1>) -> Tensor<B, 1, Int> {
    let (re, im) = signal::rfft(sound, 0, None);
    (re.square() + im.square()).argmax(0)
}

/// One second of a tone.
fn tone<B: Backend>(frequency: f64, rate: i64, device: &B::Device) -> Tensor<B, 1> {
    let seconds = Tensor::<B, 1, Int>::arange(0..rate, device).float() / rate;
    (seconds * (TAU * frequency)).sin()
}
// ANCHOR_END: tone

#[test]
fn a_tone_has_its_pitch() {
    let device = Default::default();
    assert_eq!(pitch(tone::<NdArray>(440.0, 8000, &device)).into_scalar(), 440);
}

#[test]
fn a_sound_is_taken_apart_and_put_together() {
    // ANCHOR: stft
    use burn::tensor::signal::StftOptions;

    let device = Default::default();
    let sound = tone::<NdArray>(440.0, 8000, &device).unsqueeze::<2>();

    let window = || Some(signal::hann_window::<NdArray>(400, true, &device));
    let options = StftOptions::new(400).with_hop_length(100);
    let (re, im) = signal::stft(sound.clone(), window(), &options);
    let [batch, frequencies, frames] = re.dims();

    let again = signal::istft(re, im, window(), &options, Some(8000));
    // ANCHOR_END: stft
    assert_eq!([batch, frequencies, frames], [1, 201, 81]);
    again.into_data().assert_approx_eq::<f64>(&sound.into_data(), Tolerance::rel_abs(1e-4, 1e-4));
}

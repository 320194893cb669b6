// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::signal;
use std::f64::consts::TAU;

/// Returns the frequency, in hertz, that is strongest in one second of sound.
fn pitch<B: Backend>(sound: Tensor<B, 1>) -> Tensor<B, 1, Int> {
    let (re, im) = signal::rfft(sound, 0, None);
    (re.square() + im.square()).argmax(0)
}

/// One second of a sine tone.
fn tone<B: Backend>(frequency: f64, rate: i64, device: &B::Device) -> Tensor<B, 1> {
    let seconds = Tensor::<B, 1, Int>::arange(0..rate, device).float() / rate;
    (seconds * (TAU * frequency)).sin()
}

fn main() {
    let device = Default::default();
    let chord = tone::<NdArray>(440.0, 8000, &device) + tone(660.0, 8000, &device) * 0.5;
    println!("{} Hz", pitch(chord).into_scalar());
}
// ANCHOR_END: program

#[test]
fn x_701_signals() {
    crate::page_output::page_prints!("tensor/signal.md");
}

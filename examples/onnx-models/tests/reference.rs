//! The models beside onnxruntime (`python/reference.py`), on `NdArray` and on `Fusion<NdArray>`.

use burn::backend::NdArray;
use burn::tensor::{Backend, TensorData};
use burn_import::npz;
use onnx_models::{CHUNK, FileTypes, VoiceDetector, magika_folder, silero_file};
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn expected(name: &str) -> TensorData {
    npz::open(data().join(format!("{name}.npy"))).unwrap().read(name).unwrap().unwrap()
}

#[track_caller]
fn assert_close(found: &[f64], expected: &TensorData) {
    assert_eq!(found.len(), expected.num_elements());
    let largest = expected.iter::<f64>().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for (found, expected) in found.iter().zip(expected.iter::<f64>()) {
        assert!((found - expected).abs() < 1e-4 * largest, "{found} and {expected}");
    }
}

fn samples() -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(data().join("samples")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The wave of `python/reference.py`.
fn wave(chunks: usize) -> Vec<f32> {
    let tau = 2.0 * std::f64::consts::PI;
    let sample = |k: usize| {
        let t = k as f64 / 16000.0;
        let tone = |h: f64| (tau * 120.0 * h * t).sin() * (-((120.0 * h - 700.0) / 300.0).powi(2)).exp();
        let tones: f64 = (1..24).map(|h| tone(f64::from(h))).sum();
        (0.2 * tones * (1.0 + (tau * 3.0 * t).sin()) / 2.0) as f32
    };
    (0..chunks * CHUNK).map(sample).collect()
}

fn check_magika<B: Backend>() {
    let model = FileTypes::load(&magika_folder(None, &mut |text| println!("{text}")).unwrap()).unwrap();
    let (samples, device) = (samples(), B::Device::default());
    let files: Vec<&[u8]> = samples.iter().map(|file| &file[..]).collect();
    // The second run takes what the first one prepared.
    for _ in 0..2 {
        let found: Vec<f64> = model.scores::<B>(&files, &device).unwrap().into_data().iter().collect();
        assert_close(&found, &expected("scores"));
    }
    let labels: Vec<String> =
        model.guess::<B>(&files, &device).unwrap().into_iter().map(|guess| guess.label).collect();
    assert_eq!(labels, ["csv", "html", "rust"]);
}

fn check_silero<B: Backend>() {
    let (file, device) = (silero_file(None, &mut |text| println!("{text}")).unwrap(), B::Device::default());
    let mut model = VoiceDetector::<B>::load(&file, &device).unwrap();
    let expected_speech = expected("speech");
    let wave = wave(expected_speech.num_elements());
    let speech: Vec<f64> =
        wave.chunks(CHUNK).map(|chunk| f64::from(model.probability(chunk).unwrap())).collect();
    assert_close(&speech, &expected_speech);
    let state: Vec<f64> = model.state().clone().into_data().iter().collect();
    assert_close(&state, &expected("state"));
}

#[test]
fn x_409_magika_gives_the_scores_of_onnxruntime() {
    check_magika::<NdArray>();
    check_magika::<burn::backend::Fusion<NdArray>>();
}

#[test]
fn x_409_silero_gives_the_probabilities_of_onnxruntime() {
    check_silero::<NdArray>();
    check_silero::<burn::backend::Fusion<NdArray>>();
}

//! The generated network beside onnxruntime (`python/reference.py`).

use burn::backend::NdArray;
use file_type::Classifier;
use std::path::Path;

#[test]
fn on_010_types_of_files_are_those_of_onnxruntime() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let reference = std::fs::read_to_string(data.join("reference.csv")).unwrap();
    let reference: Vec<Vec<&str>> = reference.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(reference.len() >= 6, "{reference:?}");
    let contents: Vec<Vec<u8>> =
        reference.iter().map(|line| std::fs::read(data.join("samples").join(line[0])).unwrap()).collect();
    let guesses = Classifier::<NdArray>::new(&Default::default()).classify(&contents);
    for (line, guess) in reference.iter().zip(guesses) {
        let probability: f32 = line[2].parse().unwrap();
        assert_eq!(guess.label, line[1], "{}", line[0]);
        assert!(
            (guess.probability - probability).abs() < 1e-4,
            "{}: {guess:?}, expected {probability}",
            line[0]
        );
    }
}

//! Both programs on fewer sequences.

#[path = "../examples/modern-lstm-infer.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod infer;
#[path = "../examples/modern-lstm-train.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod train;

use clap::Parser;

#[test]
fn an_lstm_predicts_better_than_any_linear_predictor_and_is_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments =
        ["train", "--sequences", "2048", "--epochs", "4", "--hidden", "24", "--artifacts", artifacts];
    let errors = train::run(&train::Args::parse_from(arguments)).unwrap();
    // The threshold of the README.
    assert!(errors.model < 0.85 * errors.linear, "{errors:?}");
    assert!(errors.linear < errors.last_value && errors.last_value < errors.constant, "{errors:?}");

    let arguments = ["infer", "--sequences", "1000", "--artifacts", artifacts];
    let pairs = infer::run(&infer::Args::parse_from(arguments)).unwrap();
    let squares: f64 = pairs.iter().map(|(predicted, right)| f64::from(predicted - right).powi(2)).sum();
    let error = (squares / pairs.len() as f64).sqrt();
    // The record holds half-precision weights.
    assert!((error - errors.model).abs() < 0.02 * errors.model, "{error} {errors:?}");
}

#[test]
fn a_folder_without_a_model_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let error = infer::run(&infer::Args::parse_from(["infer", "--artifacts", artifacts])).unwrap_err();
    assert!(error.to_string().contains("config.json"), "{error}");
}

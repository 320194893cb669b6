//! Both programs, on sunspot numbers and on fewer oscillations.

#[path = "../examples/modern-lstm-infer.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod infer;
#[path = "../examples/modern-lstm-train.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod train;

use clap::Parser;
use modern_lstm::inference::Errors;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The random numbers of the backend are one sequence for the process, so runs take turns.
fn alone() -> MutexGuard<'static, ()> {
    static RUN: Mutex<()> = Mutex::new(());
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of the saved model is that of the trained one, but for the half precision of its file.
fn assert_loaded_equal(artifacts: &str, errors: &Errors) {
    let arguments = ["infer", "--sequences", "1000", "--artifacts", artifacts];
    let pairs = infer::run(&infer::Args::parse_from(arguments)).unwrap();
    let squares: f64 = pairs.iter().map(|(predicted, right)| f64::from(predicted - right).powi(2)).sum();
    let error = (squares / pairs.len() as f64).sqrt();
    assert!((error - errors.model).abs() < 0.02 * errors.model, "{error} {errors:?}");
}

#[test]
fn an_lstm_predicts_sunspots_better_than_the_last_year_and_is_loaded_again() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["train", "--hidden", "8", "--epochs", "20", "--artifacts", artifacts];
    let errors = train::run(&train::Args::parse_from(arguments)).unwrap();
    // The threshold of the README.
    assert!(errors.model < 0.75 * errors.last_value, "{errors:?}");
    assert!(errors.last_value < errors.mean, "{errors:?}");
    assert_loaded_equal(artifacts, &errors);
}

#[test]
fn an_lstm_predicts_oscillations_better_than_any_linear_predictor() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["train", "--oscillations", "--sequences", "2048", "--epochs", "4", "--hidden", "24"];
    let arguments = arguments.into_iter().chain(["--artifacts", artifacts]);
    let errors = train::run(&train::Args::parse_from(arguments)).unwrap();
    // The threshold of the README.
    assert!(errors.model < 0.85 * errors.linear, "{errors:?}");
    assert!(errors.linear < errors.last_value && errors.last_value < errors.mean, "{errors:?}");
    assert_loaded_equal(artifacts, &errors);
}

#[test]
fn a_folder_without_a_model_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let error = infer::run(&infer::Args::parse_from(["infer", "--artifacts", artifacts])).unwrap_err();
    assert!(error.to_string().contains("config.json"), "{error}");
}

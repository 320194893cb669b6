//! The program on one process, and its loop on threads.

#[path = "../examples/data-parallel.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use burn::backend::{Autodiff, NdArray};
use burn::collective::{CollectiveError, Local};
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use clap::Parser;
use data_parallel::{RunConfig, train};

/// Mean losses of the epochs, which rank 0 reports.
fn losses(config: &RunConfig, ranks: usize) -> Result<Vec<f64>, CollectiveError> {
    let (images, _) = DigitsDataset::train_test_mnist(42);
    let images = PartialDataset::new(images, 0, 200);
    let mut results = Local::run(ranks, |group| {
        let mut losses = Vec::new();
        train::<Autodiff<NdArray<f64>>>(config, &images, &group, &Default::default(), |_, loss| {
            losses.push(loss)
        })?;
        Ok(losses)
    })?;
    results.remove(0)
}

#[test]
fn two_threads_lower_the_loss_and_a_wrong_number_of_parts_is_named() {
    let config = RunConfig::new().with_hidden_size(8).with_dropout(0.0).with_num_epochs(2);
    let two = losses(&config, 2).unwrap();
    assert!(two[1] < two[0] && two[0] < 2.5, "{two:?}");
    let error = losses(&config.with_fixed_order_parts(3), 2).unwrap_err().to_string();
    assert!(error.contains("wrong fixed_order_parts; expected a multiple of 2 ranks, got 3"), "{error}");
}

#[test]
fn the_program_runs_alone() {
    let args = program::Args::parse_from(["data-parallel", "--images", "128", "--epochs", "1"]);
    program::run(&args, &Local::new(1).unwrap().remove(0)).unwrap();
}

//! The program on few images.

#[path = "../examples/custom-training-loop.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use burn::backend::NdArray;
use burn::tensor::Tensor;
use clap::Parser;

#[test]
fn ex_002_the_loop_learns_to_read_digits() {
    let arguments = ["custom-training-loop", "--images", "640", "--epochs", "3"];
    let accuracy = program::run(&program::Args::parse_from(arguments)).unwrap();
    // A predictor that always says the most frequent digit is right for 11 % of the images.
    assert!(accuracy >= 60.0, "{accuracy}");
}

#[test]
fn tr_035_the_accuracy_of_the_example_is_the_share_of_rows_that_are_right() {
    let device = Default::default();
    let output = Tensor::<NdArray, 2>::from_data([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], &device);
    let targets = Tensor::from_data([1, 0, 0, 0], &device);
    assert_eq!(custom_training_loop::accuracy(output, targets), 75.0);
}

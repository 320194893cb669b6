//! The program on few images.

#[path = "../examples/mnist.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;

#[test]
fn ex_011_a_few_epochs_learn_to_read_digits_and_leave_everything_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["mnist", "--images", "512", "--epochs", "4", "--artifacts", artifacts];
    let summary = program::run(&program::Args::parse_from(arguments)).unwrap();
    let accuracy = summary.value("Accuracy").unwrap();
    // A predictor that always says the most frequent digit is right for 11 % of the images.
    assert!(accuracy >= 70.0, "{accuracy}");
    assert!(summary.value("AUROC").unwrap() > 90.0, "{summary}");
    for file in [
        "checkpoint/average-4.mpk",
        "metrics.jsonl",
        "report.html",
        "tensorboard/train",
        "test/epoch-1/Accuracy.log",
        "train/epoch-4/Loss.log",
    ] {
        assert!(folder.path().join(file).exists(), "{file} is missing");
    }
}

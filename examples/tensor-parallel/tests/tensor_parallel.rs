//! The program on few ranks and epochs.

#[path = "../examples/tensor-parallel.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;

#[test]
fn x_505_the_example_learns_on_split_layers_and_on_two_copies_of_them() {
    for arguments in [["--tensor", "2", "--data", "1"], ["--tensor", "2", "--data", "2"]] {
        let arguments = ["tensor-parallel", "--epochs", "5"].into_iter().chain(arguments);
        let losses = program::run(&program::Args::parse_from(arguments)).unwrap();
        // A uniform guess among 16 tokens has the loss ln 16 = 2.77; after five epochs it is about 2.4.
        assert!(losses[4] < losses[0] - 0.1 && losses[4] < 2.7, "{losses:?}");
    }
}

#[test]
fn x_505_the_example_names_a_number_of_ranks_that_does_not_divide_the_heads() {
    let arguments = ["tensor-parallel", "--tensor", "3"];
    let error = program::run(&program::Args::parse_from(arguments)).unwrap_err().to_string();
    assert!(error.contains("expected a size that 3 ranks divide, got 16"), "{error}");
}

//! The program with clipped weights, for fewer steps.

#[path = "../examples/wgan.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;

#[test]
fn ex_017_a_critic_with_clipped_weights_teaches_too() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments =
        ["wgan", "--clip", "--steps", "600", "--hidden", "96", "--batch", "32", "--artifacts", artifacts];
    let outcome = program::run(&program::Args::parse_from(arguments)).unwrap();
    // The thresholds of the README.
    assert!(outcome.trained < 0.5 * outcome.untrained, "{outcome:?}");
    assert!(outcome.trained < outcome.independent_pixels, "{outcome:?}");
}

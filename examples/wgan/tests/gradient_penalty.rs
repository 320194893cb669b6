//! The program with a gradient penalty, for fewer steps.

#[path = "../examples/wgan.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;

#[test]
fn ex_017_images_come_closer_to_real_ones_than_independent_pixels() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["wgan", "--steps", "500", "--hidden", "64", "--batch", "32", "--artifacts", artifacts];
    let outcome = program::run(&program::Args::parse_from(arguments)).unwrap();
    // The thresholds of the README.
    assert!(outcome.trained < 0.5 * outcome.untrained, "{outcome:?}");
    assert!(outcome.trained < 0.8 * outcome.independent_pixels, "{outcome:?}");
    let highest = outcome.estimates.iter().copied().fold(f64::MIN, f64::max);
    assert!(outcome.estimates[9] < 0.7 * highest, "{outcome:?}");
    let picture = image::open(folder.path().join("samples.png")).unwrap();
    // Eight by eight images of eight pixels and a border, each pixel six wide.
    assert_eq!((picture.width(), picture.height()), (432, 432));
}

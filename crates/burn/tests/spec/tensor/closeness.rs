//! CL: how much of two tensors agrees.

use crate::given::{B, CPU};
use burn::tensor::{Tensor, TensorData, check_closeness};
use std::process::Command;

/// A hundred elements, the first `count` of which are off by `by`.
fn pair_with_distance(count: usize, by: f64) -> (Tensor<B, 1>, Tensor<B, 1>) {
    let values: Vec<f64> = (0..100).map(|i| if i < count { by } else { 0.0 }).collect();
    (Tensor::zeros([100], CPU), Tensor::from_data(TensorData::new(values, [100]), CPU))
}

#[test]
fn cl_001_the_report_has_a_percentage_for_each_tolerance() {
    let (x, y) = pair_with_distance(25, 0.005);
    let report = check_closeness(&x, &y);
    assert!(report.within.len() > 3);
    for (tolerance, percent) in report.within {
        assert_eq!(percent, if tolerance >= 0.005 { 100.0 } else { 75.0 }, "within {tolerance}");
    }
}

#[test]
fn cl_001_the_report_is_printed() {
    if std::env::var_os("PRINT_CLOSENESS").is_some() {
        let (x, y) = pair_with_distance(25, 0.005);
        check_closeness(&x, &y);
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let name = "tensor::closeness::cl_001_the_report_is_printed";
    let output = Command::new(program)
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env("PRINT_CLOSENESS", "1")
        .output()
        .expect("it runs again");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("75.00%") && text.contains("100.00%"), "{text}");
    assert!(!text.contains('\u{1b}'), "a pipe gets no colours");
}

#[test]
fn cl_002_levels_are_pass_warn_and_fail() {
    let label = |count| {
        let (x, y) = pair_with_distance(count, 0.5);
        let report = check_closeness(&x, &y).to_string();
        let line =
            report.lines().find(|line| line.starts_with("1e-3")).expect("a line for a thousandth").to_owned();
        assert!(!line.contains('\u{1b}'), "no colour where the output is no terminal");
        line[line.find('[').expect("a level")..].to_owned()
    };
    assert_eq!(label(0), "[PASS]");
    assert_eq!(label(10), "[WARN]");
    assert_eq!(label(11), "[FAIL]");
}

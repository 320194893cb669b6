use crate::Tensor;
use alloc::vec::Vec;
use burn_backend::Backend;
use core::fmt;

/// Agreement of two tensors, for a series of tolerances.
#[derive(Clone, Debug, PartialEq)]
pub struct Closeness {
    /// Each tolerance, with the percentage of elements whose difference is at most that.
    pub within: Vec<(f64, f64)>,
    colour: bool,
}

/// The largest tolerance first.
const TOLERANCES: [f64; 8] = [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// Compares elementwise, prints for each tolerance the percentage of elements within it, and returns the
/// report. Green `[PASS]` is all of them, yellow `[WARN]` at least 90 %, red `[FAIL]` less; no colour when
/// the output is not a terminal or `NO_COLOR` is set. PyTorch: `torch.testing.assert_close`.
///
/// # Panics
/// When the shapes differ.
#[doc(alias = "assert_close")]
#[track_caller]
pub fn check_closeness<B: Backend, const D: usize>(lhs: &Tensor<B, D>, rhs: &Tensor<B, D>) -> Closeness {
    assert!(
        lhs.dims() == rhs.dims(),
        "check_closeness: shapes differ: {:?} and {:?}",
        lhs.shape(),
        rhs.shape()
    );
    let report = compare(&lhs.to_data().to_f64(), &rhs.to_data().to_f64());
    print(&report);
    report
}

fn compare(lhs: &[f64], rhs: &[f64]) -> Closeness {
    let same = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan());
    let percent = |tolerance: f64| {
        let close = lhs.iter().zip(rhs).filter(|&(&x, &y)| same(x, y) || (x - y).abs() <= tolerance);
        100.0 * close.count() as f64 / lhs.len().max(1) as f64
    };
    let percent = |tolerance| if lhs.is_empty() { 100.0 } else { percent(tolerance) };
    Closeness { within: TOLERANCES.into_iter().map(|t| (t, percent(t))).collect(), colour: colour() }
}

#[cfg(feature = "std")]
fn colour() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

#[cfg(not(feature = "std"))]
fn colour() -> bool {
    false
}

#[cfg(feature = "std")]
fn print(report: &Closeness) {
    use std::io::Write;
    // A report that cannot be printed is still returned.
    let _ = write!(std::io::stdout(), "{report}");
}

#[cfg(not(feature = "std"))]
fn print(_report: &Closeness) {}

impl fmt::Display for Closeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &(tolerance, percent) in &self.within {
            let (label, code) = match percent {
                100.0 => ("[PASS]", 32),
                90.0.. => ("[WARN]", 33),
                _ => ("[FAIL]", 31),
            };
            if self.colour {
                writeln!(f, "{tolerance:e}: {percent:.2}% \u{1b}[{code}m{label}\u{1b}[0m")?;
            } else {
                writeln!(f, "{tolerance:e}: {percent:.2}% {label}")?;
            }
        }
        Ok(())
    }
}

//! How likely a sample is to be that far from its law.

use burn_backend::UnaryOp;

/// Fits that are less likely are failures. Seeds are fixed, but other tests of the process draw from the same
/// generators: a correct generator fails one run of the whole suite in some thousands.
const LEAST: f64 = 1e-6;

/// Kolmogorov and Smirnov: `xs` come from the law whose distribution function is `cdf`, but for `rounding` of
/// it.
///
/// # Errors
/// When that is not likely.
pub fn follows(xs: &[f64], cdf: impl Fn(f64) -> f64, rounding: f64) -> Result<(), String> {
    let mut xs = xs.to_vec();
    xs.sort_by(f64::total_cmp);
    let count = xs.len() as f64;
    let gap = |(at, &x): (usize, &f64)| {
        let expected = cdf(x);
        f64::max(expected - at as f64 / count, (at + 1) as f64 / count - expected)
    };
    let distance = xs.iter().enumerate().map(gap).fold(0.0, f64::max) - rounding;
    let scaled = distance * (count.sqrt() + 0.12 + 0.11 / count.sqrt());
    // The first terms of an alternating series; near 0 everything is likely.
    let term =
        |k: i32| 2.0 * f64::from(1 - 2 * ((k + 1) % 2)) * (-2.0 * f64::from(k * k) * scaled * scaled).exp();
    let p = if scaled < 0.3 { 1.0 } else { (1..=20).map(term).sum() };
    if p > LEAST { Ok(()) } else { Err(format!("Kolmogorov-Smirnov: distance {distance}, p = {p:e}")) }
}

/// Pearson's chi-square: `observed` counts of outcomes with these probabilities.
///
/// # Errors
/// When that is not likely, or an outcome without probability is there.
pub fn fits(observed: &[usize], probabilities: &[f64]) -> Result<(), String> {
    let count = observed.iter().sum::<usize>() as f64;
    let (mut chi_square, mut freedom) = (0.0, -1.0);
    for (&observed, &p) in observed.iter().zip(probabilities) {
        if p == 0.0 && observed > 0 {
            return Err(format!("{observed} draws of what has no probability"));
        }
        if p > 0.0 {
            chi_square += (observed as f64 - count * p).powi(2) / (count * p);
            freedom += 1.0;
        }
    }
    // The cube root is nearly normal (Wilson and Hilferty, 1931).
    let spread = 2.0 / (9.0 * freedom);
    let z = ((chi_square / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    let p = 0.5 * (1.0 - UnaryOp::Erf.eval_f64(z / 2_f64.sqrt()));
    if p > LEAST {
        Ok(())
    } else {
        Err(format!("chi-square {chi_square} of {freedom}: p = {p:e}, {observed:?}"))
    }
}

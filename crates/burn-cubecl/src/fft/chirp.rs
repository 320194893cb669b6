//! Bluestein's convolution: `j k = (j^2 + k^2 - (k - j)^2) / 2`, so that the sum is one of products with a chirp.

use super::root::root;

/// Elements of a convolution of `n` ones: a power of two.
pub fn length(n: usize) -> usize {
    (2 * n - 1).next_power_of_two()
}

/// Element `j` of the chirp `e^(-pi i j^2 / n)`.
pub fn chirp(j: usize, n: usize) -> (f64, f64) {
    let turns = (j as u128 * j as u128 % (2 * n as u128)) as usize;
    let (cosine, sine) = root(turns, 2 * n);
    (cosine, -sine)
}

/// The spectrum of the conjugate of the chirp on both sides of 0, divided by its number of elements.
pub fn spectrum(n: usize, size: usize) -> Vec<(f64, f64)> {
    let mut values = vec![(0.0, 0.0); size];
    for j in 0..n {
        let (re, im) = chirp(j, n);
        let value = (re / size as f64, -im / size as f64);
        values[j] = value;
        values[(size - j) % size] = value;
    }
    transformed(&values)
}

/// The transform of a power of two of numbers.
fn transformed(values: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = values.len();
    if n == 1 {
        return values.to_vec();
    }
    let half = |odd: usize| transformed(&values.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let mut out = vec![(0.0, 0.0); n];
    for k in 0..n / 2 {
        let (cosine, sine) = root(k, n);
        let ((a, b), (c, d)) = (even[k], odd[k]);
        let (c, d) = (c * cosine + d * sine, d * cosine - c * sine);
        out[k] = (a + c, b + d);
        out[k + n / 2] = (a - c, b - d);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_is_the_sum() {
        let x: Vec<(f64, f64)> = (0..16_u8).map(|j| (f64::from(j).sin(), f64::from(j * j).cos())).collect();
        for (k, &(re, im)) in transformed(&x).iter().enumerate() {
            let term = |j: usize| {
                let angle = -std::f64::consts::TAU * (j * k) as f64 / 16.0;
                let ((a, b), (c, s)) = (x[j], (angle.cos(), angle.sin()));
                (a * c - b * s, a * s + b * c)
            };
            let sum = (0..16).map(term).fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
            assert!((re - sum.0).abs() < 1e-13 && (im - sum.1).abs() < 1e-13, "{k}");
        }
    }
}

//! Bluestein's convolution: `j k = (j^2 + k^2 - (k - j)^2) / 2`, so that the sum is one of products with a
//! chirp.

use super::root::root;

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

/// The transform of so many numbers, of which there are no large prime factors.
fn transformed(values: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = values.len();
    let Some(prime) = (2..=n).find(|&prime| n.is_multiple_of(prime)) else { return values.to_vec() };
    let part =
        |first: usize| transformed(&values.iter().skip(first).step_by(prime).copied().collect::<Vec<_>>());
    let parts: Vec<_> = (0..prime).map(part).collect();
    let term = |k: usize, first: usize| {
        let ((cosine, sine), (a, b)) = (root(first * k, n), parts[first][k % (n / prime)]);
        (a * cosine + b * sine, b * cosine - a * sine)
    };
    let sum =
        |k: usize| (0..prime).map(|first| term(k, first)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    (0..n).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transform_is_the_sum() {
        let x: Vec<(f64, f64)> = (0..90_u16).map(|j| (f64::from(j).sin(), f64::from(j * j).cos())).collect();
        for (k, &(re, im)) in transformed(&x).iter().enumerate() {
            let term = |j: usize| {
                let angle = -std::f64::consts::TAU * (j * k) as f64 / 90.0;
                let ((a, b), (c, s)) = (x[j], (angle.cos(), angle.sin()));
                (a * c - b * s, a * s + b * c)
            };
            let sum = (0..90).map(term).fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
            assert!((re - sum.0).abs() < 1e-12 && (im - sum.1).abs() < 1e-12, "{k}");
        }
    }
}

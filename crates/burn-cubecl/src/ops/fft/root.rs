use std::f64::consts::TAU;

/// Cosine and sine of `k / n` turns, exact at quarters.
pub fn root(k: usize, n: usize) -> (f64, f64) {
    let k = k % n;
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // Within the quarter, from whichever end is nearer.
    let angle = |part: usize| TAU / 4.0 * part as f64 / n as f64;
    let (cos, sin) = if 2 * rest <= n {
        (angle(rest).cos(), angle(rest).sin())
    } else {
        (angle(n - rest).sin(), angle(n - rest).cos())
    };
    match quarter {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

use core::f64::consts::FRAC_PI_2;
use num_complex::Complex;
use num_traits::{Float, FromPrimitive};

/// Computes the root of unity `e^(2 pi i k / n)`, correctly rounded, and exact where it is 1, i, -1 or -i.
pub fn root<E: Float + FromPrimitive>(k: usize, n: usize) -> Complex<E> {
    let k = k % n;
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // Within the quarter, from whichever end is nearer.
    let angle = |part: usize| FRAC_PI_2 * part as f64 / n as f64;
    let (cos, sin) = if 2 * rest <= n {
        (libm::cos(angle(rest)), libm::sin(angle(rest)))
    } else {
        (libm::sin(angle(n - rest)), libm::cos(angle(n - rest)))
    };
    let (re, im) = match quarter {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    };
    let narrow = |x: f64| E::from_f64(x).unwrap_or_else(E::nan);
    Complex::new(narrow(re), narrow(im))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_of_unity_exact_at_quarters() {
        let quarters = [0, 3, 6, 9].map(|k| root::<f64>(k, 12));
        assert_eq!(quarters.map(|z| (z.re, z.im)), [(1.0, 0.0), (-0.0, 1.0), (-1.0, -0.0), (0.0, -1.0)]);
    }

    #[test]
    fn root_of_unity_is_cos_and_sin() {
        for n in [1, 2, 5, 7, 8, 1009] {
            for k in 0..n {
                let (found, angle) = (root::<f64>(k, n), core::f64::consts::TAU * k as f64 / n as f64);
                assert!((found.re - angle.cos()).abs() < 4e-15 && (found.im - angle.sin()).abs() < 4e-15);
            }
        }
    }
}

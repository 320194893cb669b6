use crate::root::root;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use num_complex::Complex;
use num_traits::{Float, FromPrimitive};

/// Larger prime factors go through a convolution.
const LARGEST: usize = 31;

/// A transform of `n` complex numbers in place, forward or backward.
pub enum MixedRadix<E> {
    /// Cooley and Tukey, 1965: `n` is the product of `factors`, `roots` are the `n` roots of unity.
    Factors { factors: Vec<usize>, roots: Vec<Complex<E>> },
    /// Bluestein, 1970: `j k = (j^2 + k^2 - (k - j)^2) / 2` makes the sum a convolution, of any convenient
    /// length.
    Chirp {
        chirp: Vec<Complex<E>>,
        spectrum: Vec<Complex<E>>,
        forward: Box<MixedRadix<E>>,
        backward: Box<MixedRadix<E>>,
    },
}

impl<E: Float + FromPrimitive> MixedRadix<E> {
    pub fn new(n: usize, backward: bool) -> Self {
        let turn = |k: usize, n: usize| if backward { root::<E>(k, n) } else { root::<E>(k, n).conj() };
        match factors(n) {
            Some(factors) => {
                let roots = (0..n).map(|k| turn(k, n)).collect();
                MixedRadix::Factors { factors, roots }
            }
            None => {
                let long = (2 * n - 1).next_power_of_two();
                let chirp: Vec<_> = (0..n).map(|j| turn(j * j % (2 * n), 2 * n)).collect();
                let mut spectrum = vec![Complex::new(E::zero(), E::zero()); long];
                for (j, z) in chirp.iter().enumerate() {
                    spectrum[j] = z.conj();
                    spectrum[(long - j) % long] = z.conj();
                }
                let forward = Box::new(MixedRadix::new(long, false));
                forward.process_row(&mut spectrum, &mut vec![Complex::new(E::zero(), E::zero()); long]);
                let scale = E::one() / E::from_usize(long).unwrap_or_else(E::nan);
                spectrum.iter_mut().for_each(|z| *z = z.scale(scale));
                MixedRadix::Chirp {
                    chirp,
                    spectrum,
                    forward,
                    backward: Box::new(MixedRadix::new(long, true)),
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            MixedRadix::Factors { roots, .. } => roots.len(),
            MixedRadix::Chirp { chirp, .. } => chirp.len(),
        }
    }

    pub fn scratch_len(&self) -> usize {
        match self {
            MixedRadix::Factors { roots, .. } => roots.len(),
            MixedRadix::Chirp { spectrum, .. } => 2 * spectrum.len(),
        }
    }

    /// Transforms each row of `data`; `scratch` has [`MixedRadix::scratch_len`] elements of any value.
    pub fn process(&self, data: &mut [Complex<E>], scratch: &mut [Complex<E>]) {
        data.chunks_exact_mut(self.len()).for_each(|row| self.process_row(row, scratch));
    }

    fn process_row(&self, row: &mut [Complex<E>], scratch: &mut [Complex<E>]) {
        match self {
            MixedRadix::Factors { factors, roots } => {
                let copy = &mut scratch[..row.len()];
                copy.copy_from_slice(row);
                step(copy, 1, row, factors, roots);
            }
            MixedRadix::Chirp { chirp, spectrum, forward, backward } => {
                let (long, scratch) = scratch.split_at_mut(spectrum.len());
                long.fill(Complex::new(E::zero(), E::zero()));
                long.iter_mut().zip(row.iter().zip(chirp)).for_each(|(out, (x, z))| *out = x * z);
                forward.process_row(long, scratch);
                long.iter_mut().zip(spectrum).for_each(|(out, z)| *out = *out * z);
                backward.process_row(long, scratch);
                row.iter_mut().zip(long.iter().zip(chirp)).for_each(|(out, (x, z))| *out = x * z);
            }
        }
    }
}

/// The transform of every `stride`-th element of `x`: of its `radix` interleaved parts, joined.
fn step<E: Float + FromPrimitive>(
    x: &[Complex<E>],
    stride: usize,
    out: &mut [Complex<E>],
    factors: &[usize],
    roots: &[Complex<E>],
) {
    let [radix, factors @ ..] = factors else {
        out[0] = x[0];
        return;
    };
    let (n, size) = (out.len(), out.len() / radix);
    for (part, out) in out.chunks_exact_mut(size).enumerate() {
        step(&x[part * stride..], stride * radix, out, factors, roots);
    }
    // Roots of unity of `n` are every `stride`-th of those of the whole length.
    let root = |k: usize| roots[k % n * stride];
    let mut turned = [Complex::new(E::zero(), E::zero()); LARGEST];
    for k in 0..size {
        for part in 0..*radix {
            turned[part] = out[part * size + k] * root(part * k);
        }
        for place in 0..*radix {
            let terms = turned[..*radix].iter().enumerate().map(|(part, z)| z * root(part * place * size));
            out[place * size + k] = terms.fold(Complex::new(E::zero(), E::zero()), |sum, term| sum + term);
        }
    }
}

/// Prime factors, those of two in pairs; none if one is large.
fn factors(n: usize) -> Option<Vec<usize>> {
    let (mut factors, mut rest) = (Vec::new(), n);
    for factor in core::iter::once(4).chain(2..=LARGEST) {
        while rest.is_multiple_of(factor) {
            factors.push(factor);
            rest /= factor;
        }
    }
    (rest == 1).then_some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[Complex<f64>], expected: &[Complex<f64>]) {
        let size: f64 = expected.iter().map(|z| z.norm()).sum();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).norm() <= 1e-14 * size, "{found} {expected}");
        }
    }

    fn sum(x: &[Complex<f64>], k: usize, backward: bool) -> Complex<f64> {
        let n = x.len();
        let turn = |j: usize| if backward { root::<f64>(j * k, n) } else { root::<f64>(j * k, n).conj() };
        x.iter().enumerate().map(|(j, x)| x * turn(j)).sum()
    }

    #[test]
    fn mixed_radix_is_the_sum() {
        for n in [1, 2, 3, 4, 8, 12, 30, 31, 37, 64, 74, 101, 210] {
            let x: Vec<_> = (0..n).map(|j| Complex::new((j as f64).sin(), (j as f64 * 0.7).cos())).collect();
            for backward in [false, true] {
                let plan = MixedRadix::new(n, backward);
                let mut found = x.clone();
                plan.process(&mut found, &mut vec![Complex::new(0.0, 0.0); plan.scratch_len()]);
                let expected: Vec<_> = (0..n).map(|k| sum(&x, k, backward)).collect();
                close(&found, &expected);
            }
        }
    }
}

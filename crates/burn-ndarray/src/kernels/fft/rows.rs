use crate::NdTensor;
use crate::kernels::layout::{from_lanes, lanes, permute};
use crate::memory::{Room, list};
use crate::threads::parallel;
use alloc::vec::Vec;
use burn_backend::{Dims, FftOp, HasSpec, Shape, TensorSpec};
use burn_fft::{Job, Plan, Real};
use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex;

/// Elements in a chunk of work, at least: small rows share scratch memory.
const CHUNK: usize = 2048;

pub fn transform<E: Real>(op: FftOp, x: NdTensor, dim: usize) -> NdTensor {
    match op {
        FftOp::Forward => complex::<E>(x, dim, Job::Forward),
        FftOp::Backward => complex::<E>(x, dim, Job::Backward),
        FftOp::Real => real::<E>(x, dim),
        FftOp::Half { n } => half::<E>(x, dim, n),
    }
}

/// `x` with dimension `dim` moved in front of the pairs, in row-major order.
fn pair_lanes(x: NdTensor, dim: usize) -> NdTensor {
    let last = x.shape().rank() - 1;
    let axes: Dims = (0..last).filter(|&d| d != dim).chain([dim, last]).collect();
    permute(x, &axes).into_contiguous()
}

/// Undoes the move of [`pair_lanes`].
fn from_pair_lanes(x: NdTensor, dim: usize) -> NdTensor {
    let last = x.shape().rank() - 1;
    let axes: Dims = (0..dim).chain([last - 1]).chain(dim..last - 1).chain([last]).collect();
    permute(x, &axes)
}

/// The shape of rows without the last `skip` dimensions, with `sizes` instead.
fn with_end(x: &NdTensor, skip: usize, sizes: &[usize]) -> TensorSpec {
    let kept = x.shape().rank() - skip;
    let shape: Shape = x.shape()[..kept].iter().chain(sizes).copied().collect();
    TensorSpec { shape, dtype: x.spec().dtype }
}

/// Elements of the plan for `n` numbers, and of its scratch memory: roots of unity of each of its lengths,
/// and where a prime factor is large those of a convolution whose length is up to four times as large.
fn plan_room<E: Real>(n: usize) -> Room {
    let mut rest = n;
    for factor in [2, 3, 5, 7, 11] {
        while rest.is_multiple_of(factor) {
            rest /= factor;
        }
    }
    Room::new::<Complex<E>>(if n < CHUNK {
        0
    } else if rest == 1 {
        4 * n
    } else {
        24 * n
    })
}

fn zeros<E: Real>(count: usize) -> Vec<Complex<E>> {
    list(Complex::new(E::zero(), E::zero()), count)
}

/// Rows in a chunk of work, and its cost in additions.
fn work(n: usize) -> (usize, usize) {
    let rows = (CHUNK / n).max(1);
    (rows, rows * n * 4 * (n.ilog2() as usize + 1))
}

fn complex<E: Real>(x: NdTensor, dim: usize, job: Job) -> NdTensor {
    let n = x.shape()[dim];
    let mut x = pair_lanes(x, dim);
    let _room = plan_room::<E>(n);
    let plan = E::plan(n, job);
    let (rows, cost) = work(n);
    parallel::for_chunks(x.make_mut::<E>(), rows * n * 2, cost, &|_, chunk| {
        let _room = Room::new::<Complex<E>>(plan.scratch_len());
        plan.run(cast_slice_mut(chunk), &mut zeros(plan.scratch_len()));
    });
    from_pair_lanes(x, dim)
}

fn real<E: Real>(x: NdTensor, dim: usize) -> NdTensor {
    let n = x.shape()[dim];
    let size = n / 2 + 1;
    let x = lanes(x, dim);
    let mut out = NdTensor::new(with_end(&x, 1, &[size, 2]));
    let _room = plan_room::<E>(n);
    let (plan, xs) = (E::plan(n, Job::Real), x.slice::<E>());
    let (rows, cost) = work(n);
    parallel::for_chunks(out.make_mut::<E>(), rows * size * 2, cost, &|chunk, out| {
        let _room = Room::new::<Complex<E>>(plan.scratch_len() + n);
        let (mut scratch, mut row) = (zeros(plan.scratch_len()), zeros(n % 2 * n));
        let xs = xs[chunk * rows * n..].chunks_exact(n);
        for (x, out) in xs.zip(cast_slice_mut::<E, Complex<E>>(out).chunks_exact_mut(size)) {
            if n.is_multiple_of(2) {
                even_spectrum(&plan, x, out, &mut scratch);
            } else {
                row.iter_mut().zip(x).for_each(|(z, &x)| *z = Complex::new(x, E::zero()));
                plan.run(&mut row, &mut scratch);
                out.copy_from_slice(&row[..size]);
                out[0].im = E::zero();
            }
        }
    });
    from_pair_lanes(out, dim)
}

/// Half of the spectrum of `x`, from that of the complex numbers `x[0] + i x[1], x[2] + i x[3], ..`: it is
/// the spectrum of the elements at even positions plus `i` times that of the others, which symmetry
/// separates.
fn even_spectrum<E: Real>(plan: &Plan<E>, x: &[E], out: &mut [Complex<E>], scratch: &mut [Complex<E>]) {
    let m = x.len() / 2;
    out[..m].copy_from_slice(cast_slice(x));
    plan.run(&mut out[..m], scratch);
    let (first, half) = (out[0], E::one() / (E::one() + E::one()));
    out[0] = Complex::new(first.re + first.im, E::zero());
    out[m] = Complex::new(first.re - first.im, E::zero());
    for k in 1..=m / 2 {
        let (z, mirrored) = (out[k], out[m - k].conj());
        let even = (z + mirrored).scale(half);
        let odd = times_i((mirrored - z).scale(half)) * plan.roots[k];
        out[m - k] = (even - odd).conj();
        out[k] = even + odd;
    }
}

fn half<E: Real>(x: NdTensor, dim: usize, n: usize) -> NdTensor {
    let size = n / 2 + 1;
    let x = pair_lanes(x, dim);
    let mut out = NdTensor::new(with_end(&x, 2, &[n]));
    let _room = plan_room::<E>(n);
    let (plan, xs) = (E::plan(n, Job::Half), cast_slice::<E, Complex<E>>(x.slice::<E>()));
    let (rows, cost) = work(n);
    parallel::for_chunks(out.make_mut::<E>(), rows * n, cost, &|chunk, out| {
        let _room = Room::new::<Complex<E>>(plan.scratch_len() + n);
        let (mut scratch, mut row) = (zeros(plan.scratch_len()), zeros(n % 2 * n));
        let xs = xs[chunk * rows * size..].chunks_exact(size);
        for (x, out) in xs.zip(out.chunks_exact_mut(n)) {
            if n.is_multiple_of(2) {
                from_even_spectrum(&plan, x, cast_slice_mut(out), &mut scratch);
            } else {
                row[0] = Complex::new(x[0].re, E::zero());
                for (k, z) in x.iter().enumerate().skip(1) {
                    row[k] = *z;
                    row[n - k] = z.conj();
                }
                plan.run(&mut row, &mut scratch);
                out.iter_mut().zip(&row).for_each(|(out, z)| *out = z.re);
            }
        }
    });
    from_lanes(out, dim)
}

/// The reverse of [`even_spectrum`], times `2 out.len()`.
fn from_even_spectrum<E: Real>(
    plan: &Plan<E>,
    x: &[Complex<E>],
    out: &mut [Complex<E>],
    scratch: &mut [Complex<E>],
) {
    let m = out.len();
    let (first, last) = (x[0].re, x[m].re);
    out[0] = Complex::new(first + last, first - last);
    for k in 1..m {
        let (z, mirrored) = (x[k], x[m - k].conj());
        out[k] = z + mirrored + times_i(z - mirrored) * plan.roots[k];
    }
    plan.run(out, scratch);
}

fn times_i<E: Real>(z: Complex<E>) -> Complex<E> {
    Complex::new(-z.im, z.re)
}

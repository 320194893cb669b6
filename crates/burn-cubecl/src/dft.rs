//! Fourier transforms of `f64`, as sums of products: the passes of `fft` are in `f32`.

use crate::kernel::{A, Body, Kernel, launch};
use crate::layout::contiguous;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::prelude::*;

/// Elements are `[outer, line, inner]`, complex ones with a pair behind. `A` is `f64`.
#[cube]
#[allow(clippy::too_many_arguments)]
fn transform<E: Float>(
    x: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    n: u32,
    terms: u32,
    results: u32,
    inner: u32,
    #[comptime] op: FftOp,
) {
    let at = strides::position();
    if at < count {
        let i = at % inner;
        let j = at / inner % results;
        let first = at / (inner * results) * terms * inner + i;
        let mut re = E::from_int(0);
        let mut im = E::from_int(0);
        // The product of both numbers, less whole turns.
        let mut part = 0u32;
        for k in 0..n {
            let mirrored = k >= terms;
            let place = first + select(mirrored, n - k, k) * inner;
            let mut a = E::from_int(0);
            let mut b = E::from_int(0);
            if comptime!(op == FftOp::Real) {
                a += x[place as usize];
            } else {
                a += x[(2u32 * place) as usize];
                b += x[(2u32 * place + 1u32) as usize];
            }
            if comptime!(matches!(op, FftOp::Half { .. })) {
                // What is its own mirror image is real.
                b = select(k == 0u32 || 2u32 * k == n, E::from_int(0), select(mirrored, -b, b));
            }
            let (sine, cosine) = crate::math::wide::turn(part, n);
            let sine = if comptime!(matches!(op, FftOp::Forward | FftOp::Real)) { -sine } else { sine };
            let (sine, cosine) = (E::cast_from(sine), E::cast_from(cosine));
            re += a * cosine - b * sine;
            im += a * sine + b * cosine;
            part += j;
            part = select(part >= n, part - n, part);
        }
        if comptime!(matches!(op, FftOp::Half { .. })) {
            out[at as usize] = re;
        } else {
            out[(2u32 * at) as usize] = re;
            out[(2u32 * at + 1u32) as usize] = im;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Transform {
    op: FftOp,
}

impl Kernel for Transform {
    const NAME: &'static str = "dft";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.array(0), body.array(1));
        let [count, n, terms, results, inner] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        transform::expand::<A>(&mut body.scope, x, out, count, n, terms, results, inner, self.op);
    }
}

pub fn dft(op: FftOp, x: CubeTensor, dim: usize) -> CubeTensor {
    let spec =
        output_specs(&Operation::Fft { op, x: &x, dim }).unwrap_or_else(|error| panic!("{error}")).one();
    let x = contiguous(x);
    let out = CubeTensor::empty(spec, x.engine());
    let (from, to) = (x.shape(), out.shape());
    let n = if op == FftOp::Real { from[dim] } else { to[dim] };
    let behind = if op == FftOp::Real { from.rank() } else { from.rank() - 1 };
    let inner: usize = from[dim + 1..behind].iter().product();
    // The size is not part of what is compiled.
    let kernel = Transform { op: if matches!(op, FftOp::Half { .. }) { FftOp::Half { n: 0 } } else { op } };
    let count = from[..dim].iter().product::<usize>() * to[dim] * inner;
    let words: Vec<u32> = strides::words(&[count, n, from[dim], to[dim], inner]).collect();
    launch(kernel, &[&x], &[&out], &words, count);
    out
}

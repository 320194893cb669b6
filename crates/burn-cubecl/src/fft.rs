use crate::kernel::{A, Body, Kernel, launch};
use crate::layout::contiguous;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::prelude::*;

/// Sums of products with sines and cosines, an element of the result at a time: for lines that are not long.
///
/// Elements are `[outer, line, inner]`, complex ones with a pair behind.
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
        let complex_in = comptime!(op != FftOp::Real);
        let complex_out = comptime!(!matches!(op, FftOp::Half { .. }));
        let part = if comptime!(complex_out) { at % 2u32 } else { 0u32.runtime() };
        let rest = if comptime!(complex_out) { at / 2u32 } else { at / 1u32 };
        let i = rest % inner;
        let j = rest / inner % results;
        let o = rest / (inner * results);
        let mut sum = f32::cast_from(0.0f32);
        for k in 0..n {
            let mirrored = k >= terms;
            let from = select(mirrored, n - k, k);
            let place = (o * terms + from) * inner + i;
            let width = if comptime!(complex_in) { 2u32 } else { 1u32 };
            let real = f32::cast_from(x[(width * place) as usize]);
            let mut imaginary = 0.0f32;
            if comptime!(complex_in) {
                imaginary = f32::cast_from(x[(2u32 * place + 1u32) as usize]);
            }
            if comptime!(matches!(op, FftOp::Half { .. })) {
                if mirrored {
                    imaginary = -imaginary;
                }
                // What is its own mirror image is real.
                if k == 0u32 || 2u32 * k == n {
                    imaginary = 0.0f32;
                }
            }
            // Quarter turns and the rest, both exactly.
            let eighths = (k * j) % n;
            let (sine, cosine) = crate::math::turn(eighths, n);
            let sine = if comptime!(matches!(op, FftOp::Forward | FftOp::Real)) { -sine } else { sine };
            if part == 1u32 {
                sum += real * sine + imaginary * cosine;
            } else {
                sum += real * cosine - imaginary * sine;
            }
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Transform {
    op: FftOp,
}

impl Kernel for Transform {
    const NAME: &'static str = "fft";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.array(0), body.array(1));
        let [count, n, terms, results, inner] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        transform::expand::<A>(&mut body.scope, x, out, count, n, terms, results, inner, self.op);
    }
}

pub fn fft(op: FftOp, x: CubeTensor, dim: usize) -> CubeTensor {
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
    let count = to.num_elements();
    let words: Vec<u32> = strides::words(&[count, n, from[dim], to[dim], inner]).collect();
    launch(kernel, &[&x], &[&out], &words, count);
    out
}

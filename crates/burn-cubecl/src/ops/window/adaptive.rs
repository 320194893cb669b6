use super::{Window, window, window_words};
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::prelude::*;

/// Start of adaptive window `i` of `size` over `n`, and its end: that of the next one would be rounded up.
#[cube]
fn adaptive_start(i: u32, n: u32, size: u32) -> u32 {
    i * n / size
}

#[cube]
fn adaptive_end(i: u32, n: u32, size: u32) -> u32 {
    ((i + 1u32) * n + size - 1u32) / size
}

#[cube]
fn adaptive_pool<E: Numeric, S: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    w: &Window,
    #[comptime] is_grad: bool,
) {
    let at = strides::position();
    if at < count {
        let from = if comptime!(is_grad) { w.input.clone() } else { w.output.clone() };
        let mut rest = at + 0u32;
        let p2 = rest % *from.index(2usize);
        rest = rest / *from.index(2usize);
        let p1 = rest % *from.index(1usize);
        rest = rest / *from.index(1usize);
        let p0 = rest % *from.index(0usize);
        let plane = rest / *from.index(0usize);
        let (n0, n1, n2) = (*w.input.index(0usize), *w.input.index(1usize), *w.input.index(2usize));
        let (s0, s1, s2) = (*w.output.index(0usize), *w.output.index(1usize), *w.output.index(2usize));
        let mut sum = S::from_int(0);
        if comptime!(is_grad) {
            for q0 in 0..s0 {
                let (a0, e0) = (adaptive_start(q0, n0, s0), adaptive_end(q0, n0, s0));
                if a0 <= p0 && p0 < e0 {
                    for q1 in 0..s1 {
                        let (a1, e1) = (adaptive_start(q1, n1, s1), adaptive_end(q1, n1, s1));
                        if a1 <= p1 && p1 < e1 {
                            for q2 in 0..s2 {
                                let (a2, e2) = (adaptive_start(q2, n2, s2), adaptive_end(q2, n2, s2));
                                if a2 <= p2 && p2 < e2 {
                                    let value =
                                        S::cast_from(x[(((plane * s0 + q0) * s1 + q1) * s2 + q2) as usize]);
                                    sum += value / S::cast_from((e0 - a0) * (e1 - a1) * (e2 - a2));
                                }
                            }
                        }
                    }
                }
            }
            out[at as usize] = E::cast_from(sum);
        } else {
            let (a0, e0) = (adaptive_start(p0, n0, s0), adaptive_end(p0, n0, s0));
            let (a1, e1) = (adaptive_start(p1, n1, s1), adaptive_end(p1, n1, s1));
            let (a2, e2) = (adaptive_start(p2, n2, s2), adaptive_end(p2, n2, s2));
            for i0 in a0..e0 {
                for i1 in a1..e1 {
                    for i2 in a2..e2 {
                        sum += S::cast_from(x[(((plane * n0 + i0) * n1 + i1) * n2 + i2) as usize]);
                    }
                }
            }
            out[at as usize] = E::cast_from(sum / S::cast_from((e0 - a0) * (e1 - a1) * (e2 - a2)));
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AdaptivePool {
    is_grad: bool,
}

impl Kernel for AdaptivePool {
    const NAME: &'static str = "adaptive_pool";

    fn expand(&self, body: &mut Body) {
        let (x, out, count) = (body.array(0), body.array(1), body.next_word());
        let w = window(body);
        name_partial(body, body.dtype(0));
        adaptive_pool::expand::<A, Partial>(&mut body.scope, x, out, count, w, self.is_grad);
    }
}

fn adaptive(x: CubeTensor, shape: Shape, input: &Shape, output: &Shape, is_grad: bool) -> CubeTensor {
    let x = contiguous(x);
    let count = shape.num_elements();
    let out = CubeTensor::empty(TensorSpec::new(shape, x.dtype()), x.engine());
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend(window_words(&[], &[], &[], &[], &input[2..], &output[2..]));
    launch(AdaptivePool { is_grad }, &[&x], &[&out], &words, count);
    out
}

pub fn adaptive_avg_pool(x: CubeTensor, size: &Dims) -> CubeTensor {
    let input = x.shape();
    let output: Shape = input[..2].iter().chain(size.iter()).copied().collect();
    adaptive(x, output.clone(), &input, &output, false)
}

pub fn adaptive_avg_pool_grad(grad: CubeTensor, target: Shape) -> CubeTensor {
    let output = grad.shape();
    adaptive(grad, target.clone(), &target, &output, true)
}

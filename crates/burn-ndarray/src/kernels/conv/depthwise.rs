//! Groups of few channels: rows of the image, shifted by each tap, without matrices.

use super::geometry::Geometry;
use crate::elements::number::Number;
use crate::kernels::window::{Tap, Taps};
use crate::simd::dispatch;
use crate::threads::parallel;
use bytemuck::{cast_slice, cast_slice_mut};

/// Planes and kernels of one pair of channels: the input, the output, and the weights between them.
pub trait Planes: Number {
    /// `output += weights * input`.
    fn forward(g: &Geometry, taps: &Taps, input: &[Self], weights: &[Self], output: &mut [Self]);
    /// `input += weights * output`, the gradient of [`Planes::forward`] by its input.
    fn input_grad(g: &Geometry, taps: &Taps, input: &mut [Self], weights: &[Self], output: &[Self]);
    /// `weights += output * input`, the gradient by its weights.
    fn weight_grad(g: &Geometry, taps: &Taps, input: &[Self], weights: &mut [Self], output: &[Self]);
}

pub fn forward<E: Planes>(g: &Geometry, x: &[E], weight: &[E], bias: Option<&[E]>, out: &mut [E]) {
    let (area_in, area_out, channels) = (g.area_in(), g.area_out(), g.groups * g.group_out);
    let taps = Taps::new(&g.window, g.input[2], g.output[2]);
    parallel::for_chunks(out, area_out, area_out * g.depth() / 4, &|index, out| {
        let (image, channel) = (index / channels, index % channels);
        let group = channel / g.group_out;
        out.fill(bias.map_or(E::ZERO, |bias| bias[channel]));
        for c in 0..g.group_in {
            let x = &x[((image * g.groups + group) * g.group_in + c) * area_in..][..area_in];
            let weights = &weight[(channel * g.group_in + c) * g.taps()..][..g.taps()];
            E::forward(g, &taps, x, weights, out);
        }
    });
}

pub fn input_grad<E: Planes>(g: &Geometry, grad: &[E], weight: &[E], out: &mut [E]) {
    let (area_in, area_out, channels) = (g.area_in(), g.area_out(), g.groups * g.group_in);
    let taps = Taps::new(&g.window, g.input[2], g.output[2]);
    parallel::for_chunks(out, area_in.max(1), area_out * g.group_out * g.taps() / 4, &|index, out| {
        let (image, channel) = (index / channels, index % channels);
        let (group, c) = (channel / g.group_in, channel % g.group_in);
        out.fill(E::ZERO);
        for o in group * g.group_out..(group + 1) * g.group_out {
            let grad = &grad[(image * g.groups * g.group_out + o) * area_out..][..area_out];
            let weights = &weight[(o * g.group_in + c) * g.taps()..][..g.taps()];
            E::input_grad(g, &taps, out, weights, grad);
        }
    });
}

pub fn weight_grad<E: Planes>(g: &Geometry, grad: &[E], x: &[E], out: &mut [E]) {
    let (area_in, area_out) = (g.area_in(), g.area_out());
    let taps = Taps::new(&g.window, g.input[2], g.output[2]);
    // One chunk for each pair of channels.
    parallel::for_chunks(out, g.taps(), g.batch * area_out * g.taps() / 4, &|index, weights| {
        let (channel, c) = (index / g.group_in, index % g.group_in);
        let group = channel / g.group_out;
        weights.fill(E::ZERO);
        for image in 0..g.batch {
            let grad = &grad[(image * g.groups * g.group_out + channel) * area_out..][..area_out];
            let x = &x[((image * g.groups + group) * g.group_in + c) * area_in..][..area_in];
            E::weight_grad(g, &taps, x, weights, grad);
        }
    });
}

/// Runs `$body` for each line of output and each tap that reads it: `$k` is the tap, `$x` the first input
/// element it reads, `$y` the output elements it reaches.
macro_rules! for_taps {
    ($g:ident, $taps:ident, ($k:ident, $x:ident, $y:ident) => $body:expr) => {
        let [_, heights, widths] = $g.input;
        for line in 0..$g.lines() {
            let (i, j) = (line / $g.output[1], line % $g.output[1]);
            for a in $g.window.taps(0, i, $g.input[0]) {
                for b in $g.window.taps(1, j, heights) {
                    let row = $g.window.element(0, i, a) * heights + $g.window.element(1, j, b);
                    for c in 0..$g.window.kernel[2] {
                        let Tap { first, end, element } = $taps.get(c);
                        if first < end {
                            let $k = (a * $g.window.kernel[1] + b) * $g.window.kernel[2] + c;
                            let $x = row * widths + element;
                            let $y = line * $g.output[2] + first..line * $g.output[2] + end;
                            $body;
                        }
                    }
                }
            }
        }
    };
}

#[inline(always)]
fn forward_planes<E: Number>(g: &Geometry, taps: &Taps, input: &[E], weights: &[E], output: &mut [E]) {
    let stride = g.window.stride[2];
    for_taps!(g, taps, (k, x, y) => {
        let (weight, from, to) = (weights[k], &input[x..], &mut output[y]);
        if stride == 1 {
            to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
        } else {
            to.iter_mut().zip(from.chunks(stride)).for_each(|(to, x)| *to = to.plus(weight.times(x[0])));
        }
    });
}

#[inline(always)]
fn input_grad_planes<E: Number>(g: &Geometry, taps: &Taps, input: &mut [E], weights: &[E], output: &[E]) {
    let stride = g.window.stride[2];
    for_taps!(g, taps, (k, x, y) => {
        let (weight, to, from) = (weights[k], &mut input[x..], &output[y]);
        if stride == 1 {
            to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
        } else {
            to.chunks_mut(stride).zip(from).for_each(|(to, &x)| to[0] = to[0].plus(weight.times(x)));
        }
    });
}

#[inline(always)]
fn weight_grad_planes<E: Number>(g: &Geometry, taps: &Taps, input: &[E], weights: &mut [E], output: &[E]) {
    let stride = g.window.stride[2];
    for_taps!(g, taps, (k, x, y) => weights[k] = weights[k].plus(dot(&output[y], &input[x..], stride)));
}

/// `sum(x[i] * y[i * stride])`.
#[inline(always)]
fn dot<E: Number>(x: &[E], y: &[E], stride: usize) -> E {
    const LANES: usize = 16;
    if stride != 1 {
        return x.iter().zip(y.chunks(stride)).fold(E::ZERO, |sum, (&x, y)| sum.plus(x.times(y[0])));
    }
    let y = &y[..x.len()];
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    let mut lanes = [E::ZERO; LANES];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].plus(x[lane].times(y[lane]));
        }
    }
    let rest = x_rest.iter().zip(y_rest).fold(E::ZERO, |sum, (&x, &y)| sum.plus(x.times(y)));
    lanes.into_iter().fold(rest, E::plus)
}

macro_rules! planes {
    ($($ty:ident)*) => {$(
        impl Planes for $ty {
            fn forward(g: &Geometry, taps: &Taps, input: &[$ty], weights: &[$ty], output: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(g: &Geometry, taps: &Taps, x: &[$ty], w: &[$ty], y: &mut [$ty]) {
                    forward_planes(g, taps, x, w, y);
                }
                dispatch! { fn run(g: &Geometry, taps: &Taps, x: &[$ty], w: &[$ty], y: &mut [$ty]) = body }
                run(g, taps, input, weights, output);
            }
            fn input_grad(g: &Geometry, taps: &Taps, input: &mut [$ty], weights: &[$ty], output: &[$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(g: &Geometry, taps: &Taps, x: &mut [$ty], w: &[$ty], y: &[$ty]) {
                    input_grad_planes(g, taps, x, w, y);
                }
                dispatch! { fn run(g: &Geometry, taps: &Taps, x: &mut [$ty], w: &[$ty], y: &[$ty]) = body }
                run(g, taps, input, weights, output);
            }
            fn weight_grad(g: &Geometry, taps: &Taps, input: &[$ty], weights: &mut [$ty], output: &[$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(g: &Geometry, taps: &Taps, x: &[$ty], w: &mut [$ty], y: &[$ty]) {
                    weight_grad_planes(g, taps, x, w, y);
                }
                dispatch! { fn run(g: &Geometry, taps: &Taps, x: &[$ty], w: &mut [$ty], y: &[$ty]) = body }
                run(g, taps, input, weights, output);
            }
        }
    )*};
}
planes!(f32 i64);
#[cfg(feature = "dtypes")]
planes!(f64);

/// Sums and products that wrap have the same bits with and without a sign.
#[cfg(feature = "dtypes")]
impl Planes for u64 {
    fn forward(g: &Geometry, taps: &Taps, input: &[u64], weights: &[u64], output: &mut [u64]) {
        i64::forward(g, taps, cast_slice(input), cast_slice(weights), cast_slice_mut(output));
    }
    fn input_grad(g: &Geometry, taps: &Taps, input: &mut [u64], weights: &[u64], output: &[u64]) {
        i64::input_grad(g, taps, cast_slice_mut(input), cast_slice(weights), cast_slice(output));
    }
    fn weight_grad(g: &Geometry, taps: &Taps, input: &[u64], weights: &mut [u64], output: &[u64]) {
        i64::weight_grad(g, taps, cast_slice(input), cast_slice_mut(weights), cast_slice(output));
    }
}

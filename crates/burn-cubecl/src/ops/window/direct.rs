//! Convolutions and their gradients without matrices: for groups of few channels, whose products would be
//! thin, and for integers.

use super::images::{elements, is_within, number_in, spot_of};
use super::{Window, tap_place, tap_source, window, window_words};
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use burn_backend::{ConvOptions, HasSpec, Shape, TensorSpec};
use cubecl::prelude::*;

/// A convolution: elements to compute, images, channels of both sides and those of a group, and its windows.
#[derive(CubeType, Clone)]
struct Plan {
    count: u32,
    images: u32,
    channels_in: u32,
    channels_out: u32,
    group_in: u32,
    group_out: u32,
    window: Window,
}

impl Plan {
    /// A launch for tensors of these shapes.
    fn words(count: usize, [input, weight, output]: [&Shape; 3], options: &ConvOptions) -> Vec<u32> {
        let o = options;
        let sizes = [count, input[0], input[1], weight[0], weight[1], weight[0] / o.groups];
        let mut words: Vec<u32> = strides::words(&sizes).collect();
        let window =
            window_words(&weight[2..], &o.stride, o.padding_before(), &o.dilation, &input[2..], &output[2..]);
        words.extend(window);
        words
    }

    fn read(body: &mut Body) -> PlanExpand {
        PlanExpand {
            count: body.next_word(),
            images: body.next_word(),
            channels_in: body.next_word(),
            channels_out: body.next_word(),
            group_in: body.next_word(),
            group_out: body.next_word(),
            window: window(body),
        }
    }
}

/// Outputs of a unit, along the last dimension: a weight is loaded once for all of them.
const OWN: u32 = 4;

/// Taps along the last dimension up to which they are a part of the kernel that is compiled.
const UNROLLED: usize = 8;

/// Outputs of a unit: `across` apart from `col` on.
#[derive(CubeType, Clone)]
struct Outputs {
    col: u32,
    across: u32,
}

/// Adds what tap `k2` of the line of the input that begins at `line` brings to the outputs of a unit.
#[cube]
fn add_tap<E: Numeric, S: Numeric>(
    x: &Array<E>,
    factor: S,
    sums: &mut Array<S>,
    own: &Outputs,
    line: u32,
    k2: u32,
    w: &Window,
) {
    #[unroll]
    for j in 0..OWN {
        let i2 = tap_place(w, 2usize, own.col + j * own.across, k2);
        let inside = i2 < *w.input.index(2usize);
        let value = S::cast_from(x[(line + select(inside, i2, 0u32)) as usize]);
        sums[comptime!(j as usize)] += select(inside, value * factor, S::from_int(0));
    }
}

#[cube]
fn conv<E: Numeric, S: Numeric>(
    x: &Array<E>,
    weight: &Array<E>,
    bias: &Array<E>,
    out: &mut Array<E>,
    plan: &Plan,
    #[comptime] has_bias: bool,
    #[comptime] taps: Option<u32>,
) {
    let at = strides::position();
    if at < plan.count {
        let w = &plan.window;
        let width = *w.output.index(2usize);
        let across = (width + comptime!(OWN - 1)) / OWN;
        let row = at / across;
        let own = Outputs { col: at % across, across };
        let plane = row / *w.output.index(1usize);
        let (at0, at1) = (plane % *w.output.index(0usize), row % *w.output.index(1usize));
        let image = plane / *w.output.index(0usize);
        let channel = image % plan.channels_out;
        let first = image / plan.channels_out * plan.channels_in + channel / plan.group_out * plan.group_in;
        let mut sums = Array::<S>::new(comptime!(OWN as usize));
        #[unroll]
        for j in 0..comptime!(OWN as usize) {
            sums[j] = S::from_int(0);
        }
        let mut tap = channel * plan.group_in * elements(&w.kernel);
        for c in 0..plan.group_in {
            let start = (first + c) * elements(&w.input);
            for k0 in 0..*w.kernel.index(0usize) {
                let i0 = tap_place(w, 0usize, at0, k0);
                for k1 in 0..*w.kernel.index(1usize) {
                    let i1 = tap_place(w, 1usize, at1, k1);
                    if i0 < *w.input.index(0usize) && i1 < *w.input.index(1usize) {
                        let line = start + number_in(&w.input, i0, i1, 0u32);
                        if comptime!(taps.is_some()) {
                            #[unroll]
                            for k2 in 0..comptime!(taps.unwrap_or(0)) {
                                let factor = S::cast_from(weight[(tap + k2) as usize]);
                                add_tap::<E, S>(x, factor, &mut sums, &own, line, k2, w);
                            }
                        } else {
                            for k2 in 0..*w.kernel.index(2usize) {
                                let factor = S::cast_from(weight[(tap + k2) as usize]);
                                add_tap::<E, S>(x, factor, &mut sums, &own, line, k2, w);
                            }
                        }
                    }
                    tap += *w.kernel.index(2usize);
                }
            }
        }
        #[unroll]
        for j in 0..OWN {
            let o2 = own.col + j * across;
            if o2 < width {
                let mut sum = sums[comptime!(j as usize)];
                if comptime!(has_bias) {
                    sum += S::cast_from(bias[channel as usize]);
                }
                out[(row * width + o2) as usize] = E::cast_from(sum);
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Conv {
    has_bias: bool,
    /// Taps along the last dimension, if they are few.
    taps: Option<u32>,
}

impl Kernel for Conv {
    const NAME: &'static str = "conv";

    fn expand(&self, body: &mut Body) {
        let (x, weight, bias, out) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let plan = Plan::read(body);
        name_partial(body, body.dtype(0));
        conv::expand::<A, Partial>(&mut body.scope, x, weight, bias, out, plan, self.has_bias, self.taps);
    }
}

/// Computes the convolution of contiguous operands.
pub fn conv_directly(
    x: &CubeTensor,
    weight: &CubeTensor,
    bias: Option<&CubeTensor>,
    spec: TensorSpec,
    options: &ConvOptions,
) -> CubeTensor {
    let out = CubeTensor::empty(spec, x.engine());
    let shape = out.shape();
    let rank = shape.rank();
    let rows = shape[..rank - 1].iter().product::<usize>();
    let count = rows * shape[rank - 1].div_ceil(OWN as usize);
    let words = Plan::words(count, [&x.spec().shape, &weight.spec().shape, &shape], options);
    let last = weight.spec().shape[rank - 1];
    let kernel = Conv { has_bias: bias.is_some(), taps: (last <= UNROLLED).then_some(last as u32) };
    launch(kernel, &[x, weight, bias.unwrap_or(weight)], &[&out], &words, count);
    out
}

#[cube]
fn conv_transpose<E: Numeric, S: Numeric>(
    grad: &Array<E>,
    weight: &Array<E>,
    out: &mut Array<E>,
    plan: &Plan,
) {
    let at = strides::position();
    if at < plan.count {
        let w = &plan.window;
        let own = spot_of(at, &w.input);
        let channel = own.image % plan.channels_in;
        let batch = own.image / plan.channels_in;
        let group = channel / plan.group_in;
        let place_in_group = channel % plan.group_in;
        let mut sum = S::from_int(0);
        for c in 0..plan.group_out {
            let from = group * plan.group_out + c;
            let plane = (batch * plan.channels_out + from) * elements(&w.output);
            let taps = (from * plan.group_in + place_in_group) * elements(&w.kernel);
            for k0 in 0..*w.kernel.index(0usize) {
                let o0 = tap_source(w, 0usize, own.at0, k0);
                for k1 in 0..*w.kernel.index(1usize) {
                    let o1 = tap_source(w, 1usize, own.at1, k1);
                    for k2 in 0..*w.kernel.index(2usize) {
                        let o2 = tap_source(w, 2usize, own.at2, k2);
                        if is_within(&w.output, o0, o1, o2) {
                            let place = plane + number_in(&w.output, o0, o1, o2);
                            let tap = taps + number_in(&w.kernel, k0, k1, k2);
                            sum += S::cast_from(grad[place as usize]) * S::cast_from(weight[tap as usize]);
                        }
                    }
                }
            }
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ConvTranspose;

impl Kernel for ConvTranspose {
    const NAME: &'static str = "conv_transpose";

    fn expand(&self, body: &mut Body) {
        let (grad, weight, out) = (body.array(0), body.array(1), body.array(2));
        let plan = Plan::read(body);
        name_partial(body, body.dtype(0));
        conv_transpose::expand::<A, Partial>(&mut body.scope, grad, weight, out, plan);
    }
}

/// Computes the gradient of the input from contiguous operands.
pub fn input_grad_directly(
    grad: &CubeTensor,
    weight: &CubeTensor,
    spec: TensorSpec,
    options: &ConvOptions,
) -> CubeTensor {
    let out = CubeTensor::empty(spec, grad.engine());
    let target = out.shape();
    let count = target.num_elements();
    let words = Plan::words(count, [&target, &weight.shape(), &grad.shape()], options);
    launch(ConvTranspose, &[grad, weight], &[&out], &words, count);
    out
}

#[cube]
fn conv_weight_grad<E: Numeric, S: Numeric>(grad: &Array<E>, x: &Array<E>, out: &mut Array<E>, plan: &Plan) {
    let at = strides::position();
    if at < plan.count {
        let w = &plan.window;
        let own = spot_of(at, &w.kernel);
        let channel = own.image / plan.group_in;
        let from = channel / plan.group_out * plan.group_in + own.image % plan.group_in;
        let mut sum = S::from_int(0);
        for batch in 0..plan.images {
            let plane = (batch * plan.channels_in + from) * elements(&w.input);
            let mut place = (batch * plan.channels_out + channel) * elements(&w.output);
            for o0 in 0..*w.output.index(0usize) {
                let i0 = tap_place(w, 0usize, o0, own.at0);
                for o1 in 0..*w.output.index(1usize) {
                    let i1 = tap_place(w, 1usize, o1, own.at1);
                    for o2 in 0..*w.output.index(2usize) {
                        let i2 = tap_place(w, 2usize, o2, own.at2);
                        if is_within(&w.input, i0, i1, i2) {
                            let source = plane + number_in(&w.input, i0, i1, i2);
                            sum += S::cast_from(x[source as usize]) * S::cast_from(grad[place as usize]);
                        }
                        place += 1u32;
                    }
                }
            }
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ConvWeightGrad;

impl Kernel for ConvWeightGrad {
    const NAME: &'static str = "conv_weight_grad";

    fn expand(&self, body: &mut Body) {
        let (grad, x, out) = (body.array(0), body.array(1), body.array(2));
        let plan = Plan::read(body);
        name_partial(body, body.dtype(0));
        conv_weight_grad::expand::<A, Partial>(&mut body.scope, grad, x, out, plan);
    }
}

/// Computes the gradient of the weight from contiguous operands.
pub fn weight_grad_directly(
    grad: &CubeTensor,
    x: &CubeTensor,
    spec: TensorSpec,
    options: &ConvOptions,
) -> CubeTensor {
    let out = CubeTensor::empty(spec, grad.engine());
    let target = out.shape();
    let count = target.num_elements();
    let words = Plan::words(count, [&x.shape(), &target, &grad.shape()], options);
    launch(ConvWeightGrad, &[grad, x], &[&out], &words, count);
    out
}

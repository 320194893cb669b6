//! Convolutions and poolings, of up to three spatial dimensions: a unit computes an element, in `f32`.

use crate::kernel::{A, B, Body, C, Kernel, launch};
use crate::layout::contiguous;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::prelude::*;

/// Word lists of a window: three of each, the first ones 1 where there are fewer dimensions.
#[derive(CubeType, Clone)]
struct Window {
    kernel: Sequence<u32>,
    stride: Sequence<u32>,
    padding: Sequence<u32>,
    dilation: Sequence<u32>,
    input: Sequence<u32>,
    output: Sequence<u32>,
}

fn window(body: &mut Body, at: usize) -> WindowExpand {
    let [kernel, stride, padding, dilation, input, output] =
        [0, 1, 2, 3, 4, 5].map(|k| body.words(at + 3 * k, 3));
    WindowExpand { kernel, stride, padding, dilation, input, output }
}

/// The last three of a list, with `fill` in front.
fn three(list: &[usize], fill: usize) -> [u32; 3] {
    let mut all = [fill as u32; 3];
    all[3 - list.len()..].iter_mut().zip(list).for_each(|(to, &from)| *to = from as u32);
    all
}

fn window_words(
    kernel: &[usize],
    stride: &[usize],
    padding: &[usize],
    dilation: &[usize],
    input: &[usize],
    output: &[usize],
) -> Vec<u32> {
    let lists = [(kernel, 1), (stride, 1), (padding, 0), (dilation, 1), (input, 1), (output, 1)];
    lists.into_iter().flat_map(|(list, fill)| three(list, fill)).collect()
}

/// Place of tap `tap` of the window of output `out` in dimension `d`; `input` or above, also by wrapping, in the padding.
#[cube]
fn tap_place(w: &Window, #[comptime] d: usize, out: u32, tap: u32) -> u32 {
    out * *w.stride.index(d) + tap * *w.dilation.index(d) - *w.padding.index(d)
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn conv<E: Numeric>(
    x: &Array<E>,
    weight: &Array<E>,
    bias: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    channels_in: u32,
    channels_out: u32,
    per_group: u32,
    out_per_group: u32,
    w: &Window,
    #[comptime] has_bias: bool,
) {
    let at = strides::position();
    if at < count {
        let mut rest = at + 0u32;
        let o2 = rest % *w.output.index(2usize);
        rest = rest / *w.output.index(2usize);
        let o1 = rest % *w.output.index(1usize);
        rest = rest / *w.output.index(1usize);
        let o0 = rest % *w.output.index(0usize);
        rest = rest / *w.output.index(0usize);
        let channel = rest % channels_out;
        let batch = rest / channels_out;
        let first = channel / out_per_group * per_group;
        let mut sum = 0.0f32;
        let mut tap =
            channel * per_group * *w.kernel.index(0usize) * *w.kernel.index(1usize) * *w.kernel.index(2usize);
        for c in 0..per_group {
            let plane = (batch * channels_in + first + c) * *w.input.index(0usize);
            for k0 in 0..*w.kernel.index(0usize) {
                let i0 = tap_place(w, 0usize, o0, k0);
                for k1 in 0..*w.kernel.index(1usize) {
                    let i1 = tap_place(w, 1usize, o1, k1);
                    for k2 in 0..*w.kernel.index(2usize) {
                        let i2 = tap_place(w, 2usize, o2, k2);
                        if i0 < *w.input.index(0usize)
                            && i1 < *w.input.index(1usize)
                            && i2 < *w.input.index(2usize)
                        {
                            let place =
                                ((plane + i0) * *w.input.index(1usize) + i1) * *w.input.index(2usize) + i2;
                            sum += f32::cast_from(x[place as usize]) * f32::cast_from(weight[tap as usize]);
                        }
                        tap += 1u32;
                    }
                }
            }
        }
        if comptime!(has_bias) {
            sum += f32::cast_from(bias[channel as usize]);
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Conv {
    has_bias: bool,
}

impl Kernel for Conv {
    const NAME: &'static str = "conv";

    fn expand(&self, body: &mut Body) {
        let (x, weight, bias, out) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let [count, i, o, per, out_per] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        let w = window(body, 5);
        conv::expand::<A>(&mut body.scope, x, weight, bias, out, count, i, o, per, out_per, w, self.has_bias);
    }
}

fn conv_words(input: &Shape, weight: &Shape, output: &Shape, options: &ConvOptions) -> Vec<u32> {
    let o = options;
    window_words(&weight[2..], &o.stride, &o.padding, &o.dilation, &input[2..], &output[2..])
}

pub fn conv_(args: ConvArgs<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&Operation::Conv(Box::new(args.by_ref())));
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let ConvArgs { x, weight, bias, options } = args;
    let (x, weight) = (contiguous(x), contiguous(weight));
    let out = CubeTensor::empty(spec, x.engine());
    let count = out.spec().shape.num_elements();
    let (input, kernel) = (x.shape(), weight.shape());
    let sizes = [count, input[1], kernel[0], kernel[1], kernel[0] / options.groups];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(conv_words(&input, &kernel, &out.shape(), &options));
    let kernel = Conv { has_bias: bias.is_some() };
    let bias = bias.map_or_else(|| weight.clone(), contiguous);
    launch(kernel, &[&x, &weight, &bias], &[&out], &words, count);
    out
}

/// Output that tap `tap` brings input `at` to in dimension `d`; `output` or above where there is none.
#[cube]
fn tap_source(w: &Window, #[comptime] d: usize, at: u32, tap: u32) -> u32 {
    let reach = at + *w.padding.index(d);
    let back = tap * *w.dilation.index(d);
    let step = *w.stride.index(d);
    let found = reach >= back && (reach - back) % step == 0u32;
    select(found, (reach - back) / step, 0xffff_ffffu32)
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn conv_transpose<E: Numeric>(
    grad: &Array<E>,
    weight: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    channels_in: u32,
    channels_out: u32,
    per_group: u32,
    out_per_group: u32,
    w: &Window,
) {
    let at = strides::position();
    if at < count {
        let mut rest = at + 0u32;
        let i2 = rest % *w.input.index(2usize);
        rest = rest / *w.input.index(2usize);
        let i1 = rest % *w.input.index(1usize);
        rest = rest / *w.input.index(1usize);
        let i0 = rest % *w.input.index(0usize);
        rest = rest / *w.input.index(0usize);
        let channel = rest % channels_in;
        let batch = rest / channels_in;
        let group = channel / per_group;
        let own = channel % per_group;
        let mut sum = 0.0f32;
        for c in 0..out_per_group {
            let from = group * out_per_group + c;
            let plane = (batch * channels_out + from) * *w.output.index(0usize);
            let taps = (from * per_group + own) * *w.kernel.index(0usize);
            for k0 in 0..*w.kernel.index(0usize) {
                let o0 = tap_source(w, 0usize, i0, k0);
                for k1 in 0..*w.kernel.index(1usize) {
                    let o1 = tap_source(w, 1usize, i1, k1);
                    for k2 in 0..*w.kernel.index(2usize) {
                        let o2 = tap_source(w, 2usize, i2, k2);
                        if o0 < *w.output.index(0usize)
                            && o1 < *w.output.index(1usize)
                            && o2 < *w.output.index(2usize)
                        {
                            let place =
                                ((plane + o0) * *w.output.index(1usize) + o1) * *w.output.index(2usize) + o2;
                            let tap =
                                ((taps + k0) * *w.kernel.index(1usize) + k1) * *w.kernel.index(2usize) + k2;
                            sum +=
                                f32::cast_from(grad[place as usize]) * f32::cast_from(weight[tap as usize]);
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
        let [count, i, o, per, out_per] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        let w = window(body, 5);
        conv_transpose::expand::<A>(&mut body.scope, grad, weight, out, count, i, o, per, out_per, w);
    }
}

pub fn conv_transpose_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let (grad, weight) = (contiguous(grad), contiguous(other));
    let out = CubeTensor::empty(TensorSpec::new(target.clone(), grad.dtype()), grad.engine());
    let (count, kernel) = (target.num_elements(), weight.shape());
    let sizes = [count, target[1], kernel[0], kernel[1], kernel[0] / options.groups];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(conv_words(&target, &kernel, &grad.shape(), &options));
    launch(ConvTranspose, &[&grad, &weight], &[&out], &words, count);
    out
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn conv_weight_grad<E: Numeric>(
    grad: &Array<E>,
    x: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    channels_in: u32,
    channels_out: u32,
    per_group: u32,
    out_per_group: u32,
    batches: u32,
    w: &Window,
) {
    let at = strides::position();
    if at < count {
        let mut rest = at + 0u32;
        let k2 = rest % *w.kernel.index(2usize);
        rest = rest / *w.kernel.index(2usize);
        let k1 = rest % *w.kernel.index(1usize);
        rest = rest / *w.kernel.index(1usize);
        let k0 = rest % *w.kernel.index(0usize);
        rest = rest / *w.kernel.index(0usize);
        let own = rest % per_group;
        let channel = rest / per_group;
        let from = channel / out_per_group * per_group + own;
        let mut sum = 0.0f32;
        for batch in 0..batches {
            let plane = (batch * channels_in + from) * *w.input.index(0usize);
            let mut place = (batch * channels_out + channel)
                * *w.output.index(0usize)
                * *w.output.index(1usize)
                * *w.output.index(2usize);
            for o0 in 0..*w.output.index(0usize) {
                let i0 = tap_place(w, 0usize, o0, k0);
                for o1 in 0..*w.output.index(1usize) {
                    let i1 = tap_place(w, 1usize, o1, k1);
                    for o2 in 0..*w.output.index(2usize) {
                        let i2 = tap_place(w, 2usize, o2, k2);
                        if i0 < *w.input.index(0usize)
                            && i1 < *w.input.index(1usize)
                            && i2 < *w.input.index(2usize)
                        {
                            let source =
                                ((plane + i0) * *w.input.index(1usize) + i1) * *w.input.index(2usize) + i2;
                            sum += f32::cast_from(x[source as usize]) * f32::cast_from(grad[place as usize]);
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
        let [count, i, o, per, out_per, batches] = [0, 1, 2, 3, 4, 5].map(|at| body.word(at));
        let w = window(body, 6);
        conv_weight_grad::expand::<A>(&mut body.scope, grad, x, out, count, i, o, per, out_per, batches, w);
    }
}

pub fn conv_weight_grad_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let (grad, x) = (contiguous(grad), contiguous(other));
    let out = CubeTensor::empty(TensorSpec::new(target.clone(), grad.dtype()), grad.engine());
    let (count, input) = (target.num_elements(), x.shape());
    let sizes = [count, input[1], target[0], target[1], target[0] / options.groups, input[0]];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(conv_words(&input, &target, &grad.shape(), &options));
    launch(ConvWeightGrad, &[&grad, &x], &[&out], &words, count);
    out
}

/// Whether `x` is the larger; NaN is larger than everything.
#[cube]
fn is_larger<E: Numeric>(x: E, y: E) -> bool {
    let (new, old) = (crate::math::is_nan(f32::cast_from(x)), crate::math::is_nan(f32::cast_from(y)));
    x > y || (new && !old)
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn max_pool<E: Numeric, I: Int>(
    x: &Array<E>,
    out: &mut Array<E>,
    places: &mut Array<I>,
    count: u32,
    w: &Window,
) {
    let at = strides::position();
    if at < count {
        let mut rest = at + 0u32;
        let o2 = rest % *w.output.index(2usize);
        rest = rest / *w.output.index(2usize);
        let o1 = rest % *w.output.index(1usize);
        rest = rest / *w.output.index(1usize);
        let o0 = rest % *w.output.index(0usize);
        let plane = rest / *w.output.index(0usize)
            * *w.input.index(0usize)
            * *w.input.index(1usize)
            * *w.input.index(2usize);
        let mut best = E::from_int(0);
        let mut place = 0xffff_ffffu32;
        for k0 in 0..*w.kernel.index(0usize) {
            let i0 = tap_place(w, 0usize, o0, k0);
            for k1 in 0..*w.kernel.index(1usize) {
                let i1 = tap_place(w, 1usize, o1, k1);
                for k2 in 0..*w.kernel.index(2usize) {
                    let i2 = tap_place(w, 2usize, o2, k2);
                    if i0 < *w.input.index(0usize)
                        && i1 < *w.input.index(1usize)
                        && i2 < *w.input.index(2usize)
                    {
                        let here = (i0 * *w.input.index(1usize) + i1) * *w.input.index(2usize) + i2;
                        let value = x[(plane + here) as usize];
                        if place == 0xffff_ffffu32 || is_larger::<E>(value, best) {
                            best = value;
                            place = here;
                        }
                    }
                }
            }
        }
        out[at as usize] = best;
        places[at as usize] = I::cast_from(place);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MaxPool;

impl Kernel for MaxPool {
    const NAME: &'static str = "max_pool";

    fn expand(&self, body: &mut Body) {
        let (x, out, places, count) = (body.array(0), body.array(1), body.array(2), body.word(0));
        let w = window(body, 1);
        max_pool::expand::<A, C>(&mut body.scope, x, out, places, count, w);
    }
}

fn pool_words(o: &PoolOptions, input: &Shape, output: &Shape) -> Vec<u32> {
    window_words(&o.kernel, &o.stride, &o.padding, &o.dilation, &input[2..], &output[2..])
}

pub fn max_pool_with_indices(x: CubeTensor, options: &PoolOptions, index: DType) -> (CubeTensor, CubeTensor) {
    let op = Operation::MaxPoolWithIndices { x: &x, options: Box::new(options.clone()), index };
    let (values, places) = output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two();
    let (out, places) = (CubeTensor::empty(values, x.engine()), CubeTensor::empty(places, x.engine()));
    let x = contiguous(x);
    let count = out.spec().shape.num_elements();
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend(pool_words(options, &x.shape(), &out.shape()));
    launch(MaxPool, &[&x], &[&out, &places], &words, count);
    (out, places)
}

#[cube]
fn average_pool<E: Float>(
    x: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    w: &Window,
    #[comptime] with_padding: bool,
) {
    let at = strides::position();
    if at < count {
        let mut rest = at + 0u32;
        let o2 = rest % *w.output.index(2usize);
        rest = rest / *w.output.index(2usize);
        let o1 = rest % *w.output.index(1usize);
        rest = rest / *w.output.index(1usize);
        let o0 = rest % *w.output.index(0usize);
        let plane = rest / *w.output.index(0usize)
            * *w.input.index(0usize)
            * *w.input.index(1usize)
            * *w.input.index(2usize);
        let mut sum = 0.0f32;
        let mut inside = 0u32;
        for k0 in 0..*w.kernel.index(0usize) {
            let i0 = tap_place(w, 0usize, o0, k0);
            for k1 in 0..*w.kernel.index(1usize) {
                let i1 = tap_place(w, 1usize, o1, k1);
                for k2 in 0..*w.kernel.index(2usize) {
                    let i2 = tap_place(w, 2usize, o2, k2);
                    if i0 < *w.input.index(0usize)
                        && i1 < *w.input.index(1usize)
                        && i2 < *w.input.index(2usize)
                    {
                        let place = plane + (i0 * *w.input.index(1usize) + i1) * *w.input.index(2usize) + i2;
                        sum += f32::cast_from(x[place as usize]);
                        inside += 1u32;
                    }
                }
            }
        }
        if comptime!(with_padding) {
            inside = *w.kernel.index(0usize) * *w.kernel.index(1usize) * *w.kernel.index(2usize);
        }
        out[at as usize] = E::cast_from(sum / f32::cast_from(inside));
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AveragePool {
    with_padding: bool,
}

impl Kernel for AveragePool {
    const NAME: &'static str = "average_pool";

    fn expand(&self, body: &mut Body) {
        let (x, out, count) = (body.array(0), body.array(1), body.word(0));
        let w = window(body, 1);
        average_pool::expand::<A>(&mut body.scope, x, out, count, w, self.with_padding);
    }
}

pub fn pool(args: PoolArgs<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&Operation::Pool(Box::new(args.by_ref())));
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let PoolArgs { kind, x, options } = args;
    let with_padding = match kind {
        PoolKind::Max => return max_pool_with_indices(x, &options, DType::I32).0,
        PoolKind::Avg { count_include_pad } => count_include_pad,
    };
    let (out, x) = (CubeTensor::empty(spec, x.engine()), contiguous(x));
    let count = out.spec().shape.num_elements();
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend(pool_words(&options, &x.shape(), &out.shape()));
    launch(AveragePool { with_padding }, &[&x], &[&out], &words, count);
    out
}

/// Each input adds up what the windows that it is in give it.
#[cube]
#[allow(clippy::too_many_arguments)]
fn pool_grad<E: Float, I: Int>(
    grad: &Array<E>,
    places: &Array<I>,
    out: &mut Array<E>,
    count: u32,
    w: &Window,
    #[comptime] by_place: bool,
    #[comptime] with_padding: bool,
) {
    let at = strides::position();
    if at < count {
        let spatial = *w.input.index(0usize) * *w.input.index(1usize) * *w.input.index(2usize);
        let own = at % spatial;
        let i2 = own % *w.input.index(2usize);
        let i1 = own / *w.input.index(2usize) % *w.input.index(1usize);
        let i0 = own / (*w.input.index(2usize) * *w.input.index(1usize));
        let plane = at / spatial * *w.output.index(0usize);
        let mut sum = 0.0f32;
        // From the first window to the last: in the order of the outputs.
        for j0 in 0..*w.kernel.index(0usize) {
            let k0 = *w.kernel.index(0usize) - 1u32 - j0;
            let o0 = tap_source(w, 0usize, i0, k0);
            for j1 in 0..*w.kernel.index(1usize) {
                let k1 = *w.kernel.index(1usize) - 1u32 - j1;
                let o1 = tap_source(w, 1usize, i1, k1);
                for j2 in 0..*w.kernel.index(2usize) {
                    let k2 = *w.kernel.index(2usize) - 1u32 - j2;
                    let o2 = tap_source(w, 2usize, i2, k2);
                    if o0 < *w.output.index(0usize)
                        && o1 < *w.output.index(1usize)
                        && o2 < *w.output.index(2usize)
                    {
                        let place =
                            ((plane + o0) * *w.output.index(1usize) + o1) * *w.output.index(2usize) + o2;
                        let value = f32::cast_from(grad[place as usize]);
                        if comptime!(by_place) {
                            if u32::cast_from(places[place as usize]) == own {
                                sum += value;
                            }
                        } else {
                            let all =
                                *w.kernel.index(0usize) * *w.kernel.index(1usize) * *w.kernel.index(2usize);
                            let mut inside = all + 0u32;
                            if comptime!(!with_padding) {
                                inside = taps_inside(w, 0usize, o0)
                                    * taps_inside(w, 1usize, o1)
                                    * taps_inside(w, 2usize, o2);
                            }
                            sum += value / f32::cast_from(inside);
                        }
                    }
                }
            }
        }
        out[at as usize] = E::cast_from(sum);
    }
}

/// How many taps of a window are not in the padding, in dimension `d`.
#[cube]
fn taps_inside(w: &Window, #[comptime] d: usize, out: u32) -> u32 {
    let mut inside = 0u32;
    for tap in 0..*w.kernel.index(d) {
        if tap_place(w, d, out, tap) < *w.input.index(d) {
            inside += 1u32;
        }
    }
    inside
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PoolGrad {
    by_place: bool,
    with_padding: bool,
}

impl Kernel for PoolGrad {
    const NAME: &'static str = "pool_grad";

    fn expand(&self, body: &mut Body) {
        let (grad, places, out, count) = (body.array(0), body.array(1), body.array(2), body.word(0));
        let w = window(body, 1);
        let Self { by_place, with_padding } = *self;
        pool_grad::expand::<A, B>(&mut body.scope, grad, places, out, count, w, by_place, with_padding);
    }
}

pub fn pool_grad_(args: PoolGradArgs<CubeTensor>) -> CubeTensor {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    let grad = contiguous(grad);
    let places =
        x.filter(|_| kind == PoolKind::Max).map(|x| max_pool_with_indices(x, &options, DType::I32).1);
    let out = CubeTensor::empty(TensorSpec::new(target.clone(), grad.dtype()), grad.engine());
    let count = target.num_elements();
    let mut words: Vec<u32> = strides::words(&[count]).collect();
    words.extend(pool_words(&options, &target, &grad.shape()));
    let with_padding = kind == PoolKind::Avg { count_include_pad: true };
    let kernel = PoolGrad { by_place: places.is_some(), with_padding };
    let places = places.unwrap_or_else(|| CubeTensor::empty(TensorSpec::new([1], DType::I32), grad.engine()));
    launch(kernel, &[&grad, &places], &[&out], &words, count);
    out
}

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
fn adaptive_pool<E: Float>(
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
        let mut sum = 0.0f32;
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
                                        f32::cast_from(x[(((plane * s0 + q0) * s1 + q1) * s2 + q2) as usize]);
                                    sum += value / f32::cast_from((e0 - a0) * (e1 - a1) * (e2 - a2));
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
                        sum += f32::cast_from(x[(((plane * n0 + i0) * n1 + i1) * n2 + i2) as usize]);
                    }
                }
            }
            out[at as usize] = E::cast_from(sum / f32::cast_from((e0 - a0) * (e1 - a1) * (e2 - a2)));
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
        let (x, out, count) = (body.array(0), body.array(1), body.word(0));
        let w = window(body, 1);
        adaptive_pool::expand::<A>(&mut body.scope, x, out, count, w, self.is_grad);
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

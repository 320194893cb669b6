use super::images::{elements, is_within, number_in, spot_of};
use super::{Window, tap_place, tap_source, window, window_words};
use crate::launch::kernel::{A, B, Body, C, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::prelude::*;

/// Whether `x` is the larger; NaN is larger than everything.
#[cube]
fn is_larger<E: Numeric>(x: E, y: E) -> bool {
    let (new, old) =
        (crate::ops::math::is_nan(f32::cast_from(x)), crate::ops::math::is_nan(f32::cast_from(y)));
    x > y || (new && !old)
}

#[cube]
fn max_pool<E: Numeric, I: Int>(
    x: &Array<E>,
    out: &mut Array<E>,
    places: &mut Array<I>,
    count: u32,
    w: &Window,
) {
    let at = strides::position();
    if at < count {
        let own = spot_of(at, &w.output);
        let plane = own.image * elements(&w.input);
        let mut best = E::from_int(0);
        let mut place = 0xffff_ffffu32;
        for k0 in 0..*w.kernel.index(0usize) {
            let i0 = tap_place(w, 0usize, own.at0, k0);
            for k1 in 0..*w.kernel.index(1usize) {
                let i1 = tap_place(w, 1usize, own.at1, k1);
                for k2 in 0..*w.kernel.index(2usize) {
                    let i2 = tap_place(w, 2usize, own.at2, k2);
                    if is_within(&w.input, i0, i1, i2) {
                        let here = number_in(&w.input, i0, i1, i2);
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
        let (x, out, places, count) = (body.array(0), body.array(1), body.array(2), body.next_word());
        let w = window(body);
        max_pool::expand::<A, C>(&mut body.scope, x, out, places, count, w);
    }
}

fn pool_words(o: &PoolOptions, input: &Shape, output: &Shape) -> Vec<u32> {
    window_words(&o.kernel, &o.stride, &o.padding, &o.dilation, &input[2..], &output[2..])
}

pub fn max_pool_with_indices(x: CubeTensor, options: &PoolOptions, index: DType) -> (CubeTensor, CubeTensor) {
    let op =
        Operation::Pooling(Pooling::MaxPoolWithIndices { x: &x, options: Box::new(options.clone()), index });
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
fn average_pool<E: Numeric, S: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    count: u32,
    w: &Window,
    #[comptime] with_padding: bool,
) {
    let at = strides::position();
    if at < count {
        let own = spot_of(at, &w.output);
        let plane = own.image * elements(&w.input);
        let mut sum = S::from_int(0);
        let mut inside = 0u32;
        for k0 in 0..*w.kernel.index(0usize) {
            let i0 = tap_place(w, 0usize, own.at0, k0);
            for k1 in 0..*w.kernel.index(1usize) {
                let i1 = tap_place(w, 1usize, own.at1, k1);
                for k2 in 0..*w.kernel.index(2usize) {
                    let i2 = tap_place(w, 2usize, own.at2, k2);
                    if is_within(&w.input, i0, i1, i2) {
                        let place = plane + number_in(&w.input, i0, i1, i2);
                        sum += S::cast_from(x[place as usize]);
                        inside += 1u32;
                    }
                }
            }
        }
        if comptime!(with_padding) {
            inside = elements(&w.kernel);
        }
        out[at as usize] = E::cast_from(sum / S::cast_from(inside));
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AveragePool {
    with_padding: bool,
}

impl Kernel for AveragePool {
    const NAME: &'static str = "average_pool";

    fn expand(&self, body: &mut Body) {
        let (x, out, count) = (body.array(0), body.array(1), body.next_word());
        let w = window(body);
        name_partial(body, body.dtype(0));
        average_pool::expand::<A, Partial>(&mut body.scope, x, out, count, w, self.with_padding);
    }
}

pub fn pool(args: PoolArgs<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&Operation::Pooling(Pooling::Pool(Box::new(args.by_ref()))));
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
fn pool_grad<E: Numeric, I: Int, S: Numeric>(
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
        let own = spot_of(at, &w.input);
        let number = number_in(&w.input, own.at0, own.at1, own.at2);
        let plane = own.image * elements(&w.output);
        let mut sum = S::from_int(0);
        // From the first window to the last: in the order of the outputs.
        for j0 in 0..*w.kernel.index(0usize) {
            let k0 = *w.kernel.index(0usize) - 1u32 - j0;
            let o0 = tap_source(w, 0usize, own.at0, k0);
            for j1 in 0..*w.kernel.index(1usize) {
                let k1 = *w.kernel.index(1usize) - 1u32 - j1;
                let o1 = tap_source(w, 1usize, own.at1, k1);
                for j2 in 0..*w.kernel.index(2usize) {
                    let k2 = *w.kernel.index(2usize) - 1u32 - j2;
                    let o2 = tap_source(w, 2usize, own.at2, k2);
                    if is_within(&w.output, o0, o1, o2) {
                        let place = plane + number_in(&w.output, o0, o1, o2);
                        let value = S::cast_from(grad[place as usize]);
                        if comptime!(by_place) {
                            if u32::cast_from(places[place as usize]) == number {
                                sum += value;
                            }
                        } else {
                            let mut inside = elements(&w.kernel);
                            if comptime!(!with_padding) {
                                inside = taps_inside(w, 0usize, o0)
                                    * taps_inside(w, 1usize, o1)
                                    * taps_inside(w, 2usize, o2);
                            }
                            sum += value / S::cast_from(inside);
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
        let (grad, places, out, count) = (body.array(0), body.array(1), body.array(2), body.next_word());
        let w = window(body);
        let Self { by_place, with_padding } = *self;
        name_partial(body, body.dtype(0));
        pool_grad::expand::<A, B, Partial>(
            &mut body.scope,
            grad,
            places,
            out,
            count,
            w,
            by_place,
            with_padding,
        );
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

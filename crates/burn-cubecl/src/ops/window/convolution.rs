use super::images::{elements, is_within, number_in, spot_of};
use super::{Window, tap_place, tap_source, window, window_words};
use crate::device::library::{Answer, ConvolutionCall, Wanted};
use crate::device::library_warning;
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use crate::ops::elementwise::elementwise;
use crate::ops::layout::{contiguous, permute};
use burn_backend::*;
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
            window_words(&weight[2..], &o.stride, &o.padding, &o.dilation, &input[2..], &output[2..]);
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

#[cube]
fn conv<E: Numeric, S: Numeric>(
    x: &Array<E>,
    weight: &Array<E>,
    bias: &Array<E>,
    out: &mut Array<E>,
    plan: &Plan,
    #[comptime] has_bias: bool,
) {
    let at = strides::position();
    if at < plan.count {
        let w = &plan.window;
        let own = spot_of(at, &w.output);
        let channel = own.image % plan.channels_out;
        let batch = own.image / plan.channels_out;
        let first = channel / plan.group_out * plan.group_in;
        let mut sum = S::from_int(0);
        let mut tap = channel * plan.group_in * elements(&w.kernel);
        for c in 0..plan.group_in {
            let plane = (batch * plan.channels_in + first + c) * elements(&w.input);
            for k0 in 0..*w.kernel.index(0usize) {
                let i0 = tap_place(w, 0usize, own.at0, k0);
                for k1 in 0..*w.kernel.index(1usize) {
                    let i1 = tap_place(w, 1usize, own.at1, k1);
                    for k2 in 0..*w.kernel.index(2usize) {
                        let i2 = tap_place(w, 2usize, own.at2, k2);
                        if is_within(&w.input, i0, i1, i2) {
                            let place = plane + number_in(&w.input, i0, i1, i2);
                            sum += S::cast_from(x[place as usize]) * S::cast_from(weight[tap as usize]);
                        }
                        tap += 1u32;
                    }
                }
            }
        }
        if comptime!(has_bias) {
            sum += S::cast_from(bias[channel as usize]);
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
        let plan = Plan::read(body);
        name_partial(body, body.dtype(0));
        conv::expand::<A, Partial>(&mut body.scope, x, weight, bias, out, plan, self.has_bias);
    }
}

/// Operands of a convolution or one of its gradients: two of input, weight and output.
#[derive(Clone, Copy)]
struct Given<'a> {
    wanted: Wanted,
    /// The input, or else the gradient of the output.
    images: &'a CubeTensor,
    /// The weight, or else the input.
    other: &'a CubeTensor,
    bias: Option<&'a CubeTensor>,
    options: &'a ConvOptions,
}

impl Given<'_> {
    /// The one that is wanted, by the device's own library. Images have their channels where the given ones
    /// have them.
    fn by_library(self, spec: &TensorSpec) -> Option<CubeTensor> {
        let library = self.images.engine().library()?;
        let mut out = if self.wanted != Wanted::Weight && has_channels_last(self.images) {
            with_channels_last(spec, self.images)
        } else {
            CubeTensor::empty(spec.clone(), self.images.engine())
        };
        let mut answer = library.convolution(self.call(&out));
        if answer == Answer::IfContiguous {
            let [images, other] = [self.images, self.other].map(|x| contiguous(x.clone()));
            out = CubeTensor::empty(spec.clone(), images.engine());
            answer = library.convolution(Given { images: &images, other: &other, ..self }.call(&out));
        }
        // With a bias there is another try.
        if self.bias.is_none() {
            let op = match self.wanted {
                Wanted::Output => "conv",
                Wanted::Input => "conv_transpose",
                Wanted::Weight => "conv_weight_grad",
            };
            library_warning::warn_once(&answer, op, &[self.images, self.other]);
        }
        (answer == Answer::Done).then_some(out)
    }

    fn call<'a>(&'a self, out: &'a CubeTensor) -> ConvolutionCall<'a> {
        let Given { wanted, images, other, bias, options } = *self;
        let (x, weight, y) = match wanted {
            Wanted::Output => (images, other, out),
            Wanted::Input => (out, other, images),
            Wanted::Weight => (other, out, images),
        };
        ConvolutionCall { wanted, x, weight, y, bias, options }
    }
}

/// The axes of images whose channels are last.
fn last(rank: usize) -> Dims {
    [0].into_iter().chain(2..rank).chain([1]).collect()
}

/// Whether channels are next to each other in memory, and not the pixels of an image.
fn has_channels_last(x: &CubeTensor) -> bool {
    !x.is_contiguous() && permute(x.clone(), &last(x.spec().shape.rank())).is_contiguous()
}

/// Memory for images whose channels are last.
fn with_channels_last(spec: &TensorSpec, like: &CubeTensor) -> CubeTensor {
    let rank = spec.shape.rank();
    let shape: Shape = last(rank).iter().map(|&d| spec.shape[d]).collect();
    let back = [0, rank - 1].into_iter().chain(1..rank - 1).collect();
    permute(CubeTensor::empty(TensorSpec::new(shape, spec.dtype), like.engine()), &back)
}

/// `out` with a number for each channel added.
fn with_bias(out: CubeTensor, bias: CubeTensor) -> CubeTensor {
    let shape = (0..out.spec().shape.rank()).map(|d| if d == 1 { out.spec().shape[1] } else { 1 });
    let bias = bias.reshaped(shape.collect());
    elementwise(Elementwise::Binary { op: BinaryOp::Add, lhs: out, rhs: bias })
}

pub fn conv_(args: ConvArgs<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&Operation::Convolution(Convolution::Conv(Box::new(args.by_ref()))));
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let ConvArgs { x, weight, bias, options } = args;
    let bias = bias.map(contiguous);
    let wanted = Wanted::Output;
    let given = Given { wanted, images: &x, other: &weight, bias: bias.as_ref(), options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    if let Some(bias) = &bias
        && let Some(out) = (Given { bias: None, ..given }).by_library(&spec)
    {
        return with_bias(out, bias.clone());
    }
    let out = CubeTensor::empty(spec, x.engine());
    let (x, weight) = (contiguous(x), contiguous(weight));
    let count = out.spec().shape.num_elements();
    let words = Plan::words(count, [&x, &weight, &out].map(|x| &x.spec().shape), &options);
    let kernel = Conv { has_bias: bias.is_some() };
    let bias = bias.unwrap_or_else(|| weight.clone());
    launch(kernel, &[&x, &weight, &bias], &[&out], &words, count);
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

pub fn conv_transpose_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Input, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let out = CubeTensor::empty(spec, grad.engine());
    let (grad, weight) = (contiguous(grad), contiguous(other));
    let count = target.num_elements();
    let words = Plan::words(count, [&target, &weight.shape(), &grad.shape()], &options);
    launch(ConvTranspose, &[&grad, &weight], &[&out], &words, count);
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

pub fn conv_weight_grad_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Weight, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let out = CubeTensor::empty(spec, grad.engine());
    let (grad, x) = (contiguous(grad), contiguous(other));
    let count = target.num_elements();
    let words = Plan::words(count, [&x.shape(), &target, &grad.shape()], &options);
    launch(ConvWeightGrad, &[&grad, &x], &[&out], &words, count);
    out
}

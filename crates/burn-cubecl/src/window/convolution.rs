use super::{Window, tap_place, tap_source, window, window_words};
use crate::declined;
use crate::elementwise::elementwise;
use crate::kernel::{A, Body, Kernel, launch};
use crate::layout::{contiguous, permute};
use crate::library::{Answer, Convolution, Wanted};
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::prelude::*;

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

/// What of a convolution is there already: two of input, weight and output.
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
    /// The one that is wanted, by the device's own library. Images have their channels where the given ones have them.
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
            declined::tell(&answer, op, &[self.images, self.other]);
        }
        (answer == Answer::Done).then_some(out)
    }

    fn call<'a>(&'a self, out: &'a CubeTensor) -> Convolution<'a> {
        let Given { wanted, images, other, bias, options } = *self;
        let (x, weight, y) = match wanted {
            Wanted::Output => (images, other, out),
            Wanted::Input => (out, other, images),
            Wanted::Weight => (other, out, images),
        };
        Convolution { wanted, x, weight, y, bias, options }
    }
}

/// The axes of images whose channels are last.
fn last(rank: usize) -> Dims {
    [0].into_iter().chain(2..rank).chain([1]).collect()
}

/// Whether channels are next to each other in memory, and not the places of an image.
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
    elementwise(Operation::Binary { op: BinaryOp::Add, lhs: out, rhs: bias })
}

fn conv_words(input: &Shape, weight: &Shape, output: &Shape, options: &ConvOptions) -> Vec<u32> {
    let o = options;
    window_words(&weight[2..], &o.stride, &o.padding, &o.dilation, &input[2..], &output[2..])
}

pub fn conv_(args: ConvArgs<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&Operation::Conv(Box::new(args.by_ref())));
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
    let (input, kernel) = (x.shape(), weight.shape());
    let sizes = [count, input[1], kernel[0], kernel[1], kernel[0] / options.groups];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(conv_words(&input, &kernel, &out.shape(), &options));
    let kernel = Conv { has_bias: bias.is_some() };
    let bias = bias.unwrap_or_else(|| weight.clone());
    launch(kernel, &[&x, &weight, &bias], &[&out], &words, count);
    out
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
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Input, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let out = CubeTensor::empty(spec, grad.engine());
    let (grad, weight) = (contiguous(grad), contiguous(other));
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
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Weight, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let out = CubeTensor::empty(spec, grad.engine());
    let (grad, x) = (contiguous(grad), contiguous(other));
    let (count, input) = (target.num_elements(), x.shape());
    let sizes = [count, input[1], target[0], target[1], target[0] / options.groups, input[0]];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(conv_words(&input, &target, &grad.shape(), &options));
    launch(ConvWeightGrad, &[&grad, &x], &[&out], &words, count);
    out
}

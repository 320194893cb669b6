//! Convolutions and their gradients: by the device's own library, by products of matrices, or directly.

use super::direct::{conv_directly, input_grad_directly, weight_grad_directly};
use super::products;
use crate::device::library::{Answer, ConvolutionCall, Wanted};
use crate::device::library_warning;
use crate::launch::tensor::CubeTensor;
use crate::ops::elementwise::elementwise;
use crate::ops::layout::{contiguous, permute};
use burn_backend::*;

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
    let (x, weight) = (contiguous(x), contiguous(weight));
    products::conv_by_product(&x, &weight, bias.as_ref(), &spec, &options)
        .unwrap_or_else(|| conv_directly(&x, &weight, bias.as_ref(), spec, &options))
}

pub fn conv_transpose_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Input, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let (grad, weight) = (contiguous(grad), contiguous(other));
    products::input_grad_by_product(&grad, &weight, &spec, &options)
        .unwrap_or_else(|| input_grad_directly(&grad, &weight, spec, &options))
}

pub fn conv_weight_grad_(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    let spec = TensorSpec::new(target.clone(), grad.dtype());
    let given = Given { wanted: Wanted::Weight, images: &grad, other: &other, bias: None, options: &options };
    if let Some(out) = given.by_library(&spec) {
        return out;
    }
    let (grad, x) = (contiguous(grad), contiguous(other));
    products::weight_grad_by_product(&grad, &x, &spec, &options)
        .unwrap_or_else(|| weight_grad_directly(&grad, &x, spec, &options))
}

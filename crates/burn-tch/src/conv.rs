//! Convolutions in up to three spatial dimensions.

use crate::binary::binary;
use crate::dispatcher::{Argument, call};
use crate::layout::reshape;
use crate::leaf::Leaf;
use crate::library::Torch;
use crate::reduce::is_half;
use crate::sizes::{sizes, within};
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, create};
use burn_backend::{
    BinaryOp, ConvArgs, ConvGradArgs, ConvOptions, Convolution, DType, Dims, HasSpec, Operation, Scalar,
    Shape, TensorSpec, kernels, reference,
};
use burn_library_backend::{Kernels, result};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

fn is_empty(x: &TchTensor) -> bool {
    x.spec().shape.num_elements() == 0
}

/// A convolution with an input of the shape `input`, or with `extra`, the output padding, a transposed one.
fn run(
    [x, weight]: [&Tensor; 2],
    bias: Option<&Tensor>,
    options: &ConvOptions,
    input: &Shape,
    extra: Option<Vec<i64>>,
) -> Result<Tensor> {
    let own = |list: &[usize]| within(list, &input[2..], &options.padding);
    let (stride, padding, dilation) = (own(&options.stride), sizes(&options.padding), own(&options.dilation));
    let (transposed, groups) = (extra.is_some(), options.groups as i64);
    let extra = extra.unwrap_or_else(|| vec![0; stride.len()]);
    // On a GPU: the algorithm is not chosen by time, gives the same bits in every run, and rounds nothing to
    // TF32.
    let (benchmark, deterministic, cudnn, tf32) = (false, true, true, false);
    x.f_internal_convolution(
        weight,
        bias,
        stride,
        padding,
        dilation,
        transposed,
        extra,
        groups,
        benchmark,
        deterministic,
        cudnn,
        tf32,
    )
}

/// LibTorch pads both sides of a dimension alike: where they differ, the input with its zeros, and options
/// without padding.
fn padded(x: &Tensor, options: &ConvOptions) -> Result<(Tensor, ConvOptions)> {
    if options.is_symmetric() {
        return Ok((x.shallow_clone(), options.clone()));
    }
    let sides = options.padding_before().iter().zip(options.padding_after()).rev();
    let sides: Vec<i64> = sides.flat_map(|(&before, &after)| [before as i64, after as i64]).collect();
    Ok((x.f_constant_pad_nd(sides)?, without_padding(options)))
}

fn without_padding(options: &ConvOptions) -> ConvOptions {
    ConvOptions { padding: Dims::repeat(0, options.stride.len()), ..options.clone() }
}

fn shape_of(x: &Tensor) -> Shape {
    x.size().into_iter().map(|size| size as usize).collect()
}

/// A transposed convolution to the shape `target`; where the sides of the padding differ, a part of the one
/// to the padded target.
fn transposed([grad, weight]: [&Tensor; 2], target: &Shape, options: &ConvOptions) -> Result<Tensor> {
    if !options.is_symmetric() {
        let sides = || options.padding_before().iter().zip(options.padding_after());
        let mut whole = target.clone();
        sides().enumerate().for_each(|(d, (before, after))| whole[d + 2] += before + after);
        let mut x = transposed([grad, weight], &whole, &without_padding(options))?;
        for (d, (&before, _)) in sides().enumerate() {
            x = x.f_narrow(d as i64 + 2, before as i64, target[d + 2] as i64)?;
        }
        return x.f_contiguous();
    }
    let (from, kernel) = (shape_of(grad), shape_of(weight));
    // By how much the target is larger than the smallest input of a convolution with such a result.
    let extra = |d: usize| {
        let steps = (from[d + 2] - 1).saturating_mul(options.stride[d]);
        let reach = steps + options.dilation[d].saturating_mul(kernel[d + 2] - 1) + 1;
        (target[d + 2] + 2 * options.padding[d]) as i64 - reach as i64
    };
    let extra = (0..options.stride.len()).map(extra).collect();
    run([grad, weight], None, options, target, Some(extra))
}

/// LibTorch has no convolutions of integers. Reports which composition runs, and asks for the memory of the
/// list that it makes before its first kernel: a position for each tap of each window.
#[track_caller]
fn compose(name: &'static str, weight: &Shape, result: &Shape) {
    let places = weight[2..].iter().chain(&result[2..]).copied().collect::<Shape>();
    drop(Torch::take(&TensorSpec::new(places, DType::I64), LibTorchDevice::Cpu));
    kernels::ran(|| name.into());
}

#[track_caller]
pub fn conv(args: ConvArgs<TchTensor>) -> TchTensor {
    let spec = result(&Operation::Convolution(Convolution::Conv(args.by_ref().into())));
    if spec.dtype.is_int() {
        compose("composition conv", &args.weight.spec().shape, &spec.shape);
        return reference::conv::<Leaf>(args);
    }
    let ConvArgs { x, weight, bias, options } = args;
    if is_empty(&x) || is_empty(&weight) || spec.shape.num_elements() == 0 {
        let nothing = create::full(spec.clone(), Scalar::Int(0), x.device());
        let Some(bias) = bias else { return nothing };
        let channels: Shape =
            (0..spec.shape.rank()).map(|d| if d == 1 { spec.shape[1] } else { 1 }).collect();
        return binary(BinaryOp::Add, nothing, reshape(bias, channels));
    }
    Torch::run("convolution", x.device(), spec, || {
        let bias = bias.as_ref().map(TchTensor::tch);
        let (x, options) = padded(x.tch(), &options)?;
        run([&x, weight.tch()], bias, &options, &shape_of(&x), None)
    })
}

#[track_caller]
pub fn conv_transpose(args: ConvGradArgs<TchTensor>) -> TchTensor {
    let dtype = args.grad.dtype();
    if dtype.is_int() {
        compose("composition conv_transpose", &args.other.spec().shape, &args.grad.spec().shape);
        return reference::conv_transpose::<Leaf>(args);
    }
    // The processor's kernels round partial sums of halves.
    if is_half(dtype) && args.grad.device() == LibTorchDevice::Cpu {
        return cast::cast(conv_transpose(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let ConvGradArgs { grad, other: weight, target, options } = args;
    let spec = TensorSpec { shape: target.clone(), dtype };
    if is_empty(&grad) || is_empty(&weight) || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    Torch::run("convolution_transpose", grad.device(), spec, || {
        transposed([grad.tch(), weight.tch()], &target, &options)
    })
}

#[track_caller]
pub fn conv_weight_grad(args: ConvGradArgs<TchTensor>) -> TchTensor {
    let dtype = args.grad.dtype();
    if dtype.is_int() {
        compose("composition conv_weight_grad", &args.target, &args.grad.spec().shape);
        return reference::conv_weight_grad::<Leaf>(args);
    }
    // The processor's kernels round partial sums of halves.
    if is_half(dtype) && args.grad.device() == LibTorchDevice::Cpu {
        return cast::cast(conv_weight_grad(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let ConvGradArgs { grad, other: x, target, options } = args;
    let spec = TensorSpec { shape: target.clone(), dtype };
    if is_empty(&grad) || is_empty(&x) || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    Torch::run("convolution_weight_grad", grad.device(), spec, || {
        let weight = Tensor::f_empty(sizes(&target), (x.tch().f_kind()?, x.tch().device()))?;
        let (x, options) = padded(x.tch(), &options)?;
        weight_grad(grad.tch(), &x, &weight, &options, &shape_of(&x))
    })
}

/// The gradient by weights of the shape of `weight`, of which nothing else is looked at. On a GPU it takes
/// the choice of algorithms from the settings of the process.
fn weight_grad(
    grad: &Tensor,
    x: &Tensor,
    weight: &Tensor,
    options: &ConvOptions,
    input: &Shape,
) -> Result<Tensor> {
    let own = |list: &[usize]| within(list, &input[2..], &options.padding);
    let (stride, padding, dilation) = (own(&options.stride), sizes(&options.padding), own(&options.dilation));
    let [_, found, _] = call(
        c"aten::convolution_backward",
        &[
            Argument::Tensor(grad),
            Argument::Tensor(x),
            Argument::Tensor(weight),
            Argument::Nothing,
            Argument::Ints(&stride),
            Argument::Ints(&padding),
            Argument::Ints(&dilation),
            Argument::Bool(false),
            Argument::Ints(&vec![0; stride.len()]),
            Argument::Int(options.groups as i64),
            Argument::Bools(&[false, true, false]),
        ],
    )?;
    Ok(found)
}

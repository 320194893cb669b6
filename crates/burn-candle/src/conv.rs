//! Convolutions of one and two spatial dimensions whose options are the same along both; compositions are
//! made of the others.

use crate::binary::binary;
use crate::layout::reshape;
use crate::leaf::Leaf;
use crate::library::Core;
use crate::memory::in_order;
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{CandleDevice, cast};
use burn_backend::{
    BinaryOp, ConvArgs, ConvGradArgs, ConvOptions, Convolution, DType, HasSpec, Operation, Shape, TensorSpec,
    kernels, reference,
};
use burn_library_backend::{Kernels, result};
use candle_core::{Result, Tensor};

/// Options that candle's kernels take: one number for all spatial dimensions.
#[derive(Clone, Copy)]
struct Uniform {
    stride: usize,
    padding: usize,
    dilation: usize,
    groups: usize,
}

impl Uniform {
    fn new(options: &ConvOptions) -> Option<Self> {
        let one = |list: &[usize]| list.iter().all(|&x| x == list[0]).then(|| list[0]);
        let (stride, padding) = (one(&options.stride)?, one(&options.padding)?);
        let uniform = Uniform { stride, padding, dilation: one(&options.dilation)?, groups: options.groups };
        (1..=2).contains(&options.stride.len()).then_some(uniform)
    }
}

/// Whether candle computes these elements.
fn suits(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

/// Whether none of the shapes is empty.
fn are_filled(shapes: [&Shape; 3]) -> bool {
    shapes.iter().all(|shape| shape.num_elements() > 0)
}

fn wide(x: CandleTensor) -> CandleTensor {
    if is_half(x.dtype()) { cast::cast(x, DType::F32) } else { x }
}

/// Asks for the memory of the list that a composition makes before its first kernel: a position for each tap
/// of each window. It makes none for an empty result, nor for a gradient without terms.
#[track_caller]
fn list_places(weight: &Shape, result: &Shape) {
    let places = weight[2..].iter().chain(&result[2..]).copied().collect::<Shape>();
    drop(Core::take(&TensorSpec::new(places, DType::I64), CandleDevice::Cpu));
}

#[track_caller]
pub fn conv(args: ConvArgs<CandleTensor>) -> CandleTensor {
    let dtype = args.x.dtype();
    let ConvArgs { x, weight, bias, options } = args.map(wide);
    let op = Operation::Convolution(Convolution::Conv(
        ConvArgs { x: &x, weight: &weight, bias: None, options: options.clone() }.into(),
    ));
    let spec = result(&op);
    let is_filled = are_filled([&spec.shape, &x.spec().shape, &weight.spec().shape]);
    let uniform = Uniform::new(&options).filter(|_| is_filled && suits(x.dtype()));
    let Some(options_of_candle) = uniform else {
        if spec.shape.num_elements() > 0 {
            list_places(&weight.spec().shape, &spec.shape);
        }
        kernels::ran(|| "composition conv".into());
        return cast::cast(reference::conv::<Leaf>(ConvArgs { x, weight, bias, options }), dtype);
    };
    let channels: Shape = (0..spec.shape.rank()).map(|d| if d == 1 { spec.shape[1] } else { 1 }).collect();
    let product =
        Core::run("conv", x.device(), spec, || forward(x.candle(), weight.candle(), options_of_candle));
    let result = match bias {
        Some(bias) => binary(BinaryOp::Add, product, reshape(bias, channels)),
        None => product,
    };
    cast::cast(result, dtype)
}

fn forward(x: &Tensor, weight: &Tensor, options: Uniform) -> Result<Tensor> {
    let Uniform { stride, padding, dilation, groups } = options;
    let (x, weight) = (in_order(x)?, in_order(weight)?);
    if x.rank() == 3 {
        x.conv1d(&weight, padding, stride, dilation, groups)
    } else {
        x.conv2d(&weight, padding, stride, dilation, groups)
    }
}

#[track_caller]
pub fn conv_transpose(args: ConvGradArgs<CandleTensor>) -> CandleTensor {
    let dtype = args.grad.dtype();
    let ConvGradArgs { grad, other: weight, target, options } = args.map(wide);
    let spec = TensorSpec { shape: target.clone(), dtype: grad.dtype() };
    let is_filled = are_filled([&target, &grad.spec().shape, &weight.spec().shape]);
    let uniform = Uniform::new(&options).filter(|_| is_filled && suits(grad.dtype()));
    let extra = uniform.and_then(|options| output_padding(&grad, &weight, &target, options));
    let (Some(options_of_candle), Some(extra)) = (uniform, extra) else {
        if is_filled {
            list_places(&weight.spec().shape, &grad.spec().shape);
        }
        kernels::ran(|| "composition conv_transpose".into());
        let args = ConvGradArgs { grad, other: weight, target, options };
        return cast::cast(reference::conv_transpose::<Leaf>(args), dtype);
    };
    let result = Core::run("conv_transpose", grad.device(), spec, || {
        backward(grad.candle(), weight.candle(), options_of_candle, extra)
    });
    cast::cast(result, dtype)
}

/// Returns the output padding, if it is the same along all dimensions: by how much the target is larger than
/// the smallest input of a convolution with such a result.
fn output_padding(
    grad: &CandleTensor,
    weight: &CandleTensor,
    target: &Shape,
    options: Uniform,
) -> Option<usize> {
    let Uniform { stride, padding, dilation, .. } = options;
    let extra = |d: usize| {
        let reach = (grad.spec().shape[d] - 1) * stride + dilation * (weight.spec().shape[d] - 1) + 1;
        (target[d] + 2 * padding).checked_sub(reach)
    };
    let first = extra(2)?;
    (3..target.rank()).all(|d| extra(d) == Some(first)).then_some(first)
}

fn backward(grad: &Tensor, weight: &Tensor, options: Uniform, extra: usize) -> Result<Tensor> {
    let Uniform { stride, padding, dilation, groups } = options;
    by_group(
        groups,
        |group| {
            let (x, weight) = (part(grad, 1, groups, group)?, part(weight, 0, groups, group)?);
            if x.rank() == 3 && (padding, extra, dilation) == (0, 0, 1) {
                // Candle's product for this case mixes up the elements of several batches; that of planes
                // does not.
                x.unsqueeze(2)?.conv_transpose2d(&weight.unsqueeze(2)?, 0, 0, stride, 1)?.squeeze(2)
            } else if x.rank() == 3 {
                x.conv_transpose1d(&weight, padding, extra, stride, dilation, 1)
            } else {
                x.conv_transpose2d(&weight, padding, extra, stride, dilation)
            }
        },
        1,
    )
}

/// Part `group` of the channels along `dim`, in order.
fn part(x: &Tensor, dim: usize, groups: usize, group: usize) -> Result<Tensor> {
    let channels = x.dim(dim)? / groups;
    in_order(&x.narrow(dim, group * channels, channels)?)
}

/// Applies `f` to each group and concatenates the results along `dim`.
fn by_group(groups: usize, f: impl Fn(usize) -> Result<Tensor>, dim: usize) -> Result<Tensor> {
    let parts = (0..groups).map(f).collect::<Result<Vec<_>>>()?;
    Tensor::cat(&parts, dim)
}

/// The convolution of the input with the gradient, batch and channels turned over: stride and dilation change
/// places.
#[track_caller]
pub fn conv_weight_grad(args: ConvGradArgs<CandleTensor>) -> CandleTensor {
    let dtype = args.grad.dtype();
    let ConvGradArgs { grad, other: x, target, options } = args.map(wide);
    let spec = TensorSpec { shape: target.clone(), dtype: grad.dtype() };
    let is_filled = are_filled([&target, &grad.spec().shape, &x.spec().shape]);
    let uniform = Uniform::new(&options).filter(|_| is_filled && suits(grad.dtype()));
    let Some(options_of_candle) = uniform else {
        if is_filled {
            list_places(&target, &grad.spec().shape);
        }
        kernels::ran(|| "composition conv_weight_grad".into());
        let args = ConvGradArgs { grad, other: x, target, options };
        return cast::cast(reference::conv_weight_grad::<Leaf>(args), dtype);
    };
    let Uniform { stride, padding, dilation, groups } = options_of_candle;
    let turned = Uniform { stride: dilation, padding, dilation: stride, groups: 1 };
    let result = Core::run("conv_weight_grad", grad.device(), spec, || {
        by_group(
            groups,
            |group| {
                let x = part(x.candle(), 1, groups, group)?.transpose(0, 1)?;
                let grad = part(grad.candle(), 1, groups, group)?.transpose(0, 1)?;
                let whole = forward(&x, &grad, turned)?;
                // Where the last windows leave entries of the input over, there are more positions than taps.
                let taps = (2..target.rank()).try_fold(whole, |x, d| x.narrow(d, 0, target[d]))?;
                taps.transpose(0, 1)?.contiguous()
            },
            0,
        )
    });
    cast::cast(result, dtype)
}

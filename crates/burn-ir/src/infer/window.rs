//! Convolutions and poolings: windows over spatial dimensions.

use super::require::{Result, argument, float, numeric, require, same_dtype, same_shape};
use crate::OpErrorKind as Kind;
use crate::{
    ConvArgs, ConvGradArgs, ConvOptions, Dims, HasSpec, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Shape,
    TensorSpec,
};
use alloc::format;

/// The most spatial dimensions that backends have kernels for.
const SPATIAL: usize = 3;

/// The number of spatial dimensions, if options have an entry for each and backends have a kernel for it.
fn spatial(lists: &[(&'static str, &Dims)]) -> Result<usize> {
    let (first, count) = (lists[0].0, lists[0].1.len());
    for (name, list) in lists {
        argument(list.len() == count, || {
            format!(
                "{first} {:?} and {name} {list:?} need one entry for each spatial dimension, but have {count} and {}",
                lists[0].1,
                list.len()
            )
        })?;
    }
    argument((1..=SPATIAL).contains(&count), || {
        format!("needs 1 to {SPATIAL} spatial dimensions, found {count} in {first} {:?}", lists[0].1)
    })?;
    Ok(count)
}

fn positive(name: &'static str, list: &[usize]) -> Result<()> {
    let zero = list.iter().position(|&entry| entry == 0);
    argument(zero.is_none(), || {
        format!(
            "{name} {list:?} is 0 at spatial dimension {}, but has to be at least 1",
            zero.unwrap_or_default()
        )
    })
}

/// The shape of the convolution of an input by a weight.
fn convolved(x: &Shape, weight: &Shape, options: &ConvOptions) -> Result<Shape> {
    let ConvOptions { stride, padding, dilation, groups } = options;
    let has_sides = padding.len() == 2 * stride.len();
    let before = if has_sides { Dims::from(options.padding_before()) } else { padding.clone() };
    let spatial = spatial(&[("stride", stride), ("padding", &before), ("dilation", dilation)])?;
    positive("stride", stride)?;
    positive("dilation", dilation)?;
    argument(x.rank() == spatial + 2 && weight.rank() == spatial + 2, || {
        format!(
            "{spatial} spatial dimensions need rank {}, found input {x:?} and weight {weight:?}",
            spatial + 2
        )
    })?;
    positive("the kernel", &weight[2..])?;
    argument(*groups > 0, || format!("needs at least one group, for input {x:?} and weight {weight:?}"))?;
    argument(weight[0].is_multiple_of(*groups), || {
        format!("dimension 0 of the weight {weight:?} is no multiple of the {groups} groups")
    })?;
    argument(weight[1].checked_mul(*groups) == Some(x[1]), || {
        format!(
            "channels differ: dimension 1 of the input {x:?} is {}, that of the weight {weight:?} times {groups} \
             groups is not",
            x[1]
        )
    })?;
    let mut shape = x.with(1, weight[0]);
    for d in 0..spatial {
        let size = options.output_size(d, x[d + 2], weight[d + 2]);
        argument(size.is_some(), || {
            format!(
                "the kernel is larger than the padded input at dimension {}: input {x:?}, weight {weight:?}, \
                 padding {padding:?}, dilation {dilation:?}",
                d + 2
            )
        })?;
        shape[d + 2] = size.unwrap_or_default();
    }
    Ok(shape)
}

pub fn conv<T: HasSpec>(args: &ConvArgs<T>) -> Result<TensorSpec> {
    let (x, weight) = (args.x.spec(), args.weight.spec());
    same_dtype(numeric(x)?, weight)?;
    let shape = convolved(&x.shape, &weight.shape, &args.options)?;
    if let Some(bias) = args.bias.as_ref().map(HasSpec::spec) {
        same_dtype(x, bias)?;
        same_shape("bias needs one value per output channel", &bias.shape, &Shape::from([shape[1]]))?;
    }
    Ok(TensorSpec { shape, dtype: x.dtype })
}

/// Infers the spec of a transposed convolution: `target` is the input of a convolution by `other`.
pub fn conv_transpose<T: HasSpec>(args: &ConvGradArgs<T>) -> Result<TensorSpec> {
    let ConvGradArgs { grad, other, target, options } = args;
    same_dtype(numeric(grad.spec())?, other.spec())?;
    let shape = convolved(target, &other.spec().shape, options)?;
    same_shape("the tensor and the convolution of the target", &grad.spec().shape, &shape)?;
    Ok(TensorSpec { shape: target.clone(), dtype: grad.dtype() })
}

/// Infers the spec of a weight gradient: `target` is the weight of a convolution of `other`.
pub fn conv_weight_grad<T: HasSpec>(args: &ConvGradArgs<T>) -> Result<TensorSpec> {
    let ConvGradArgs { grad, other, target, options } = args;
    same_dtype(numeric(grad.spec())?, other.spec())?;
    let shape = convolved(&other.spec().shape, target, options)?;
    same_shape("the gradient and the convolution by the target", &grad.spec().shape, &shape)?;
    Ok(TensorSpec { shape: target.clone(), dtype: grad.dtype() })
}

pub fn pool<T: HasSpec>(args: &PoolArgs<T>) -> Result<TensorSpec> {
    pooled(args.x.spec(), &args.options)
}

pub fn pooled(x: &TensorSpec, options: &PoolOptions) -> Result<TensorSpec> {
    let PoolOptions { kernel, stride, padding, dilation } = options;
    float(x)?;
    let spatial =
        spatial(&[("kernel", kernel), ("stride", stride), ("padding", padding), ("dilation", dilation)])?;
    [("kernel", kernel), ("stride", stride), ("dilation", dilation)]
        .into_iter()
        .try_for_each(|(name, list)| positive(name, list))?;
    has_rank(x, spatial)?;
    let mut spec = x.clone();
    for d in 0..spatial {
        argument(padding[d] <= kernel[d] / 2, || {
            format!("padding {padding:?} is more than half of the kernel {kernel:?} at spatial dimension {d}")
        })?;
        let size = options.output_size(d, x.shape[d + 2]);
        argument(size.is_some(), || {
            format!(
                "the kernel is larger than the padded input at dimension {}: input {:?}, kernel {kernel:?}, \
                 padding {padding:?}, dilation {dilation:?}",
                d + 2,
                x.shape
            )
        })?;
        argument(covers(options, d, x.shape[d + 2]), || {
            format!(
                "a window covers nothing but padding at dimension {}: input {:?}, kernel {kernel:?}, \
                 padding {padding:?}, dilation {dilation:?}",
                d + 2,
                x.shape
            )
        })?;
        spec.shape[d + 2] = size.unwrap_or_default();
    }
    Ok(spec)
}

/// Whether every window covers an element. Those that begin in the input do; those that begin in the padding
/// do unless they step over it.
fn covers(options: &PoolOptions, d: usize, size: usize) -> bool {
    let (padding, dilation) = (options.padding[d], options.dilation[d]);
    let inside = |before: usize| before.div_ceil(dilation) * dilation - before < size;
    size >= dilation || (size > 0 && (0..padding).step_by(options.stride[d]).all(|at| inside(padding - at)))
}

fn has_rank(x: &TensorSpec, spatial: usize) -> Result<()> {
    argument(x.shape.rank() == spatial + 2, || {
        format!(
            "{spatial} spatial dimensions need rank {}, found {:?} (rank {})",
            spatial + 2,
            x.shape,
            x.shape.rank()
        )
    })
}

pub fn pool_grad<T: HasSpec>(args: &PoolGradArgs<T>) -> Result<TensorSpec> {
    let target = TensorSpec { shape: args.target.clone(), dtype: args.grad.dtype() };
    let out = pooled(&target, &args.options)?;
    same_shape("gradient and pooled input", &args.grad.spec().shape, &out.shape)?;
    let needs_x = match args.kind {
        PoolKind::Max => true,
        PoolKind::Avg { .. } => false,
    };
    require(args.x.is_some() || !needs_x, || {
        Kind::Argument("the gradient of a maximum needs the input that was pooled".into())
    })?;
    if let Some(x) = &args.x {
        same_dtype(args.grad.spec(), x.spec())?;
        same_shape("input and its gradient", &x.spec().shape, &args.target)?;
    }
    Ok(target)
}

pub fn adaptive(x: &TensorSpec, size: &Dims) -> Result<TensorSpec> {
    float(x)?;
    has_rank(x, spatial(&[("size", size)])?)?;
    let mut spec = x.clone();
    for (d, &size) in size.iter().enumerate() {
        argument(x.shape[d + 2] > 0, || {
            format!("dimension {} of {:?} is empty, and there is no mean of nothing", d + 2, x.shape)
        })?;
        spec.shape[d + 2] = size;
    }
    Ok(spec)
}

pub fn adaptive_grad(grad: &TensorSpec, target: &Shape) -> Result<TensorSpec> {
    let size: Dims = grad.shape.iter().skip(2).copied().collect();
    let target = TensorSpec { shape: target.clone(), dtype: grad.dtype };
    same_shape("gradient and pooled input", &grad.shape, &adaptive(&target, &size)?.shape)?;
    Ok(target)
}

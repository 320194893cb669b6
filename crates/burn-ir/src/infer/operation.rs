use super::require::{
    Result, accepted, bools, broadcast, broadcast_shapes, dim_of, dims_of, float, indices_of, numeric,
    same_dtype, same_shape, sized,
};
use super::{
    attention, fft, index, interpolate, layout, linalg, matmul, norm, quantization, recurrent, reduce, window,
};
use crate::OpErrorKind as Kind;
use crate::{DType, HasSpec, OpError, Operation, Outputs, TensorSpec};
use alloc::boxed::Box;
use alloc::format;

/// Infers the shapes and dtypes of the results of `op`, or returns why the call is invalid.
pub fn output_specs<T: HasSpec>(op: &Operation<T>) -> core::result::Result<Outputs<TensorSpec>, OpError> {
    infer(op).map_err(|kind| OpError { op: op.name(), kind })
}

fn infer<T: HasSpec>(operation: &Operation<T>) -> Result<Outputs<TensorSpec>> {
    use Operation::*;
    let spec = match operation {
        Unary { op, x } => accepted(|dtype| op.accepts(dtype), x.spec())?.clone(),
        Binary { op, lhs, rhs } => {
            accepted(|dtype| op.accepts(dtype), lhs.spec())?;
            broadcast(lhs.spec(), rhs.spec())?
        }
        BinaryScalar { op, lhs, .. } => accepted(|dtype| op.accepts(dtype), lhs.spec())?.clone(),
        Compare { lhs, rhs, .. } => as_bool(broadcast(lhs.spec(), rhs.spec())?),
        CompareScalar { lhs, .. } => as_bool(lhs.spec().clone()),
        Clamp { x, .. } => numeric(x.spec())?.clone(),
        MaskWhere { mask, on, off } => mask_where(mask.spec(), on.spec(), off.spec())?,
        MaskFill { x, mask, .. } => {
            bools(mask.spec())?;
            layout::expand(mask.spec(), &x.spec().shape)?;
            x.spec().clone()
        }
        Cast { x, dtype } => TensorSpec { shape: x.shape(), dtype: *dtype },
        Reshape { x, shape } => layout::reshape(x.spec(), shape)?,
        Permute { x, axes } => layout::permute(x.spec(), axes)?,
        Expand { x, shape } => layout::expand(x.spec(), shape)?,
        Flip { x, axes } => {
            dims_of(axes, x.spec())?;
            x.spec().clone()
        }
        Slice { x, slices } => layout::slice(x.spec(), slices)?,
        SliceAssign { x, slices, value } => {
            same_dtype(x.spec(), value.spec())?;
            same_shape("value and slice", &value.spec().shape, &layout::slice(x.spec(), slices)?.shape)?;
            x.spec().clone()
        }
        Cat { xs, dim } => layout::cat(xs, *dim)?,
        RepeatDim { x, dim, times } => layout::repeat(x.spec(), *dim, *times)?,
        Reduce { op, x, dims } => reduce::reduce(*op, x.spec(), dims)?,
        ArgReduce { x, dim, index, .. } => {
            TensorSpec { dtype: *index, ..reduce::extreme(x.spec(), *dim, *index)? }
        }
        ReduceWithIndices { x, dim, index, .. } => {
            return Ok(reduce::with_indices(reduce::extreme(x.spec(), *dim, *index)?, *index));
        }
        Cumulative { x, dim, .. } => {
            dim_of(*dim, x.spec())?;
            numeric(x.spec())?.clone()
        }
        Sort { x, dim, .. } => {
            dim_of(*dim, x.spec())?;
            x.spec().clone()
        }
        SortWithIndices { x, dim, index, .. } => return reduce::sorted(x.spec(), *dim, *index),
        TopK { x, k, dim, index, .. } => return reduce::topk(x.spec(), *k, *dim, *index),
        Gather { x, dim, indices } => index::gather(x.spec(), *dim, indices.spec())?,
        Scatter { x, dim, indices, value, update } => {
            index::scatter(x.spec(), *dim, indices.spec(), value.spec(), *update)?
        }
        Select { x, dim, indices } => index::select(x.spec(), *dim, indices.spec())?,
        SelectAssign { x, dim, indices, value, update } => {
            index::select_assign(x.spec(), *dim, indices.spec(), value.spec(), *update)?
        }
        Matmul { lhs, rhs } => matmul::matmul(lhs.spec(), rhs.spec())?,
        Factorize { op, x } => linalg::factorize(*op, x.spec())?,
        Lu { x, index } => return linalg::lu(x.spec(), *index),
        Solve { a, b } | SolveTriangular { a, b, .. } => linalg::solve(a.spec(), b.spec())?,
        Conv(args) => window::conv(args)?,
        ConvTranspose(args) => window::conv_transpose(args)?,
        ConvWeightGrad(args) => window::conv_weight_grad(args)?,
        Pool(args) => window::pool(args)?,
        PoolGrad(args) => window::pool_grad(args)?,
        MaxPoolWithIndices { x, options, index } => {
            let value = window::pooled(x.spec(), options)?;
            indices_of(x.spec().shape[2..].iter().product(), *index)?;
            sized(&value)?;
            return Ok(reduce::with_indices(value, *index));
        }
        AdaptiveAvgPool { x, size } => window::adaptive(x.spec(), size)?,
        AdaptiveAvgPoolGrad { grad, target } => window::adaptive_grad(grad.spec(), target)?,
        Interpolate { x, size, options } => interpolate::interpolate(x.spec(), size, options)?,
        InterpolateGrad { grad, target, options } => interpolate::grad(grad.spec(), target, options)?,
        Fft { op, x, dim } => fft::fft(*op, x.spec(), *dim)?,
        Softmax { x, dim } | LogSoftmax { x, dim } => {
            dim_of(*dim, x.spec())?;
            float(x.spec())?.clone()
        }
        LayerNorm(args) => norm::layer_norm(args)?,
        LayerNormGrad(args) => norm::layer_norm_grad(args)?,
        Attention(args) => return attention::attention(args),
        AttentionGrad(args) => return attention::attention_grad(args),
        Quantize(args) => quantization::quantize(args)?,
        Dequantize(x) => quantization::dequantize(x)?,
        QuantizedMatmul(args) => quantization::quantized_matmul(args)?,
        IntegerMatmul(args) => quantization::integer_matmul(args)?,
        Recurrent(args) => return recurrent::recurrent(args),
        RecurrentGrad(args) => return recurrent::recurrent_grad(args),
    };
    sized(&spec)?;
    Ok(Outputs::One(spec))
}

fn as_bool(spec: TensorSpec) -> TensorSpec {
    TensorSpec { dtype: DType::Bool, ..spec }
}

#[allow(clippy::wildcard_enum_match_arm)] // Kinds of errors, no operations.
fn mask_where(mask: &TensorSpec, on: &TensorSpec, off: &TensorSpec) -> Result<TensorSpec> {
    bools(mask)?;
    same_dtype(on, off)?;
    let rank = mask.shape.rank().max(on.shape.rank()).max(off.shape.rank());
    // The message names all three shapes, not only the two that do not broadcast.
    let named = |kind: Box<Kind>, of: usize| match *kind {
        Kind::Broadcast { dim, .. } => {
            let shapes = format!("mask {:?}, on {:?} and off {:?}", mask.shape, on.shape, off.shape);
            let dim = dim + rank - of;
            let text = format!(
                "{shapes} do not broadcast: they differ at dimension {dim} (of the result), and are not 1"
            );
            Box::new(Kind::Argument(text.into()))
        }
        other => Box::new(other),
    };
    let values = broadcast_shapes(&on.shape, &off.shape)
        .map_err(|kind| named(kind, on.shape.rank().max(off.shape.rank())))?;
    let shape = broadcast_shapes(&mask.shape, &values).map_err(|kind| named(kind, rank))?;
    Ok(TensorSpec { shape, dtype: on.dtype })
}

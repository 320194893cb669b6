//! Fourier transforms. Complex numbers are pairs in the last dimension, as in ONNX.

use super::lowering::Lowering;
use crate::error::Outcome;
use crate::export::graph_writer::int;
use burn_capture::Value;
use burn_ir::{DType, FftOp, Scalar};

pub(super) fn lower(
    to: &mut Lowering<'_>,
    op: FftOp,
    x: Value,
    dim: usize,
    result: Value,
) -> Outcome<String> {
    let (name, dtype, rank) = (to.name(x), to.dtype(x), to.rank(x));
    let axis = to.writer.scalar(Scalar::Int(dim as i64), DType::I64);
    let transform = |to: &mut Lowering<'_>, name: &str, attributes: &[(&str, i64)]| {
        let attributes = attributes.iter().map(|(name, value)| int(name, *value)).collect();
        to.op_with("DFT", &[name, "", &axis], attributes)
    };
    match op {
        FftOp::Forward => Ok(transform(to, &name, &[])),
        FftOp::Backward => {
            let divided = transform(to, &name, &[("inverse", 1)]);
            let size = to.dim(x, dim);
            times_size(to, &divided, &size, x, dtype)
        }
        FftOp::Real => {
            // ONNX wants a last dimension of size 1 for the real part.
            let last = to.writer.ints(&[rank as i64]);
            let real = to.op("Unsqueeze", [&name, &last]);
            Ok(transform(to, &real, &[("onesided", 1)]))
        }
        FftOp::Half { .. } => {
            let full = conjugate_half(to, &name, x, dim)?;
            let divided = transform(to, &full, &[("inverse", 1)]);
            let size = to.dim(result, dim);
            let complex = times_size(to, &divided, &size, x, dtype)?;
            let (zero, last) = (to.writer.scalar(Scalar::Int(0), DType::I64), int("axis", rank as i64 - 1));
            Ok(to.op_with("Gather", &[&complex, &zero], vec![last]))
        }
    }
}

/// ONNX divides by the size, and nothing here does.
fn times_size(to: &mut Lowering<'_>, name: &str, size: &[i64], x: Value, dtype: DType) -> Outcome<String> {
    let size = to.size_value(size, &[x])?;
    let size = to.cast_from(size, DType::I64, dtype);
    Ok(to.op("Mul", [name, &size]))
}

/// All elements of a spectrum of real numbers: the first half, and the conjugates of it in reverse.
fn conjugate_half(to: &mut Lowering<'_>, name: &str, x: Value, dim: usize) -> Outcome<String> {
    let dtype = to.dtype(x);
    let half = to.need_fixed_dim(x, dim)? as i64;
    let n = to.numbers()[0][0];
    let axis = to.writer.ints(&[dim as i64]);
    // Element k of the second half is the conjugate of element n - k.
    let first_mirrored = n - half;
    let signs = burn_ir::TensorData::from([1.0_f64, -1.0]).convert_dtype(dtype);
    let signs = to.writer.constant(signs);
    let mut parts = vec![name.to_string()];
    if first_mirrored > 0 {
        let [start, end, step] = [first_mirrored, 0, -1].map(|number: i64| to.writer.ints(&[number]));
        let mirrored = to.op("Slice", [name, &start, &end, &axis, &step]);
        parts.push(to.op("Mul", [&mirrored, &signs]));
    }
    let parts: Vec<&str> = parts.iter().map(|part| &part[..]).collect();
    let full = to.op_with("Concat", &parts, vec![int("axis", dim as i64)]);
    let mut shape: Vec<usize> = vec![1; to.rank(x)];
    shape[dim] = n as usize;
    // The imaginary parts that would make the result complex are not read.
    let rank = shape.len();
    shape[rank - 1] = 2;
    let kept = (0..n * 2).map(|at| {
        let (place, imaginary) = (at / 2, at % 2 == 1);
        let is_real = place == 0 || 2 * place == n;
        if imaginary && is_real { 0.0 } else { 1.0 }
    });
    let kept: Vec<f64> = kept.collect();
    let kept = burn_ir::TensorData::new(kept, shape).convert_dtype(dtype);
    let kept = to.writer.constant(kept);
    Ok(to.op("Mul", [&full, &kept]))
}

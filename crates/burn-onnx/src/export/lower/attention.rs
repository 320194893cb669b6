//! Scaled dot-product attention as matrix products and a softmax.

use super::lowering::Lowering;
use crate::error::Outcome;
use crate::export::graph_writer::int;
use burn_capture::Value;
use burn_ir::{AttentionArgs, DType, attention_dtype};

pub(super) fn lower(
    to: &mut Lowering<'_>,
    args: &AttentionArgs<Value>,
    results: &[Value],
) -> Outcome<Vec<String>> {
    let (dtype, heads) = (to.dtype(args.query), to.shape(args.query)[1]);
    let (query, mut key, mut value) = (to.name(args.query), to.name(args.key), to.name(args.value));
    let key_heads = to.shape(args.key)[1];
    if heads != key_heads {
        key = repeated(to, args.key, &key, heads / key_heads)?;
        value = repeated(to, args.value, &value, heads / key_heads)?;
    }
    let scale = to.number(args.scale, dtype);
    let scaled = to.op("Mul", [&query, &scale]);
    let columns = to.transpose(&key, [0, 1, 3, 2]);
    let mut scores = to.op("MatMul", [&scaled, &columns]);
    let hidden = to.number(f64::NEG_INFINITY, dtype);
    if let Some(mask) = args.mask {
        let name = to.name(mask);
        scores = if to.dtype(mask) == DType::Bool {
            to.op("Where", [&name, &hidden, &scores])
        } else {
            to.op("Add", [&scores, &name])
        };
    }
    if args.causal {
        let later = later_keys(to, args)?;
        scores = to.op("Where", [&later, &hidden, &scores]);
    }
    let mut weights = to.op_with("Softmax", &[&scores], vec![int("axis", -1)]);
    let zero = to.number(0.0, dtype);
    if args.mask.is_some() {
        // A query without a key has zeros.
        let axis = to.writer.ints(&[3]);
        let largest = to.op_with("ReduceMax", &[&scores, &axis], vec![int("keepdims", 1)]);
        let is_alone = to.op("Equal", [&largest, &hidden]);
        weights = to.op("Where", [&is_alone, &zero, &weights]);
    }
    let context = to.op("MatMul", [&weights, &value]);
    let mut names = vec![context];
    if results.len() > 1 {
        names.push(if to.is_used(results[1]) { log_sums(to, &scores, dtype) } else { String::new() });
    }
    Ok(names)
}

/// Keys or values of which each head serves as many heads of the query in a row.
fn repeated(to: &mut Lowering<'_>, x: Value, name: &str, times: usize) -> Outcome<String> {
    let [axis, shape] = [vec![2], vec![1, 1, times as i64, 1, 1]].map(|list: Vec<i64>| to.writer.ints(&list));
    let apart = to.op("Unsqueeze", [name, &axis]);
    let copies = to.op("Expand", [&apart, &shape]);
    let size = to.need_fixed_dim(x, 3)?;
    let heads = to.need_fixed_dim(x, 1)? * times;
    let length = to.dim(x, 2);
    let fixed = to.fixed_dim(x, 2);
    if let Some(length) = fixed {
        return Ok(to.reshape(&copies, &[0, heads as i64, length as i64, size as i64]));
    }
    let length = to.size(&length, &[x])?;
    let known = super::lowering::Size::Known;
    let shape = to.list(vec![known(0), known(heads as i64), length, known(size as i64)]);
    Ok(to.op("Reshape", [&copies, &shape]))
}

/// True where a key comes after the query: `[queries, keys]`.
fn later_keys(to: &mut Lowering<'_>, args: &AttentionArgs<Value>) -> Outcome<String> {
    let mut places = Vec::with_capacity(2);
    for x in [args.query, args.key] {
        let length = to.dim(x, 2);
        let count = to.size_value(&length, &[x])?;
        let axis = to.writer.ints(&[0]);
        let count = to.op("Squeeze", [&count, &axis]);
        let (zero, one) = (to.number(0.0, DType::I64), to.number(1.0, DType::I64));
        places.push(to.op("Range", [&zero, &count, &one]));
    }
    let axis = to.writer.ints(&[1]);
    let rows = to.op("Unsqueeze", [&places[0], &axis]);
    Ok(to.op("Greater", [&places[1], &rows]))
}

/// Logarithms of the sums of the softmax, 0 for a query without a key.
fn log_sums(to: &mut Lowering<'_>, scores: &str, dtype: DType) -> String {
    let axis = to.writer.ints(&[3]);
    let sums = to.op_with("ReduceLogSumExp", &[scores, &axis], vec![int("keepdims", 0)]);
    let (hidden, zero) = (to.number(f64::NEG_INFINITY, dtype), to.number(0.0, dtype));
    let largest = to.op_with("ReduceMax", &[scores, &axis], vec![int("keepdims", 0)]);
    let is_alone = to.op("Equal", [&largest, &hidden]);
    let sums = to.op("Where", [&is_alone, &zero, &sums]);
    to.cast_from(sums, dtype, attention_dtype(dtype))
}

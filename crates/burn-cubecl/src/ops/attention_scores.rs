//! Attention by a matrix of scores: products, and between them one kernel that goes over the scores.

use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::partial;
use crate::ops::block::Program;
use crate::ops::create::range;
use crate::ops::elementwise::cast;
use crate::ops::layout::{cat, contiguous, reshape, transpose};
use crate::ops::matmul::matmul;
use burn_backend::*;

/// Bytes of scores that are there at a time, where heads can be done one after the other.
const MOST: usize = 512 << 20;

/// See [`AttentionArgs`]. `otherwise` computes calls without rows of scores.
pub fn attention(
    args: AttentionArgs<CubeTensor>,
    otherwise: impl FnOnce(AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor),
) -> (CubeTensor, CubeTensor) {
    if !has_rows(&args.query, &args.key) {
        return otherwise(args);
    }
    by_halves(args)
}

/// All scores at once, or those of some heads after those of others.
fn by_halves(args: AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let Some((dim, units)) = division(&args.query, &args.key) else { return whole(args) };
    let [first, second] =
        halves(units).map(|range| by_halves(args.clone().map(|x| narrowed(x, dim, units, range.clone()))));
    let joined = |first, second| cat(&[first, second], dim);
    (joined(first.0, second.0), joined(first.1, second.1))
}

/// See [`AttentionGradArgs`]. `otherwise` computes calls without rows of scores.
pub fn attention_grad(
    args: AttentionGradArgs<CubeTensor>,
    otherwise: impl FnOnce(AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor),
) -> (CubeTensor, CubeTensor, CubeTensor) {
    if !has_rows(&args.query, &args.key) {
        return otherwise(args);
    }
    grad_by_halves(args)
}

/// The gradients, as [`by_halves`].
fn grad_by_halves(args: AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor) {
    let Some((dim, units)) = division(&args.query, &args.key) else { return whole_grad(args) };
    let [first, second] = halves(units)
        .map(|range| grad_by_halves(args.clone().map(|x| narrowed(x, dim, units, range.clone()))));
    let joined = |first, second| cat(&[first, second], dim);
    (joined(first.0, second.0), joined(first.1, second.1), joined(first.2, second.2))
}

/// Whether there are scores, and rows of them that can be folded.
fn has_rows(query: &CubeTensor, key: &CubeTensor) -> bool {
    query.spec().shape[..3].iter().all(|&size| size > 0) && key.spec().shape[2] > 1
}

/// The dimension along which a call whose scores are too many is taken apart, and what that is made of.
fn division(query: &CubeTensor, key: &CubeTensor) -> Option<(usize, usize)> {
    let (shape, key_shape) = (&query.spec().shape, &key.spec().shape);
    let bytes = shape[..3].iter().product::<usize>() * key_shape[2] * size_of::<f32>();
    let dim = (0..2).find(|&dim| key_shape[dim] > 1).filter(|_| bytes > MOST)?;
    Some((dim, key_shape[dim]))
}

fn halves(units: usize) -> [std::ops::Range<usize>; 2] {
    [0..units / 2, units / 2..units]
}

/// The part of an operand that belongs to some of the units that `dim` is made of. What is repeated belongs
/// to all.
fn narrowed(x: CubeTensor, dim: usize, units: usize, range: std::ops::Range<usize>) -> CubeTensor {
    let mut shape = x.shape();
    if shape[dim] == 1 {
        return x;
    }
    let each = shape[dim] / units;
    shape[dim] = each * range.len();
    let (strides, offset) =
        (x.strides().clone(), x.offset().wrapping_add(range.start * each * x.strides()[dim]));
    x.view(shape, strides, offset)
}

fn whole(args: AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
    let AttentionArgs { query, key, value, mask, causal, scale } = args;
    let (dtype, shape, heads) = (query.dtype(), query.shape(), key.spec().shape[1]);
    let seen = Seen::new(&query, &key, mask, causal, scale);
    let [query, key, value] = [query, key, value].map(wide);
    let products = matmul(&group_heads(query, heads), &transpose(key));
    let (weights, log_sums) = weights(ungroup_heads(products, &shape), &seen);
    let out = ungroup_heads(matmul(&group_heads(weights, heads), &value), &shape);
    (cast(out, dtype), log_sums.reshaped(Shape::from(&shape[..3])))
}

/// The softmax of each row, 0 where nothing is seen, and the logarithm of what it divides by.
fn weights(products: CubeTensor, seen: &Seen) -> (CubeTensor, CubeTensor) {
    let shape = products.shape();
    let inputs: Vec<_> = [&products].into_iter().chain(seen.inputs()).collect();
    let mut p = Program::new(inputs.len());
    let scores = seen.scores(&mut p, 0, 1);
    let largest = p.fold(ReduceOp::Max, scores);
    let dtype = products.dtype();
    let (hidden, zero) = (p.constant(NOTHING, dtype), p.constant(Scalar::Int(0), dtype));
    let is_blind = p.compare(CompareOp::Equal, largest, hidden);
    let shift = p.choose(is_blind, zero, largest);
    let shifted = p.binary(BinaryOp::Sub, scores, shift);
    let exp = p.unary(UnaryOp::Exp, shifted);
    let sum = p.fold(ReduceOp::Sum, exp);
    let factor = p.unary(UnaryOp::Recip, sum);
    let factor = p.choose(is_blind, zero, factor);
    let weight = p.binary(BinaryOp::Mul, exp, factor);
    let log = p.unary(UnaryOp::Log, sum);
    let log = p.binary(BinaryOp::Add, log, shift);
    let log = p.choose(is_blind, zero, log);
    p.output(weight);
    p.output(log);
    let specs = [shape.clone(), shape.with(3, 1)].map(|shape| TensorSpec::new(shape, dtype));
    let mut results = p.run_rows(&shape, 1, &inputs, specs.into());
    (results.remove(0), results.remove(0))
}

fn whole_grad(args: AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor) {
    let AttentionGradArgs { grad, query, key, value, output: _, log_sums, mask, causal, scale } = args;
    let (dtype, shape, heads) = (query.dtype(), query.shape(), key.spec().shape[1]);
    let seen = Seen::new(&query, &key, mask, causal, scale);
    let [grad, query, key, value] = [grad, query, key, value].map(wide);
    let [grad, query] = [grad, query].map(|x| group_heads(x, heads));
    let products = ungroup_heads(matmul(&query, &transpose(key.clone())), &shape);
    let sloped = ungroup_heads(matmul(&grad, &transpose(value)), &shape);
    let log_sums = reshape(log_sums, shape.with(3, 1));
    let (weights, slopes) = slopes([products, sloped, log_sums], &seen);
    let [weights, slopes] = [weights, slopes].map(|x| group_heads(x, heads));
    let value_grad = matmul(&transpose(weights), &grad);
    let key_grad = matmul(&transpose(slopes.clone()), &query);
    let query_grad = ungroup_heads(matmul(&slopes, &key), &shape);
    (cast(query_grad, dtype), cast(key_grad, dtype), cast(value_grad, dtype))
}

/// The weights `w` once more, from the logarithms of sums, and from their gradients `d` that of the products,
/// `scale w (d - sum(w d))`.
fn slopes(read: [CubeTensor; 3], seen: &Seen) -> (CubeTensor, CubeTensor) {
    let shape = read[0].shape();
    let inputs: Vec<_> = read.iter().chain(seen.inputs()).collect();
    let mut p = Program::new(inputs.len());
    let (sloped, log_sum) = (1, 2);
    let scores = seen.scores(&mut p, 0, 3);
    let shifted = p.binary(BinaryOp::Sub, scores, log_sum);
    let weight = p.unary(UnaryOp::Exp, shifted);
    let along = p.binary(BinaryOp::Mul, weight, sloped);
    let level = p.fold(ReduceOp::Sum, along);
    let raised = p.binary(BinaryOp::Sub, sloped, level);
    let slope = p.binary(BinaryOp::Mul, raised, weight);
    let scale = p.constant(Scalar::Float(seen.scale), seen.dtype);
    let slope = p.binary(BinaryOp::Mul, slope, scale);
    p.output(weight);
    p.output(slope);
    let spec = TensorSpec::new(shape.clone(), seen.dtype);
    let mut results = p.run_rows(&shape, 1, &inputs, vec![spec.clone(), spec]);
    (results.remove(0), results.remove(0))
}

/// The score of a key that is hidden.
const NOTHING: Scalar = Scalar::Float(f64::NEG_INFINITY);

/// Scale and mask of attention scores.
struct Seen {
    /// Dtype of the products.
    dtype: DType,
    scale: f64,
    mask: Option<CubeTensor>,
    /// Positions of queries and of keys, for causal attention.
    places: Option<[CubeTensor; 2]>,
}

impl Seen {
    fn new(query: &CubeTensor, key: &CubeTensor, mask: Option<CubeTensor>, causal: bool, scale: f64) -> Self {
        let engine = query.engine();
        let places = |dim: usize, count: usize| {
            let spec = TensorSpec::new([count], DType::I32);
            let shape = Shape::from([1, 1, 1, 1]).with(dim, count);
            range(spec, Scalar::Int(0), Scalar::Int(1), engine).reshaped(shape)
        };
        let places = causal.then(|| [places(2, query.spec().shape[2]), places(3, key.spec().shape[2])]);
        Seen { dtype: partial(query.dtype()), scale, mask, places }
    }

    fn inputs(&self) -> impl Iterator<Item = &CubeTensor> {
        self.mask.iter().chain(self.places.iter().flatten())
    }

    /// The scores, of which the first operand of its own is the input `own`.
    fn scores(&self, p: &mut Program, products: Register, mut own: Register) -> Register {
        let (scale, hidden) = (Scalar::Float(self.scale), p.constant(NOTHING, self.dtype));
        let scale = p.constant(scale, self.dtype);
        let mut scores = p.binary(BinaryOp::Mul, products, scale);
        if let Some(mask) = &self.mask {
            scores = if mask.dtype() == DType::Bool {
                p.choose(own, hidden, scores)
            } else {
                let added = p.cast(own, self.dtype);
                p.binary(BinaryOp::Add, scores, added)
            };
            own += 1;
        }
        if self.places.is_some() {
            let is_behind = p.compare(CompareOp::Greater, own + 1, own);
            scores = p.choose(is_behind, hidden, scores);
        }
        scores
    }
}

/// In the element type that sums are made in, and in row-major order.
fn wide(x: CubeTensor) -> CubeTensor {
    let dtype = partial(x.dtype());
    contiguous(cast(x, dtype))
}

/// The rows of all heads that share a key as one matrix.
fn group_heads(x: CubeTensor, key_heads: usize) -> CubeTensor {
    let shape = x.shape();
    let rows = shape[1] / key_heads * shape[2];
    x.reshaped(Shape::from([shape[0], key_heads, rows, shape[3]]))
}

/// The reverse: heads and rows are those of `query`.
fn ungroup_heads(x: CubeTensor, query: &Shape) -> CubeTensor {
    let last = x.spec().shape[3];
    x.reshaped(query.with(3, last))
}

//! Layer norm and its gradient, as blocks that fold rows. They are computed in what sums are made in.

use crate::launch::lines::Lines;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::partial;
use crate::ops::block::Program;
use crate::ops::softmax::are_few_and_long;
use burn_backend::*;

/// Rows and what is the same for all of them, as registers of a program in what sums of their elements are
/// made in.
struct Norm<'a> {
    program: Program,
    inputs: Vec<&'a CubeTensor>,
    dtype: DType,
}

impl<'a> Norm<'a> {
    fn new(inputs: impl IntoIterator<Item = &'a CubeTensor>) -> Self {
        let inputs: Vec<_> = inputs.into_iter().collect();
        Norm { program: Program::new(inputs.len()), dtype: partial(inputs[0].dtype()), inputs }
    }

    fn input(&mut self, at: usize) -> Register {
        self.program.cast(at as Register, self.dtype)
    }

    /// `x` less its mean, and one over its deviation.
    fn normalised(&mut self, x: Register, epsilon: f64) -> (Register, Register) {
        let p = &mut self.program;
        let mean = p.fold(ReduceOp::Mean, x);
        let centred = p.binary(BinaryOp::Sub, x, mean);
        let square = p.unary(UnaryOp::Square, centred);
        let variance = p.fold(ReduceOp::Mean, square);
        let epsilon = p.constant(epsilon.into(), self.dtype);
        let variance = p.binary(BinaryOp::Add, variance, epsilon);
        let deviation = p.unary(UnaryOp::Sqrt, variance);
        (centred, p.unary(UnaryOp::Recip, deviation))
    }

    fn run(mut self, result: Register, like: &TensorSpec) -> CubeTensor {
        let result = self.program.cast(result, like.dtype);
        self.program.output(result);
        self.program.run_rows(&like.shape, 1, &self.inputs, vec![like.clone()]).remove(0)
    }
}

/// Whether rows are better shared among cubes.
fn is_for_reductions(x: &CubeTensor) -> bool {
    let lines = Lines::new(&[x], x.spec().shape.rank() - 1);
    are_few_and_long(lines.count, lines.terms)
}

/// Along the last dimension, in one kernel. `otherwise` computes the same by reductions.
pub fn layer_norm_(
    args: LayerNormArgs<CubeTensor>,
    otherwise: impl FnOnce(LayerNormArgs<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    if is_for_reductions(&args.x) {
        return otherwise(args);
    }
    let LayerNormArgs { x, weight, bias, epsilon } = &args;
    let mut norm = Norm::new([x].into_iter().chain(weight).chain(bias));
    let rows = norm.input(0);
    let (centred, scale) = norm.normalised(rows, *epsilon);
    let mut y = norm.program.binary(BinaryOp::Mul, centred, scale);
    let lists = [(BinaryOp::Mul, weight), (BinaryOp::Add, bias)];
    let lists = lists.into_iter().filter(|(_, list)| list.is_some());
    for (at, (op, _)) in lists.enumerate() {
        let list = norm.input(1 + at);
        y = norm.program.binary(op, y, list);
    }
    norm.run(y, x.spec())
}

/// `(g - mean(g) - y mean(g y)) / deviation`, where `y` is the input normalised and `g` the gradient times
/// the weight. `otherwise` computes the same by reductions.
pub fn layer_norm_grad_(
    args: LayerNormGradArgs<CubeTensor>,
    otherwise: impl FnOnce(LayerNormGradArgs<CubeTensor>) -> CubeTensor,
) -> CubeTensor {
    if is_for_reductions(&args.x) {
        return otherwise(args);
    }
    let LayerNormGradArgs { grad, x, weight, epsilon } = &args;
    let mut norm = Norm::new([x, grad].into_iter().chain(weight));
    let [rows, mut g] = [0, 1].map(|at| norm.input(at));
    if weight.is_some() {
        let weight = norm.input(2);
        g = norm.program.binary(BinaryOp::Mul, g, weight);
    }
    let (centred, scale) = norm.normalised(rows, *epsilon);
    let p = &mut norm.program;
    let y = p.binary(BinaryOp::Mul, centred, scale);
    let product = p.binary(BinaryOp::Mul, g, y);
    let (mean, along) = (p.fold(ReduceOp::Mean, g), p.fold(ReduceOp::Mean, product));
    let shifted = p.binary(BinaryOp::Sub, g, mean);
    let along = p.binary(BinaryOp::Mul, y, along);
    let shifted = p.binary(BinaryOp::Sub, shifted, along);
    let result = p.binary(BinaryOp::Mul, shifted, scale);
    norm.run(result, x.spec())
}

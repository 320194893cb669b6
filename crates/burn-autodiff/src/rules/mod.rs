//! Gradient rules. [`saves`] declares the values that a rule needs; [`backward`] computes the gradients.
//!
//! Convention: one file per family, two functions in it, one arm per operation in each. Rules neither undo
//! broadcasts nor check who requires a gradient: [`Sink`] does both, once. They run on `B`, the backend
//! behind an object, so that this crate compiles them once and no program does.

mod attention;
mod binary;
mod conv;
mod differentiability;
mod fft;
mod index;
mod layout;
mod linalg;
mod matmul;
mod norm;
mod parts;
mod pool;
mod quantization;
mod recurrent;
mod reduce;
mod softmax;
mod unary;

pub use differentiability::{Differentiability, Reason, differentiability};
pub use parts::is_in_parts;

use crate::checkpoint::Source;
use crate::{Checkpointer, Gradients, NodeRef, broadcast_shape};
use burn_backend::dynamic::{Dynamic as B, DynamicTensor as Tensor};
use burn_backend::ops::{add, transpose};
use burn_backend::{Backend, HasSpec, Operation, PoolKind, Scalar, Slices, TensorSpec};

/// Values that an operation saves for its gradient rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    Nothing,
    /// The operands in these positions, as bits.
    Inputs(u8),
    /// Each of two operands whose gradient reads the other: only what a tracked neighbour needs.
    EachOther,
    /// The last result (of several, the one that is not differentiable: indices).
    Output,
    /// The operands in these positions, and the last result.
    InputsAndOutput(u8),
    /// The operands in these positions, and both results.
    InputsAndOutputs(u8),
    /// No gradient flows.
    Constant(Reason),
}

impl Saves {
    pub const FIRST: Saves = Saves::Inputs(0b1);
    pub const SECOND: Saves = Saves::Inputs(0b10);
    pub const BOTH: Saves = Saves::Inputs(0b11);
    pub const THREE: Saves = Saves::Inputs(0b111);

    /// Returns whether the operand in `position` is saved; the bits of `tracked` are the positions that
    /// require a gradient.
    pub fn input(self, position: usize, tracked: u8) -> bool {
        match self {
            Saves::Inputs(bits) | Saves::InputsAndOutput(bits) | Saves::InputsAndOutputs(bits) => {
                bits >> position & 1 == 1
            }
            Saves::EachOther => position < 2 && tracked >> (1 - position) & 1 == 1,
            Saves::Nothing | Saves::Output | Saves::Constant(_) => false,
        }
    }

    /// Returns whether the last result is saved.
    pub fn output(self) -> bool {
        matches!(self, Saves::Output | Saves::InputsAndOutput(_) | Saves::InputsAndOutputs(_))
    }

    /// Returns whether the first of several results is saved besides the last one.
    pub fn first_output(self) -> bool {
        matches!(self, Saves::InputsAndOutputs(_))
    }
}

/// Operand of a recorded call.
#[derive(Debug)]
pub struct Operand {
    pub spec: TensorSpec,
    pub parent: NodeRef,
    pub saved: Option<Source>,
}

/// Record of a call: operands, and the last result and the first of several if they were saved.
pub struct Record {
    pub op: Operation<Operand>,
    pub output: Option<Source>,
    pub first: Option<Source>,
}

/// Sink for the gradients that rules compute.
pub struct Sink<'a> {
    pub gradients: &'a mut Gradients,
    pub checkpointer: &'a mut Checkpointer,
}

impl Sink<'_> {
    /// Computes and registers the gradient of `operand`, if it is required.
    pub fn add(&mut self, operand: &Operand, gradient: impl FnOnce() -> Tensor) {
        if let Some(parent) = &operand.parent {
            let gradient = broadcast_shape::<B>(gradient(), &operand.spec.shape);
            self.gradients.add(parent.id, gradient);
        }
    }

    /// Registers `lhs^T grad` as the gradient of `operand`, if it is required: see [`crate::products`].
    pub fn add_product(&mut self, operand: &Operand, lhs: Tensor, grad: Tensor) {
        if operand.spec.shape.rank() != 2 || grad.spec().shape.rank() != 2 {
            return self.add(operand, || B::matmul(transpose::<B>(lhs), grad));
        }
        if let Some(parent) = &operand.parent {
            self.gradients.add_product(parent.id, lhs, grad);
        }
    }

    /// Registers a gradient of a part of `operand`: added in its place where there is a gradient already, so that taking a
    /// tensor apart costs no more than the tensor.
    pub fn add_part(&mut self, operand: &Operand, slices: Slices, part: Tensor) {
        let Some(parent) = &operand.parent else { return };
        let gradient = match self.gradients.remove(parent.id) {
            Some(sum) => {
                let part = add::<B>(B::slice(sum.clone(), slices.clone()), part);
                B::slice_assign(sum, slices, part)
            }
            None => {
                let zeros = B::full(operand.spec.clone(), Scalar::Int(0), &B::device(&part));
                B::slice_assign(zeros, slices, part)
            }
        };
        self.gradients.add(parent.id, gradient);
    }

    /// Returns the value of one of two operands that read each other, if `reader` requires a gradient.
    pub fn other(&mut self, operand: &Operand, reader: &Operand) -> Option<Tensor> {
        reader.parent.is_some().then(|| self.value(operand))
    }

    /// Returns the value that was saved by [`saves`].
    pub fn value(&mut self, operand: &Operand) -> Tensor {
        self.restore(&operand.saved)
    }

    pub fn restore(&mut self, saved: &Option<Source>) -> Tensor {
        self.checkpointer.resolve(saved.clone().expect("`saves` names every value that the rule reads"))
    }
}

pub fn saves<T>(op: &Operation<T>) -> Saves {
    use Operation::*;
    match op {
        Unary { op, .. } => unary::saves(*op),
        Binary { op, .. } => binary::saves(*op),
        BinaryScalar { op, .. } => binary::saves_scalar(*op),
        Compare { .. } | CompareScalar { .. } => Saves::Constant(Reason::Truth),
        ArgReduce { .. } => Saves::Constant(Reason::Place),
        Clamp { .. } => Saves::FIRST,
        MaskWhere { .. } => Saves::FIRST,
        MaskFill { .. } => Saves::SECOND,
        Cast { dtype, .. } if dtype.is_float() => Saves::Nothing,
        Cast { dtype, .. } if dtype.is_int() => Saves::Constant(Reason::Whole),
        Cast { .. } => Saves::Constant(Reason::Truth),
        Reshape { .. } | Permute { .. } | Expand { .. } | Flip { .. } | RepeatDim { .. } => Saves::Nothing,
        Slice { .. } | SliceAssign { .. } | Cat { .. } => Saves::Nothing,
        Reduce { op, .. } => reduce::saves(*op),
        ReduceWithIndices { .. } | SortWithIndices { .. } | TopK { .. } => Saves::Output,
        Cumulative { op, .. } => reduce::saves_cumulative(*op),
        Sort { .. } => Saves::FIRST,
        Gather { .. } | Select { .. } => Saves::SECOND,
        Scatter { update, .. } | SelectAssign { update, .. } => index::saves(*update),
        Matmul { .. } | Conv(_) | ConvTranspose(_) | ConvWeightGrad(_) => Saves::EachOther,
        Factorize { .. } => Saves::Output,
        Lu { .. } => Saves::FIRST,
        Solve { .. } | SolveTriangular { .. } => Saves::InputsAndOutput(0b1),
        Pool(args) => match args.kind {
            PoolKind::Max => Saves::FIRST,
            PoolKind::Avg { .. } => Saves::Nothing,
        },
        PoolGrad(args) => match args.kind {
            PoolKind::Max => Saves::SECOND,
            PoolKind::Avg { .. } => Saves::Nothing,
        },
        MaxPoolWithIndices { .. } => Saves::Output,
        AdaptiveAvgPool { .. } | AdaptiveAvgPoolGrad { .. } | Fft { .. } => Saves::Nothing,
        Interpolate { .. } | InterpolateGrad { .. } => Saves::Nothing,
        Softmax { .. } | LogSoftmax { .. } => Saves::Output,
        LayerNorm(args) => {
            if args.weight.is_some() {
                Saves::BOTH
            } else {
                Saves::FIRST
            }
        }
        LayerNormGrad(args) => {
            if args.weight.is_some() {
                Saves::THREE
            } else {
                Saves::BOTH
            }
        }
        Attention(args) => attention::saves(args),
        AttentionGrad(_) => Saves::Nothing,
        Quantize(_) => Saves::Constant(Reason::Whole),
        Dequantize(_) => quantization::DEQUANTIZE,
        QuantizedMatmul(_) => quantization::QUANTIZED_MATMUL,
        IntegerMatmul(_) => Saves::Constant(Reason::Packed),
        Recurrent(args) => recurrent::saves(args),
        RecurrentGrad(_) => Saves::Nothing,
    }
}

/// Returns whether recomputing costs less than storing and loading the value.
pub fn is_memory_bound<T>(op: &Operation<T>) -> bool {
    use Operation::*;
    match op {
        Unary { .. } | Binary { .. } | BinaryScalar { .. } | Compare { .. } | CompareScalar { .. } => true,
        Clamp { .. } | MaskWhere { .. } | MaskFill { .. } | Cast { .. } => true,
        Reshape { .. } | Permute { .. } | Expand { .. } | Flip { .. } | Slice { .. } => true,
        SliceAssign { .. } | Cat { .. } | RepeatDim { .. } => true,
        Gather { .. } | Scatter { .. } | Select { .. } | SelectAssign { .. } => true,
        Reduce { .. } | ArgReduce { .. } | ReduceWithIndices { .. } | Cumulative { .. } => false,
        Sort { .. } | SortWithIndices { .. } | TopK { .. } => false,
        Matmul { .. } | Conv(_) | ConvTranspose(_) | ConvWeightGrad(_) => false,
        Factorize { .. } | Lu { .. } | Solve { .. } | SolveTriangular { .. } => false,
        Pool(_) | PoolGrad(_) | MaxPoolWithIndices { .. } => false,
        AdaptiveAvgPool { .. } | AdaptiveAvgPoolGrad { .. } | Fft { .. } => false,
        Interpolate { .. } | InterpolateGrad { .. } => false,
        Softmax { .. } | LogSoftmax { .. } | LayerNorm(_) | LayerNormGrad(_) => false,
        Attention(_) | AttentionGrad(_) => false,
        Quantize(_) | Dequantize(_) => true,
        QuantizedMatmul(_) | IntegerMatmul(_) => false,
        Recurrent(_) | RecurrentGrad(_) => false,
    }
}

pub fn backward(record: Record, grad: Tensor, sink: &mut Sink<'_>) {
    use Operation::*;
    let Record { op, output, first } = record;
    match op {
        Unary { op, x } => unary::backward(op, &x, &output, grad, sink),
        Binary { op, lhs, rhs } => binary::backward(op, &lhs, &rhs, grad, sink),
        BinaryScalar { op, lhs, rhs } => binary::backward_scalar(op, &lhs, rhs, grad, sink),
        Compare { .. } | CompareScalar { .. } | ArgReduce { .. } => unreachable!("not differentiable"),
        Clamp { x, min, max } => binary::clamp(&x, min, max, grad, sink),
        MaskWhere { mask, on, off } => index::mask_where(&mask, &on, &off, grad, sink),
        MaskFill { x, mask, value: _ } => index::mask_fill(&x, &mask, grad, sink),
        Cast { x, .. } => sink.add(&x, || B::cast(grad, x.spec.dtype)),
        Reshape { x, .. } => sink.add(&x, || B::reshape(grad, x.spec.shape.clone())),
        Permute { x, axes } => sink.add(&x, || layout::permute(grad, &axes)),
        Expand { x, .. } => sink.add(&x, || grad),
        Flip { x, axes } => sink.add(&x, || B::flip(grad, axes)),
        Slice { x, slices } => sink.add_part(&x, slices, grad),
        SliceAssign { x, slices, value } => layout::slice_assign(&x, slices, &value, grad, sink),
        Cat { xs, dim } => layout::cat(&xs, dim, grad, sink),
        RepeatDim { x, dim, times } => sink.add(&x, || layout::repeat_dim(&x, dim, times, grad)),
        Reduce { op, x, dims } => reduce::backward(op, &x, dims, grad, sink),
        ReduceWithIndices { x, dim, .. } | SortWithIndices { x, dim, .. } | TopK { x, dim, .. } => {
            index::with_indices(&x, dim, &output, grad, sink);
        }
        Cumulative { op, x, dim } => reduce::cumulative(op, &x, dim, grad, sink),
        Sort { x, dim, descending } => index::sort(&x, dim, descending, grad, sink),
        Gather { x, dim, indices } => index::gather(&x, dim, &indices, grad, sink),
        Select { x, dim, indices } => index::select(&x, dim, &indices, grad, sink),
        Scatter { x, dim, indices, value, update } => {
            let (x, indices, value) = (&x, &indices, &value);
            index::write(&index::Write { x, dim, indices, value, update, slices: false }, grad, sink);
        }
        SelectAssign { x, dim, indices, value, update } => {
            let (x, indices, value) = (&x, &indices, &value);
            index::write(&index::Write { x, dim, indices, value, update, slices: true }, grad, sink);
        }
        Matmul { lhs, rhs } => matmul::backward(&lhs, &rhs, grad, sink),
        Factorize { op, x } => linalg::factorize(op, &x, &output, grad, sink),
        Lu { x, .. } => linalg::lu(&x, grad, sink),
        Solve { a, b } => linalg::solve(&a, &b, &output, grad, sink),
        SolveTriangular { a, b, triangle } => {
            linalg::solve_triangular(&a, &b, triangle, &output, grad, sink);
        }
        Conv(args) => conv::conv(*args, grad, sink),
        ConvTranspose(args) => conv::conv_transpose(*args, grad, sink),
        ConvWeightGrad(args) => conv::conv_weight_grad(*args, grad, sink),
        Pool(args) => pool::pool(*args, grad, sink),
        PoolGrad(args) => pool::pool_grad(*args, grad, sink),
        MaxPoolWithIndices { x, .. } => pool::max_pool_with_indices(&x, &output, grad, sink),
        AdaptiveAvgPool { x, .. } => {
            sink.add(&x, || B::adaptive_avg_pool_grad(grad, x.spec.shape.clone()));
        }
        AdaptiveAvgPoolGrad { grad: out, target: _ } => {
            sink.add(&out, || B::adaptive_avg_pool(grad, out.spec.shape[2..].into()));
        }
        Interpolate { x, size: _, options } => {
            sink.add(&x, || B::interpolate_grad(grad, x.spec.shape.clone(), *options));
        }
        InterpolateGrad { grad: out, target: _, options } => {
            sink.add(&out, || B::interpolate(grad, out.spec.shape[2..].into(), *options));
        }
        Fft { op, x, dim } => sink.add(&x, || fft::backward(op, grad, x.spec.shape[dim], dim)),
        Softmax { x, dim } => softmax::softmax(&x, dim, &output, grad, sink),
        LogSoftmax { x, dim } => softmax::log_softmax(&x, dim, &output, grad, sink),
        LayerNorm(args) => norm::layer_norm(*args, grad, sink),
        LayerNormGrad(args) => norm::layer_norm_grad(*args, grad, sink),
        Attention(args) => attention::attention(*args, [&first, &output], grad, sink),
        Recurrent(args) => recurrent::recurrent(*args, [&first, &output], grad, sink),
        // Results of the forward pass are tracked, and nothing else: what they follow from is not.
        AttentionGrad(_) => {}
        // Whatever tracks it records its parts.
        RecurrentGrad(_) => unreachable!("recorded in parts"),
        Quantize(_) | IntegerMatmul(_) => unreachable!("not differentiable"),
        Dequantize(x) => quantization::dequantize(*x, grad, sink),
        QuantizedMatmul(args) => quantization::quantized_matmul(*args, grad, sink),
    }
}

//! The calls that every backend is checked with: families swept over variants, dtypes, layouts and values.

mod attention;
mod block_format;
mod conv;
mod elementwise;
mod fft;
mod index;
mod interpolate;
mod layout;
mod linalg;
mod mask;
mod matmul;
mod norm;
mod order;
mod pool;
mod quantization;
mod recurrent;
mod reduce;
mod softmax;

pub use attention::gradients_of;
pub use block_format::blocks;
pub use quantization::packed;
pub use recurrent::recurrent_grads_of;

use crate::input::{Input, MemoryLayout};
use crate::{Case, Family};
use burn_backend::{DType, Shape};

/// Takes cases one after the other; they are not all in memory at once.
pub type Emit<'a> = &'a mut dyn FnMut(Case);

/// Larger than a block of vector instructions or of work for one thread, and no multiple of either.
const LARGE: usize = 70_001;

/// Whether a call gets [`LARGE`] operands: every variant once, and the first of them in a dtype of each kind and
/// width of arithmetic.
fn is_large<O: PartialEq>(op: O, all: impl IntoIterator<Item = O>, dtype: DType) -> bool {
    let first = all.into_iter().next() == Some(op);
    dtype == DType::F32
        || (first && [DType::F64, DType::BF16, DType::I32, DType::U8, DType::Bool].contains(&dtype))
}

/// Every case of `family`; those that are no [`Operation`](burn_backend::Operation) have tests of their own.
pub fn each(family: Family, emit: Emit<'_>) {
    use Family::*;
    match family {
        Unary => elementwise::unary(emit),
        Binary => elementwise::binary(emit),
        BinaryScalar => elementwise::binary_scalar(emit),
        Compare => elementwise::compare(emit),
        CompareScalar => elementwise::compare_scalar(emit),
        Clamp => elementwise::clamp(emit),
        Cast => elementwise::cast(emit),
        MaskWhere => mask::mask_where(emit),
        MaskFill => mask::mask_fill(emit),
        Reshape => layout::reshape(emit),
        Permute => layout::permute(emit),
        Expand => layout::expand(emit),
        Flip => layout::flip(emit),
        Slice => layout::slice(emit),
        SliceAssign => layout::slice_assign(emit),
        Cat => layout::cat(emit),
        RepeatDim => layout::repeat_dim(emit),
        Reduce => reduce::reduce(emit),
        Cumulative => reduce::cumulative(emit),
        ArgReduce => order::arg_reduce(emit),
        ReduceWithIndices => order::reduce_with_indices(emit),
        Sort => order::sort(emit),
        SortWithIndices => order::sort_with_indices(emit),
        TopK => order::topk(emit),
        Gather => index::gather(emit),
        Scatter => index::scatter(emit),
        Select => index::select(emit),
        SelectAssign => index::select_assign(emit),
        Matmul => matmul::matmul(emit),
        Factorize => linalg::factorize(emit),
        Lu => linalg::lu(emit),
        Solve => linalg::solve(emit),
        SolveTriangular => linalg::solve_triangular(emit),
        Conv => conv::conv(emit),
        ConvTranspose => conv::conv_transpose(emit),
        ConvWeightGrad => conv::conv_weight_grad(emit),
        Pool => pool::pool(emit),
        PoolGrad => pool::pool_grad(emit),
        MaxPoolWithIndices => pool::max_pool_with_indices(emit),
        AdaptiveAvgPool => pool::adaptive_avg_pool(emit),
        AdaptiveAvgPoolGrad => pool::adaptive_avg_pool_grad(emit),
        Fft => fft::fft(emit),
        Softmax => softmax::softmax(emit),
        LogSoftmax => softmax::log_softmax(emit),
        LayerNorm => norm::layer_norm(emit),
        LayerNormGrad => norm::layer_norm_grad(emit),
        Attention => attention::attention(emit),
        AttentionGrad => attention::attention_grad(emit),
        Interpolate => interpolate::interpolate(emit),
        InterpolateGrad => interpolate::interpolate_grad(emit),
        Quantize => quantization::quantize(emit),
        Dequantize => quantization::dequantize(emit),
        QuantizedMatmul => quantization::quantized_matmul(emit),
        IntegerMatmul => quantization::integer_matmul(emit),
        DequantizeBlocks => block_format::dequantize(emit),
        BlockMatmul => block_format::matmul(emit),
        Recurrent => recurrent::recurrent(emit),
        RecurrentGrad => recurrent::recurrent_grad(emit),
        DTypes | Creation | Random | Argwhere | Dropped | Threads => {}
    }
}

/// One operand in every layout and rank that matters, with ordinary values.
fn operands(dtype: DType) -> Vec<(String, Input)> {
    let shapes: [(&str, Shape); 6] = [
        ("rank 0", Shape::new([])),
        ("one element", Shape::new([1])),
        ("empty", Shape::new([2, 0, 3])),
        ("a list", Shape::new([37])),
        ("a matrix", Shape::new([5, 9])),
        ("rank 4", Shape::new([2, 3, 4, 5])),
    ];
    let mut operands = Vec::new();
    for (name, shape) in shapes {
        let layouts: &[MemoryLayout] = if shape.num_elements() == 1 {
            &[MemoryLayout::Contiguous, MemoryLayout::Offset]
        } else {
            &MemoryLayout::ALL
        };
        for &layout in layouts {
            let input = crate::input::ordinary(shape.clone(), dtype).laid_out(layout);
            operands.push((format!("{name}, {layout:?}"), input));
        }
    }
    operands
}

fn floats() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_float())
}

fn numbers() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::Bool)
}

fn ints() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_int())
}

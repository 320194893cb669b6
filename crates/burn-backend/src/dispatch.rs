use crate::Backend;
use burn_ir::{Creation, Operation, Outputs};

/// Turns a value into the typed call it describes: what a leaf answers to [`Backend::execute`]. Tensors move,
/// so buffers are reused as in a direct call.
pub fn dispatch<B: Backend>(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
    use Operation::*;
    match op {
        Unary { op, x } => B::unary(op, x).into(),
        Binary { op, lhs, rhs } => B::binary(op, lhs, rhs).into(),
        BinaryScalar { op, lhs, rhs } => B::binary_scalar(op, lhs, rhs).into(),
        Compare { op, lhs, rhs } => B::compare(op, lhs, rhs).into(),
        CompareScalar { op, lhs, rhs } => B::compare_scalar(op, lhs, rhs).into(),
        MaskWhere { mask, on, off } => B::mask_where(mask, on, off).into(),
        Cast { x, dtype } => B::cast(x, dtype).into(),
        Reduce { op, x, dims } => B::reduce(op, x, dims).into(),
        ReduceWithIndices { op, x, dim } => {
            let (value, indices) = B::reduce_with_indices(op, x, dim);
            Outputs::Two(value, indices)
        }
        Reshape { x, shape } => B::reshape(x, shape).into(),
        Permute { x, axes } => B::permute(x, axes).into(),
        Expand { x, shape } => B::expand(x, shape).into(),
        Slice { x, slices } => B::slice(x, slices).into(),
        SliceAssign { x, slices, value } => B::slice_assign(x, slices, value).into(),
        Cat { xs, dim } => B::cat(xs, dim).into(),
        Gather { x, dim, indices } => B::gather(x, dim, indices).into(),
        Scatter { x, dim, indices, value, update } => B::scatter(x, dim, indices, value, update).into(),
        Matmul { lhs, rhs } => B::matmul(lhs, rhs).into(),
        Conv(args) => B::conv(*args).into(),
        ConvTranspose(args) => B::conv_transpose(*args).into(),
        ConvWeightGrad(args) => B::conv_weight_grad(*args).into(),
        Softmax { x, dim } => B::softmax(x, dim).into(),
    }
}

/// [`dispatch`] for values that come from no tensor.
pub fn create<B: Backend>(creation: Creation, device: &B::Device) -> B::Tensor {
    match creation {
        Creation::Data(data) => B::from_data(data, device),
        Creation::Full { spec, value } => B::full(spec, value, device),
        Creation::Random { spec, distribution } => B::random(spec, distribution, device),
    }
}

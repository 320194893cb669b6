use super::{B, Operand, Sink, Tensor};
use burn_backend::TypedCalls;
use burn_backend::ops::sum_dims;
use burn_backend::{Backend, Dims, HasSpec, Scalar, Slice, Slices};

pub fn permute(grad: Tensor, axes: &Dims) -> Tensor {
    let mut inverse = axes.clone();
    axes.iter().enumerate().for_each(|(to, &from)| inverse[from] = to);
    B::permute(grad, inverse)
}

pub fn slice_assign(x: &Operand, slices: Slices, value: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let part = B::slice(grad.clone(), slices.clone());
    let zeros = B::full(part.spec().clone(), Scalar::Int(0), &B::device(&part));
    sink.add(x, || B::slice_assign(grad, slices, zeros));
    sink.add(value, || part);
}

pub fn cat(xs: &[Operand], dim: usize, grad: Tensor, sink: &mut Sink<'_>) {
    let mut start = 0;
    for x in xs {
        let mut slices: Slices = x.spec.shape.iter().map(|&size| Slice::from(0..size)).collect();
        slices[dim] = Slice::from(start..start + x.spec.shape[dim]);
        start += x.spec.shape[dim];
        sink.add(x, || B::slice(grad.clone(), slices));
    }
}

/// Sums the copies: `[.., times, size, ..]` over the new dimension.
pub fn repeat_dim(x: &Operand, dim: usize, times: usize, grad: Tensor) -> Tensor {
    let shape = &x.spec.shape;
    let copies = shape[..dim].iter().chain([&times]).chain(&shape[dim..]).copied().collect();
    B::reshape(sum_dims::<B>(B::reshape(grad, copies), Dims::from([dim])), shape.clone())
}

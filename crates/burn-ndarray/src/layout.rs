use crate::array::{each_dtype, for_each_row, last};
use crate::{Array, NdTensor};
use burn_backend::{DType, Dims, Element, Shape, Slice};

pub fn expand<E: Element>(x: Array<E>, shape: Shape) -> Array<E> {
    if *x.shape() == shape {
        return x;
    }
    let (own, own_strides, offset) = (x.shape().clone(), x.strides(), x.offset());
    let extra = shape.rank() - own.rank();
    let stride = |d: usize| if d < extra || own[d - extra] != shape[d] { 0 } else { own_strides[d - extra] };
    let strides = (0..shape.rank()).map(stride).collect();
    x.with_view(shape, strides, offset)
}

/// Both operands in the shape they broadcast to.
pub fn broadcast<A: Element, B: Element>(x: Array<A>, y: Array<B>) -> (Array<A>, Array<B>) {
    let rank = x.shape().rank().max(y.shape().rank());
    let at = |shape: &Shape, d: usize| (d + shape.rank()).checked_sub(rank).map_or(1, |own| shape[own]);
    let size = |d| match (at(x.shape(), d), at(y.shape(), d)) {
        (1, size) | (size, _) => size,
    };
    let shape: Shape = (0..rank).map(size).collect();
    (expand(x, shape.clone()), expand(y, shape))
}

pub fn permute<E: Element>(x: Array<E>, axes: &Dims) -> Array<E> {
    let (shape, strides, offset) = (x.shape(), x.strides(), x.offset());
    let shape = axes.iter().map(|&a| shape[a]).collect();
    x.with_view(shape, axes.iter().map(|&a| strides[a]).collect(), offset)
}

pub fn slice<E: Element>(x: Array<E>, slices: &[Slice]) -> Array<E> {
    let (mut shape, mut strides, mut offset) = (x.shape().clone(), x.strides(), x.offset());
    for (d, slice) in slices.iter().enumerate() {
        offset += slice.start * strides[d];
        shape[d] = slice.len();
        strides[d] *= slice.step;
    }
    x.with_view(shape, strides, offset)
}

pub fn slice_assign<E: Element>(mut x: Array<E>, slices: &[Slice], value: Array<E>) -> Array<E> {
    x.make_mut();
    let target = slice(x.clone(), slices);
    let (shape, to, from, start) = (value.shape(), target.strides(), value.strides(), target.offset());
    let ((row, to_step), (_, from_step)) = (last(shape, &to), last(shape, &from));
    drop(target);
    let out = x.make_mut();
    for_each_row(shape, [&to, &from], [start, value.offset()], |[a, b]| {
        (0..row).for_each(|i| out[a + i * to_step] = value.buffer()[b + i * from_step]);
    });
    x
}

pub fn cat<E: Element>(xs: Vec<Array<E>>, dim: usize) -> Array<E> {
    let total = xs.iter().map(|x| x.shape()[dim]).sum();
    let mut out = Array::full(xs[0].shape().with(dim, total), E::default());
    let mut start = 0;
    for x in xs {
        let mut slices: Vec<Slice> = x.shape().iter().map(|&size| Slice::from(0..size)).collect();
        slices[dim] = Slice::from(start..start + x.shape()[dim]);
        start += x.shape()[dim];
        out = slice_assign(out, &slices, x);
    }
    out
}

pub fn cast(x: NdTensor, dtype: DType) -> NdTensor {
    fn convert<E: Element, F: Element>(x: &Array<E>) -> Array<F> {
        Array::new(x.shape().clone(), x.buffer().iter().map(|x| F::from_f64(x.to_f64())).collect())
    }
    each_dtype!(x, x => {
        let x = x.into_contiguous();
        match dtype {
            DType::F64 => convert::<_, f64>(&x).into(),
            DType::F32 => convert::<_, f32>(&x).into(),
            DType::I64 => convert::<_, i64>(&x).into(),
            DType::Bool => convert::<_, bool>(&x).into(),
            other => panic!("{other} tensors are not there yet"),
        }
    })
}

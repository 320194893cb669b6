use super::geometry::{Planes, area, for_planes};
use super::kernels::Folded;
use crate::elements::dtype::{wide, with_wide};
use crate::elements::number::Number;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use burn_backend::{HasSpec, PoolOptions, Shape, TensorSpec};

pub fn mean_pool(x: NdTensor, shape: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    along_first([x], shape, |[x], shape| mean_pool_part(x, shape, options, include_pad))
}

fn mean_pool_part(x: NdTensor, shape: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let planes = Planes::new(x.shape(), &shape, options);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        let mut line = Buffer::new(planes.input[2] * size_of::<E>());
        E::sums(&planes, xs, line.as_mut_slice().expect("a new buffer is unique"), out);
        for (row, out) in out.chunks_exact_mut(planes.output[2]).enumerate() {
            divide(&planes, row, include_pad, out);
        }
    }));
    cast(out, dtype)
}

pub fn mean_pool_grad(grad: NdTensor, target: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    along_first([grad], target, |[grad], target| mean_pool_grad_part(grad, target, options, include_pad))
}

fn mean_pool_grad_part(grad: NdTensor, target: Shape, options: &PoolOptions, include_pad: bool) -> NdTensor {
    let dtype = grad.spec().dtype;
    let grad = cast(grad, wide(dtype)).into_contiguous();
    let planes = Planes::new(&target, grad.shape(), options);
    let width = planes.output[2];
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => for_planes(&grad, &mut out, &|_, grad: &[E], out: &mut [E]| {
        out.fill(E::ZERO);
        let (mut shares, mut line) =
            (Buffer::new(width * size_of::<E>()), Buffer::new(planes.input[2] * size_of::<E>()));
        let shares: &mut [E] = shares.as_mut_slice().expect("a new buffer is unique");
        let line: &mut [E] = line.as_mut_slice().expect("a new buffer is unique");
        for (row, grad) in grad.chunks_exact(width).enumerate() {
            shares.copy_from_slice(grad);
            divide(&planes, row, include_pad, shares);
            E::spread(&planes, row, shares, line, out);
        }
    }));
    cast(out, dtype)
}

/// Divides a row by how many elements its windows count.
fn divide<E: Number>(planes: &Planes, row: usize, include_pad: bool, out: &mut [E]) {
    let all = E::of(area(planes.window.kernel));
    if include_pad || planes.window.padding == [0; 3] {
        return out.iter_mut().for_each(|out| *out = out.over(all));
    }
    let counts = planes.counts(row);
    out.iter_mut().enumerate().for_each(|(column, out)| *out = out.over(E::of(counts(column))));
}

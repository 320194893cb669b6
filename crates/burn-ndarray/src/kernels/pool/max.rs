use super::geometry::{Planes, area, for_planes, pooled_shape};
use super::kernels::Folded;
use super::max_indices::{Contest, are_squares};
use crate::elements::arithmetic::Arithmetic;
use crate::elements::dtype::{wide, with_wide};
use crate::elements::number::Number;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{DType, HasSpec, PoolOptions, Shape, TensorSpec};

pub fn max_pool(x: NdTensor, shape: Shape, options: &PoolOptions) -> NdTensor {
    along_first([x], shape, |[x], shape| max_pool_part(x, shape, options))
}

fn max_pool_part(x: NdTensor, shape: Shape, options: &PoolOptions) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let planes = Planes::new(x.shape(), &shape, options);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => for_planes(&x, &mut out, &|_, xs: &[E], out: &mut [E]| {
        let mut line = Buffer::new(planes.input[2] * size_of::<E>());
        E::largest(&planes, xs, line.as_mut_slice().expect("a new buffer is unique"), out);
    }));
    cast(out, dtype)
}

pub fn max_pool_with_indices(x: NdTensor, options: &PoolOptions, index: DType) -> (NdTensor, NdTensor) {
    let dtype = x.spec().dtype;
    let x = cast(x, wide(dtype)).into_contiguous();
    let shape = pooled_shape(x.shape(), options);
    let planes = Planes::new(x.shape(), &shape, options);
    let mut indices = NdTensor::new(TensorSpec { shape: shape.clone(), dtype: DType::I64 });
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    with_wide!("pool", wide(dtype), E => max_of_planes::<E>(&planes, &x, &mut out, indices.make_mut()));
    (cast(out, dtype), cast(indices, index))
}

/// Writes the largest element of each window and its index.
fn max_of_planes<E: Contest>(planes: &Planes, x: &NdTensor, out: &mut NdTensor, indices: &mut [i64]) {
    let (width, size) = (planes.output[2], area(planes.output));
    assert_eq!(indices.len(), out.shape().num_elements(), "there is an index for each result");
    let indices = parallel::Shared(indices.as_mut_ptr());
    for_planes(x, out, &|plane, xs: &[E], out: &mut [E]| {
        // SAFETY: `indices` has as many elements as the output, and one thread visits each plane once.
        let indices = unsafe { core::slice::from_raw_parts_mut(indices.get().add(plane * size), size) };
        let rows = out.chunks_exact_mut(width).zip(indices.chunks_exact_mut(width));
        rows.enumerate().for_each(|(row, (values, places))| E::max_indices(planes, row, xs, values, places));
    });
}

pub fn max_pool_grad(grad: NdTensor, x: NdTensor, options: &PoolOptions) -> NdTensor {
    let shape = x.shape().clone();
    along_first([grad, x], shape, |[grad, x], _| max_pool_grad_part(grad, x, options))
}

fn max_pool_grad_part(grad: NdTensor, x: NdTensor, options: &PoolOptions) -> NdTensor {
    let dtype = grad.spec().dtype;
    let (grad, x) = (cast(grad, wide(dtype)).into_contiguous(), cast(x, wide(dtype)).into_contiguous());
    let planes = Planes::new(x.shape(), grad.shape(), options);
    let (width, size) = (planes.output[2], area(planes.input));
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!("pool", wide(dtype), E => {
        let xs = x.slice::<E>();
        for_planes(&grad, &mut out, &|plane, grad: &[E], out: &mut [E]| {
            let xs = &xs[plane * size..][..size];
            if are_squares(&planes) {
                let mut room = Buffer::new(4 * width * size_of::<E>());
                return E::square_grad(&planes, xs, grad, room.as_mut_slice().expect("a new buffer is unique"), out);
            }
            let (mut values, mut places) = (Buffer::new(width * size_of::<E>()), Buffer::new(width * 8));
            let values: &mut [E] = values.as_mut_slice().expect("a new buffer is unique");
            let places: &mut [i64] = places.as_mut_slice().expect("a new buffer is unique");
            out.fill(E::ZERO);
            for row in 0..planes.rows() {
                E::max_indices(&planes, row, xs, values, places);
                for (&place, &grad) in places.iter().zip(&grad[row * width..]) {
                    if let Ok(place) = usize::try_from(place) {
                        out[place] = out[place].plus(grad);
                    }
                }
            }
        });
    });
    cast(out, dtype)
}

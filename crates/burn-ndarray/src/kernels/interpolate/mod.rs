//! Other sizes of the two last dimensions, and the gradient: both are a band matrix along each, the
//! gradient's the transposed one.

mod bands;
mod blend;
mod rows;

use crate::elements::dtype::wide;
use crate::elements::pieces::along_first;
use crate::kernels::cast::cast;
use crate::memory::Room;
use crate::tensor::NdTensor;
use bands::Bands;
use burn_backend::{DType, HasSpec, Interpolation, Shape, TensorSpec};
use rows::{InterpolationRows, Resampled};

/// The matrix along spatial dimension `d`, for so many elements and so many results.
type Matrix<'a> = &'a dyn Fn(usize, usize, usize) -> Bands<f64>;

pub fn interpolate(x: NdTensor, size: &[usize], options: &Interpolation) -> NdTensor {
    let target = x.shape()[..2].iter().chain(size).copied().collect();
    resampled(x, target, options, &|d, input, output| Bands::new(&options.taps(d, input, output)))
}

pub fn interpolate_grad(grad: NdTensor, target: Shape, options: &Interpolation) -> NdTensor {
    resampled(grad, target, options, &|d, input, output| {
        Bands::new(&options.taps(d, output, input)).transposed(output)
    })
}

fn resampled(x: NdTensor, target: Shape, options: &Interpolation, matrix: Matrix<'_>) -> NdTensor {
    along_first([x], target, |[x], target| resampled_part(x, target, options, matrix))
}

fn resampled_part(x: NdTensor, target: Shape, options: &Interpolation, matrix: Matrix<'_>) -> NdTensor {
    let dtype = x.spec().dtype;
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    // Without channels, tables of the sizes could be larger than the tensors.
    if out.shape().num_elements() > 0 {
        let lines = x.shape()[2..].iter().chain(&out.shape()[2..]).sum::<usize>();
        // Positions and weights of each result, as taps, as bands and once more as their transposed.
        let _room = Room::new::<[u64; 8]>(lines * (1 + options.mode.taps()));
        let x = cast(x, wide(dtype)).into_contiguous();
        if wide(dtype) == DType::F64 {
            resample::<f64>(&x, &mut out, matrix);
        } else {
            resample::<f32>(&x, &mut out, matrix);
        }
    }
    cast(out, dtype)
}

fn resample<E: Resampled>(x: &NdTensor, out: &mut NdTensor, matrix: Matrix<'_>) {
    let (from, to) = (&x.shape()[2..], &out.shape()[2..]);
    let bands = |d: usize| matrix(d, from[d], to[d]).with(E::of_weight);
    let rows = match from.len() {
        1 => InterpolationRows::new(Bands::one().with(E::of_weight), bands(0), [1, from[0]]),
        _ => InterpolationRows::new(bands(0), bands(1), [from[0], from[1]]),
    };
    rows.run(x.slice(), out.make_mut());
}

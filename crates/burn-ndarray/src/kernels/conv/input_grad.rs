use super::depthwise::{self, Planes};
use super::direct;
use super::geometry::Geometry;
use super::unfold::{fold, lines_at_once};
use crate::elements::dtype::{wide, with_wide};
use crate::elements::pieces::along_first;
use crate::gemm::matrix::Matrix;
use crate::gemm::product::Product;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{ConvGradArgs, DType, HasSpec, TensorSpec};

pub fn conv_transpose(args: ConvGradArgs<NdTensor>) -> NdTensor {
    let ConvGradArgs { grad, other, target, options } = args;
    along_first([grad], target, |[grad], target| {
        let (other, options) = (other.clone(), options.clone());
        conv_transpose_part(ConvGradArgs { grad, other, target, options })
    })
}

/// The result is in the type of arithmetic.
fn conv_transpose_part(args: ConvGradArgs<NdTensor>) -> NdTensor {
    let dtype = args.grad.spec().dtype;
    let ready = |x: NdTensor| cast(x, wide(dtype)).into_contiguous();
    let ConvGradArgs { grad, other: weight, target, options } = args.map(ready);
    let g = Geometry::new(&target, weight.shape(), grad.shape(), &options);
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    if wide(dtype) == DType::F32 && direct::suits(&g) {
        direct::input_grad(&g, grad.slice(), weight.slice(), out.make_mut());
        return out;
    }
    with_wide!("conv_transpose", wide(dtype), E => backward::<E>(&g, grad.slice(), weight.slice(), out.make_mut()));
    out
}

fn backward<E: Planes + Product>(g: &Geometry, grad: &[E], weight: &[E], out: &mut [E]) {
    let (area_in, area_out, depth) = (g.area_in(), g.area_out(), g.depth());
    if grad.is_empty() || depth == 0 {
        return out.fill(E::ZERO);
    }
    if g.is_depthwise() {
        return depthwise::input_grad(g, grad, weight, out);
    }
    let alone = g.batch * g.groups < parallel::threads();
    parallel::for_chunks(out, (g.group_in * area_in).max(1), g.products() / 8 + 1, &|index, x| {
        let grad = &grad[index * g.group_out * area_out..][..g.group_out * area_out];
        let weight = &weight[index % g.groups * g.group_out * depth..][..g.group_out * depth];
        let weight = Matrix::new(weight.as_ptr(), 1, depth);
        if g.is_pointwise() {
            let (x, grad) =
                (Matrix::new(x.as_mut_ptr(), area_in, 1), Matrix::new(grad.as_ptr(), area_out, 1));
            // SAFETY: the planes of one group of one image, and its weights.
            return unsafe { E::product((depth, area_in, g.group_out), x, false, weight, grad, alone) };
        }
        x.fill(E::ZERO);
        let lines = lines_at_once(g);
        let mut cols = Buffer::new(depth * lines * g.output[2] * size_of::<E>());
        let cols: &mut [E] = cols.as_mut_slice().expect("a new buffer is unique");
        for first in (0..g.lines()).step_by(lines) {
            let lines = first..(first + lines).min(g.lines());
            let count = lines.len() * g.output[2];
            let cols = &mut cols[..depth * count];
            let grad = Matrix::new(grad[first * g.output[2]..].as_ptr(), area_out, 1);
            // SAFETY: as above; the columns have room for every tap of these lines.
            unsafe {
                let out = Matrix::new(cols.as_mut_ptr(), count, 1);
                E::product((depth, count, g.group_out), out, false, weight, grad, alone);
            }
            fold(g, x, lines, cols);
        }
    });
}

use super::depthwise::{self, Planes};
use super::geometry::Geometry;
use super::unfold::{lines_at_once, unfold};
use super::{direct, direct_weight};
use crate::elements::dtype::{wide, with_wide};
use crate::gemm::matrix::Matrix;
use crate::gemm::product::Product;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{ConvGradArgs, DType, HasSpec, TensorSpec};

pub fn conv_weight_grad(args: ConvGradArgs<NdTensor>) -> NdTensor {
    let dtype = args.grad.spec().dtype;
    let ready = |x: NdTensor| cast(x, wide(dtype)).into_contiguous();
    let ConvGradArgs { grad, other: x, target, options } = args.map(ready);
    let g = Geometry::new(x.shape(), &target, grad.shape(), &options);
    let mut out = NdTensor::new(TensorSpec { shape: target, dtype: wide(dtype) });
    if wide(dtype) == DType::F32 && direct::suits(&g) {
        direct_weight::weight_grad(&g, grad.slice(), x.slice(), out.make_mut());
        return cast(out, dtype);
    }
    with_wide!("conv_weight_grad", wide(dtype), E => backward::<E>(&g, grad.slice(), x.slice(), out.make_mut()));
    cast(out, dtype)
}

fn backward<E: Planes + Product>(g: &Geometry, grad: &[E], x: &[E], out: &mut [E]) {
    if grad.is_empty() || out.is_empty() {
        return out.fill(E::ZERO);
    }
    if g.is_depthwise() {
        return depthwise::weight_grad(g, grad, x, out);
    }
    // Each thread adds up the images of its own part.
    let parts = parallel::threads().min(g.batch);
    let size = out.len();
    let mut sums = Buffer::new(parts * size * size_of::<E>());
    let sums: &mut [E] = sums.as_mut_slice().expect("a new buffer is unique");
    let images = g.batch.div_ceil(parts);
    parallel::for_chunks(sums, size, g.products() * g.groups * images / 8 + 1, &|part, sum| {
        sum.fill(E::ZERO);
        for image in part * images..((part + 1) * images).min(g.batch) {
            add_image(g, image, grad, x, sum, parts == 1);
        }
    });
    out.copy_from_slice(&sums[..size]);
    for sum in sums.chunks_exact(size).skip(1) {
        out.iter_mut().zip(sum).for_each(|(out, &x)| *out = out.plus(x));
    }
}

fn add_image<E: Planes + Product>(
    g: &Geometry,
    image: usize,
    grad: &[E],
    x: &[E],
    sum: &mut [E],
    alone: bool,
) {
    let (area_in, area_out, depth) = (g.area_in(), g.area_out(), g.depth());
    let lines = if g.is_pointwise() { g.lines() } else { lines_at_once(g) };
    let mut scratch =
        Buffer::new(if g.is_pointwise() { 0 } else { depth * lines * g.output[2] * size_of::<E>() });
    let scratch: &mut [E] = scratch.as_mut_slice().expect("a new buffer is unique");
    for (group, sum) in sum.chunks_exact_mut(g.group_out * depth).enumerate() {
        let index = image * g.groups + group;
        let x = &x[index * g.group_in * area_in..][..g.group_in * area_in];
        let grad = &grad[index * g.group_out * area_out..][..g.group_out * area_out];
        for first in (0..g.lines()).step_by(lines) {
            let lines = first..(first + lines).min(g.lines());
            let (column, count) = (first * g.output[2], lines.len() * g.output[2]);
            let cols = if g.is_pointwise() {
                Matrix::new(x.as_ptr(), 1, area_in)
            } else {
                unfold(g, x, lines, &mut scratch[..depth * count]);
                Matrix::new(scratch.as_ptr(), 1, count)
            };
            let out = Matrix::new(sum.as_mut_ptr(), depth, 1);
            let grad = Matrix::new(grad[column..].as_ptr(), area_out, 1);
            // SAFETY: the planes and weights of one group of one image.
            unsafe { E::product((g.group_out, depth, count), out, true, grad, cols, alone) };
        }
    }
}

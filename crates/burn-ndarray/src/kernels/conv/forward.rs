use super::depthwise::{self, Planes};
use super::direct;
use super::few_results;
use super::geometry::Geometry;
use super::padded_plane;
#[cfg(feature = "std")]
use super::pointwise;
use super::single_plane;
use super::unfold::{lines_at_once, unfold};
use crate::elements::dtype::{wide, with_wide};
use crate::elements::pieces::along_first;
use crate::gemm::epilogue::Epilogue;
use crate::gemm::matrix::Matrix;
use crate::gemm::product::Product;
use crate::kernels::bounds::Bounds;
use crate::kernels::cast::cast;
use crate::memory::Buffer;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{ConvArgs, Convolution, DType, HasSpec, Operation, Shape, TensorSpec, output_specs};

/// Computes a convolution.
pub fn conv(args: ConvArgs<NdTensor>) -> NdTensor {
    let spec =
        output_specs(&Operation::Convolution(Convolution::Conv(alloc::boxed::Box::new(args.by_ref()))));
    conv_with(args, spec.expect("checked by the caller").one().shape, None, None)
}

/// Computes a convolution whose result has this shape. A residual, which is a contiguous tensor of that
/// shape, is added to an `f32` one, and bounds are then applied, in the bits of separate calls.
pub fn conv_with(
    args: ConvArgs<NdTensor>,
    shape: Shape,
    residual: Option<&NdTensor>,
    bounds: Option<Bounds>,
) -> NdTensor {
    let ConvArgs { x, weight, bias, options } = args;
    let weight = widened_weight(weight);
    along_first([x], shape, |[x], shape| {
        let (weight, bias, options) = (weight.clone(), bias.clone(), options.clone());
        conv_part(ConvArgs { x, weight, bias, options }, (residual, bounds), shape)
    })
}

/// Elements of weights whose wide form is kept: a second copy of more costs its user too much memory.
#[cfg(feature = "std")]
const MOST_KEPT: usize = 1 << 20;

/// The weight in the type of arithmetic. That of half precision is kept with it, so that kernels may keep
/// their own form of it in turn.
fn widened_weight(weight: NdTensor) -> NdTensor {
    let dtype = weight.spec().dtype;
    #[cfg(feature = "std")]
    if wide(dtype) == DType::F32 && dtype != DType::F32 && weight.is_contiguous() && weight.len() <= MOST_KEPT
    {
        let key = [weight.start() as usize, usize::from(dtype == DType::F16), 0, weight.len()];
        let kept = weight.buffer().kept().get(key, || cast(weight.clone(), wide(dtype)));
        if let Some(kept) = kept {
            return kept.clone().reshaped(weight.shape().clone());
        }
    }
    cast(weight, wide(dtype)).into_contiguous()
}

/// The result is in the type of arithmetic.
fn conv_part(
    args: ConvArgs<NdTensor>,
    (residual, bounds): (Option<&NdTensor>, Option<Bounds>),
    shape: Shape,
) -> NdTensor {
    let dtype = args.x.spec().dtype;
    let ready = |x: NdTensor| cast(x, wide(dtype)).into_contiguous();
    let ConvArgs { x, weight, bias, options } = args.map(ready);
    let g = Geometry::new(x.shape(), weight.shape(), &shape, &options);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: wide(dtype) });
    if wide(dtype) == DType::F32 {
        let (bias, residual) = (bias.as_ref().map(NdTensor::slice), residual.map(NdTensor::slice));
        let epilogue = Epilogue { bias, residual, bounds };
        if few_results::suits(&g) {
            few_results::forward(&g, x.slice(), weight.slice(), epilogue, out.make_mut());
            return out;
        }
        #[cfg(feature = "std")]
        if pointwise::suits(&g) {
            pointwise::forward(&g, x.slice(), weight.slice(), epilogue, out.make_mut());
            return out;
        }
        if single_plane::suits(&g) || padded_plane::suits(&g) || direct::suits(&g) {
            direct::forward(&g, x.slice(), &weight, epilogue, out.make_mut());
            return out;
        }
    }
    with_wide!("conv", wide(dtype), E => {
        let bias = bias.as_ref().map(NdTensor::slice::<E>);
        forward::<E>(&g, x.slice(), weight.slice(), bias, out.make_mut());
    });
    if wide(dtype) == DType::F32 {
        // The bias is part of the sums.
        let epilogue = Epilogue { bias: None, residual: residual.map(NdTensor::slice), bounds };
        epilogue.finish_all(out.make_mut());
    }
    out
}

fn forward<E: Planes + Product>(g: &Geometry, x: &[E], weight: &[E], bias: Option<&[E]>, out: &mut [E]) {
    let (area_in, area_out, depth) = (g.area_in(), g.area_out(), g.depth());
    if out.is_empty() {
        return;
    }
    if g.is_depthwise() {
        return depthwise::forward(g, x, weight, bias, out);
    }
    let lines = if g.is_pointwise() { g.lines() } else { lines_at_once(g) };
    let parts = g.lines().div_ceil(lines);
    let units = g.batch * g.groups * parts;
    let start = Shared(out.as_mut_ptr());
    let part = |index: usize, alone: bool| {
        let (group_index, first) = (index / parts, index % parts * lines);
        let (group, lines) = (group_index % g.groups, first..(first + lines).min(g.lines()));
        let (column, count) = (first * g.output[2], lines.len() * g.output[2]);
        let x = &x[group_index * g.group_in * area_in..][..g.group_in * area_in];
        let weight = &weight[group * g.group_out * depth..][..g.group_out * depth];
        let scratch;
        let cols = if g.is_pointwise() {
            Matrix::new(x[column..].as_ptr(), area_in, 1)
        } else {
            let mut cols = Buffer::new(depth * count * size_of::<E>());
            unfold(g, x, lines, cols.as_mut_slice().expect("a new buffer is unique"));
            scratch = cols;
            Matrix::new(scratch.as_slice::<E>().as_ptr(), count, 1)
        };
        let out = start.get().wrapping_add(group_index * g.group_out * area_out + column);
        // SAFETY: every part has its own columns of the planes of its own image and group.
        unsafe {
            for (channel, &bias) in
                bias.iter().flat_map(|bias| bias[group * g.group_out..][..g.group_out].iter().enumerate())
            {
                core::slice::from_raw_parts_mut(out.add(channel * area_out), count).fill(bias);
            }
            let sizes = (g.group_out, count, depth);
            let weight = Matrix::new(weight.as_ptr(), depth, 1);
            E::product(sizes, Matrix::new(out, area_out, 1), bias.is_some(), weight, cols, alone);
        }
    };
    if units < parallel::threads() {
        return (0..units).for_each(|index| part(index, true));
    }
    parallel::for_ranges(units, g.products() / parts / 8 + 1, &|range| {
        range.for_each(|index| part(index, false))
    });
}

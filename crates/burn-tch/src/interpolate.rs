//! Interpolation: LibTorch's kernels for linear and cubic, and neighbours by index for the nearest.

use crate::leaf::Leaf;
use crate::library::Torch;
use crate::memory::in_order;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, create, index};
use burn_backend::{
    DType, Dims, HasSpec, InterpolateMode, Interpolation, Operation, Resize, Scalar, Shape, TensorData,
    TensorSpec, kernels, reference,
};
use burn_library_backend::{Kernels, Memory, result};
use tch::Kind;

/// LibTorch's kernel for a mode in so many dimensions. Its positions are rounded to the type of the elements,
/// so those of `f32` are computed in `f64`, and those of `f64` by a composition. On a GPU its kernels read
/// and write beyond the input where factors are not those of the sizes.
fn has_kernel(options: &Interpolation, spatial: usize, dtype: DType, device: LibTorchDevice) -> bool {
    let has_mode = match options.mode {
        InterpolateMode::Linear => (1..=3).contains(&spatial),
        InterpolateMode::Cubic => spatial == 2,
        InterpolateMode::Nearest | InterpolateMode::NearestExact | InterpolateMode::Lanczos => false,
    };
    has_mode && dtype == DType::F32 && (device == LibTorchDevice::Cpu || options.factors.is_empty())
}

#[track_caller]
pub fn interpolate(x: TchTensor, size: Dims, options: Interpolation) -> TchTensor {
    let op = Operation::Resize(Resize::Interpolate {
        x: &x,
        size: size.clone(),
        options: Box::new(options.clone()),
    });
    let spec = result(&op);
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    if matches!(options.mode, InterpolateMode::Nearest | InterpolateMode::NearestExact) {
        drop(Torch::take(&spec, LibTorchDevice::Cpu));
        return (0..size.len()).fold(x, |x, d| nearest(x, d, size[d], &options));
    }
    if !has_kernel(&options, size.len(), x.dtype(), x.device()) {
        // The composition makes lists as long as the result before the first kernel asks for memory.
        drop(Torch::take(&spec, LibTorchDevice::Cpu));
        kernels::ran(|| "composition interpolate".into());
        return reference::interpolate::<Leaf>(x, &size, &options);
    }
    drop([x.spec(), &spec].map(widened));
    Torch::run("upsample", x.device(), spec, || {
        let x = in_order(x.tch())?.f_to_kind(Kind::Double)?;
        let (list, corners) = (sizes(&size), options.align_corners);
        let factor = |d: usize| options.factors.get(d).copied();
        let wide = match (options.mode, size.len()) {
            (InterpolateMode::Cubic, _) => x.f_upsample_bicubic2d(list, corners, factor(0), factor(1)),
            (_, 1) => x.f_upsample_linear1d(list, corners, factor(0)),
            (_, 2) => x.f_upsample_bilinear2d(list, corners, factor(0), factor(1)),
            _ => x.f_upsample_trilinear3d(list, corners, factor(0), factor(1), factor(2)),
        };
        wide?.f_to_kind(Kind::Float)
    })
}

/// Memory of a tensor in `f64`.
#[track_caller]
fn widened(spec: &TensorSpec) -> Memory {
    Torch::take(&TensorSpec { shape: spec.shape.clone(), dtype: DType::F64 }, LibTorchDevice::Cpu)
}

/// The nearest neighbours along spatial dimension `d`.
#[track_caller]
fn nearest(x: TchTensor, d: usize, output: usize, options: &Interpolation) -> TchTensor {
    let input = x.spec().shape[d + 2];
    drop(Torch::take(&TensorSpec::new([output, 4], DType::I64), LibTorchDevice::Cpu));
    let places: Vec<i64> = options.taps(d, input, output).sources.into_iter().map(|at| at as i64).collect();
    if places.iter().copied().eq(0..input as i64) {
        return x;
    }
    let places = create::from_data(&TensorData::new(places, [output]), x.device());
    index::select(x, d + 2, places)
}

/// The reverse. Compositions make lists as long as the gradient, which a view of few elements may not have in
/// memory, so memory for both sides is asked for beforehand.
#[track_caller]
pub fn interpolate_grad(grad: TchTensor, target: Shape, options: Interpolation) -> TchTensor {
    let spec = TensorSpec { shape: target.clone(), dtype: grad.dtype() };
    if grad.spec().shape.num_elements() == 0 || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    let spatial = target.rank() - 2;
    if !has_kernel(&options, spatial, grad.dtype(), grad.device()) {
        drop(Torch::take(grad.spec(), LibTorchDevice::Cpu));
        drop(Torch::take(&spec, LibTorchDevice::Cpu));
        kernels::ran(|| "composition interpolate_grad".into());
        return reference::interpolate_grad::<Leaf>(grad, &target, &options);
    }
    drop([grad.spec(), &spec].map(widened));
    Torch::run("upsample_backward", grad.device(), spec, || {
        let (size, from) = (sizes(&grad.spec().shape[2..]), sizes(&target));
        let grad = in_order(grad.tch())?.f_to_kind(Kind::Double)?;
        let corners = options.align_corners;
        let factor = |d: usize| options.factors.get(d).copied();
        let wide = match (options.mode, spatial) {
            (InterpolateMode::Cubic, _) => {
                tch::Tensor::f_upsample_bicubic2d_backward(&grad, size, from, corners, factor(0), factor(1))
            }
            (_, 1) => tch::Tensor::f_upsample_linear1d_backward(&grad, size, from, corners, factor(0)),
            (_, 2) => {
                tch::Tensor::f_upsample_bilinear2d_backward(&grad, size, from, corners, factor(0), factor(1))
            }
            _ => tch::Tensor::f_upsample_trilinear3d_backward(
                &grad,
                size,
                from,
                corners,
                factor(0),
                factor(1),
                factor(2),
            ),
        };
        wide?.f_to_kind(Kind::Float)
    })
}

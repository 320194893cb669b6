//! Interpolation. Candle has a kernel for linear interpolation of planes.

use crate::leaf::Leaf;
use crate::library::Core;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, create};
use burn_backend::{
    DType, Dims, HasSpec, InterpolateMode, Interpolation, Operation, Resize, Scalar, Shape, TensorSpec,
    kernels, reference,
};
use burn_library_backend::{Kernels, result};

#[track_caller]
pub fn interpolate(x: CandleTensor, size: Dims, options: Interpolation) -> CandleTensor {
    let op = Operation::Resize(Resize::Interpolate {
        x: &x,
        size: size.clone(),
        options: Box::new(options.clone()),
    });
    let spec = result(&op);
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    let is_candle = options.mode == InterpolateMode::Linear
        // Candle rounds the ratio of corners before it multiplies, and on a GPU all positions, which `f64`
        // shows.
        && (x.dtype() == DType::F32
            || (x.dtype() == DType::F64 && x.device() == CandleDevice::Cpu && !options.align_corners))
        && size.len() == 2
        && options.factors.is_empty()
        && x.spec().shape.num_elements() > 0;
    if !is_candle {
        // The composition makes lists as long as the result before the first kernel asks for memory.
        drop(Core::take(&spec, CandleDevice::Cpu));
        kernels::ran(|| "composition interpolate".into());
        return reference::interpolate::<Leaf>(x, &size, &options);
    }
    Core::run("upsample_bilinear2d", x.device(), spec, || {
        // Candle copies the wrong elements of a view where the size stays. The copy may be
        // larger than the result.
        drop(Core::take(x.spec(), x.device()));
        let x = x.candle().force_contiguous()?;
        x.upsample_bilinear2d(size[0], size[1], options.align_corners)
    })
}

/// The reverse, a composition. It makes lists as long as the gradient, which a view of few elements may not
/// have in memory, so memory for both sides is asked for beforehand.
#[track_caller]
pub fn interpolate_grad(grad: CandleTensor, target: Shape, options: Interpolation) -> CandleTensor {
    let spec = TensorSpec { shape: target.clone(), dtype: grad.dtype() };
    if grad.spec().shape.num_elements() == 0 || target.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    drop(Core::take(grad.spec(), CandleDevice::Cpu));
    drop(Core::take(&spec, CandleDevice::Cpu));
    kernels::ran(|| "composition interpolate_grad".into());
    reference::interpolate_grad::<Leaf>(grad, &target, &options)
}

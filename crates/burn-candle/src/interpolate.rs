//! Interpolation. Candle has a kernel for linear interpolation of planes.

use crate::backend::Leaf;
use crate::binary::result;
use crate::kernel;
use crate::memory::Memory;
use crate::tensor::CandleTensor;
use burn_backend::{DType, Dims, HasSpec, InterpolateMode, Interpolation, Operation, kernels, reference};

pub fn interpolate(x: CandleTensor, size: Dims, options: Interpolation) -> CandleTensor {
    let op = Operation::Interpolate { x: &x, size: size.clone(), options: Box::new(options.clone()) };
    let spec = result(&op);
    let is_candle = options.mode == InterpolateMode::Linear
        // Candle rounds the ratio of corners before it multiplies, which `f64` shows.
        && (x.dtype() == DType::F32 || (x.dtype() == DType::F64 && !options.align_corners))
        && size.len() == 2
        && options.factors.is_empty()
        && spec.shape.num_elements() > 0
        && x.spec().shape.num_elements() > 0;
    if !is_candle {
        // The composition makes lists as long as the result before the first kernel asks for memory.
        drop(Memory::take(&spec, true));
        kernels::ran(|| "composition interpolate".into());
        return reference::interpolate::<Leaf>(x, &size, &options);
    }
    kernel::candle("upsample_bilinear2d", x.device(), spec, || {
        // Of a view, candle copies the wrong elements where the size stays.
        let x = x.candle().force_contiguous()?;
        x.upsample_bilinear2d(size[0], size[1], options.align_corners)
    })
}

//! Operands of products, and the kernels that compute them.

use burn_backend::{DType, Dims, Distribution, HasSpec, Shape, TensorSpec, TypedCalls};
use burn_cubecl::Form;
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};

type B = Wgpu<f32, i32>;

pub fn random(shape: impl Into<Shape>, dtype: DType) -> CubeTensor {
    let spec = TensorSpec::new(shape, DType::F32);
    let floats = B::random(spec, Distribution::Uniform(-8.0, 8.0), &WgpuDevice::default());
    B::cast(floats, dtype)
}

/// The same matrix, whose columns are contiguous.
pub fn turned(x: CubeTensor) -> CubeTensor {
    let rank = x.shape().rank();
    let axes: Dims = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
    let rows = B::permute(x, axes.clone());
    // Another operand makes it contiguous.
    let written = B::cat(vec![rows], 0);
    B::permute(written, axes)
}

/// The kernels for products of this shape.
pub fn forms(out: &CubeTensor) -> Vec<Form> {
    let shape = &out.spec().shape;
    let (rows, cols) = (shape[shape.rank() - 2], shape[shape.rank() - 1]);
    let shared = out.engine().hardware().max_shared_memory_size;
    // Halves are computed as f32.
    let bytes = out.dtype().size().max(4);
    Form::all().iter().copied().filter(|form| form.fits(rows, cols, bytes, shared)).collect()
}

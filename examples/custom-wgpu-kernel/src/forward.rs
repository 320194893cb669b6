use crate::Backend;
use crate::kernel::FusedMatmulAddRelu;
use burn::backend::Fusion;
use burn::backend::fusion::FusionBackend;
use burn::backend::wgpu::{
    CubeBackend, CubeTensor, Execute, FloatElement, IntElement, SourceKernel, WgpuRuntime, build_info,
    into_contiguous,
};
use burn::tensor::ops::{FloatTensor, TensorSpec};
use burn::tensor::{HasSpec, Shape};
use cubecl::CubeCount;
use cubecl::prelude::CubeDim;
use cubecl::server::Handle;

/// Returns the shape of the result: batches broadcast.
pub fn result_shape(lhs: &Shape, rhs: &Shape) -> Shape {
    let rank = lhs.rank();
    let batch = (0..rank - 2).map(|d| lhs[d].max(rhs[d]));
    batch.chain([lhs[rank - 2], rhs[rank - 1]]).collect()
}

// ANCHOR: forward
/// On the backend of Vulkan, Metal and WebGPU: one kernel.
impl<F: FloatElement, I: IntElement> Backend for CubeBackend<WgpuRuntime, F, I> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        lhs.assert_is_on_same_device(&rhs);
        lhs.assert_is_on_same_device(&bias);
        // A kernel sees a buffer, sizes and steps: a view that starts in the middle of its buffer is copied.
        let [lhs, rhs, bias] = [lhs, rhs, bias].map(into_contiguous);

        let shape = result_shape(&lhs.shape, &rhs.shape);
        let client = lhs.client::<WgpuRuntime>();
        let device = lhs.device::<WgpuRuntime>();
        let buffer = client.empty(shape.num_elements() * size_of::<F>());
        let output =
            CubeTensor::new_contiguous::<WgpuRuntime, F>(client.clone(), device, shape.clone(), buffer);
        let info = build_info(&[&lhs, &rhs, &bias, &output]);
        let info = client.create_from_slice(bytemuck::cast_slice(&info));

        let cube_dim = CubeDim { x: 16, y: 16, z: 1 };
        let rank = shape.rank();
        let cubes = |size: usize, units: u32| (size as u32).div_ceil(units);
        let batches: usize = shape[..rank - 2].iter().product();
        let count = CubeCount::Static(
            cubes(shape[rank - 2], cube_dim.x),
            cubes(shape[rank - 1], cube_dim.y),
            batches as u32,
        );
        let kernel = SourceKernel::new(FusedMatmulAddRelu::<F>::new(cube_dim), cube_dim);
        let buffers = [lhs.handle, rhs.handle, bias.handle, output.handle.clone(), info];
        let buffers = buffers.map(Handle::binding).into();
        client.execute(Box::new(kernel), count, buffers);
        output
    }
}
// ANCHOR_END: forward

// ANCHOR: fusion
/// In a queue: what waits before it runs first, then the kernel.
impl<B: Backend + FusionBackend> Backend for Fusion<B> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let spec = TensorSpec { shape: result_shape(&lhs.shape(), &rhs.shape()), dtype: lhs.dtype() };
        let run = |operands: Vec<FloatTensor<B>>| {
            let [lhs, rhs, bias] = operands.try_into().expect("three went in");
            B::fused_matmul_add_relu(lhs, rhs, bias).into()
        };
        Fusion::<B>::custom(vec![lhs, rhs, bias], spec.into(), run).one()
    }
}
// ANCHOR_END: fusion

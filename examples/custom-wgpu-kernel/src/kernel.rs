use burn::backend::wgpu::{FloatElement, KernelSource, SourceTemplate, kernel_wgsl};
use cubecl::prelude::{CubeDim, KernelId};
use std::marker::PhantomData;

// ANCHOR: kernel
kernel_wgsl!(FusedMatmulAddReluRaw, "./kernel.wgsl");

/// The kernel for elements `E` and cubes of this size.
#[derive(Debug)]
pub struct FusedMatmulAddRelu<E> {
    cube_dim: CubeDim,
    elem: PhantomData<E>,
}

impl<E> FusedMatmulAddRelu<E> {
    pub fn new(cube_dim: CubeDim) -> Self {
        FusedMatmulAddRelu { cube_dim, elem: PhantomData }
    }
}

impl<E: FloatElement> KernelSource for FusedMatmulAddRelu<E> {
    fn source(&self) -> SourceTemplate {
        FusedMatmulAddReluRaw::new()
            .source()
            .register("workgroup_size_x", self.cube_dim.x.to_string())
            .register("workgroup_size_y", self.cube_dim.y.to_string())
            .register("elem", <E as cubecl::CubeElement>::type_name())
    }

    fn id(&self) -> KernelId {
        KernelId::new::<Self>().info(self.cube_dim)
    }
}
// ANCHOR_END: kernel

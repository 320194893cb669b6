//! Capabilities of the device, in the types of the kernel compiler.

use crate::driver::Context;
use crate::server::storage::ALIGNMENT;
use cubecl::features::{AtomicUsage, Plane, TypeUsage};
use cubecl::ir::{
    BarrierLevel, DeviceProperties, ElemType, FloatKind, HardwareProperties, MemoryDeviceProperties,
    OpaqueType, SemanticType, StorageType, Type, VectorSize,
};
use cubecl::profile::TimingMethod;
use cubecl_cpp::cuda::CudaDialect;
use cubecl_cpp::cuda::arch::CudaArchitecture;
use cubecl_cpp::cuda::mma::CudaWmmaCompiler;
use cubecl_cpp::shared::{
    CompilationOptions, CppCompiler, CppSupportedFeatures, DialectWmmaCompiler, register_mma_features,
    register_wmma_features,
};
use cudarc::driver::sys::CUdevice_attribute::{
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
};

/// Compiler of kernels to CUDA C++.
pub type CudaCompiler = CppCompiler<CudaDialect<CudaWmmaCompiler>>;

/// Arrays that one kernel may be given.
const BINDINGS: u32 = 1024;

/// Returns the architecture, 90 for compute capability 9.0.
pub fn architecture(context: &Context) -> u32 {
    let (major, minor) = context.capability();
    major * 10 + minor
}

/// Returns the compiler options for an architecture. Parameters are passed by value, which needs compute
/// capability 7.0, as [`Context::open`] does.
pub fn options(architecture: u32) -> CompilationOptions {
    let supports_features = CppSupportedFeatures {
        grid_constants: true,
        fast_math: true,
        fast_tanh: architecture >= 75,
        clusters: architecture >= 90,
        elect_sync: architecture >= 90,
    };
    CompilationOptions { supports_features, ..CompilationOptions::default() }
}

fn hardware(context: &Context, has_matrices: bool) -> HardwareProperties {
    let of = |attribute| context.attribute(attribute);
    let plane = of(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    HardwareProperties {
        load_width: 128,
        plane_size_min: plane,
        plane_size_max: plane,
        max_bindings: BINDINGS,
        max_shared_memory_size: of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) as usize,
        max_cube_count: (
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            of(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ),
        max_units_per_cube: of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        max_cube_dim: (
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            of(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        ),
        num_streaming_multiprocessors: Some(of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)),
        num_tensor_cores: has_matrices.then_some(if architecture(context) < 80 { 8 } else { 4 }),
        min_tensor_cores_dim: has_matrices.then_some(8),
        num_cpu_cores: None,
        max_vector_size: VectorSize::MAX,
    }
}

pub fn properties(context: &Context) -> DeviceProperties {
    let version = architecture(context);
    let described = CudaArchitecture { version };
    let wmma = CudaWmmaCompiler::supported_wmma_combinations(&described);
    let mma = CudaWmmaCompiler::supported_mma_combinations(&described);
    let memory = MemoryDeviceProperties { max_page_size: context.total_memory(), alignment: ALIGNMENT };
    let hardware = hardware(context, !wmma.is_empty());
    let mut device = DeviceProperties::new(Default::default(), memory, hardware, TimingMethod::System);
    let float = |kind| StorageType::Scalar(ElemType::Float(kind));
    let atomic = |kind| Type::new(StorageType::Atomic(ElemType::Float(kind)));
    let adds = AtomicUsage::Add | AtomicUsage::LoadStore;

    cubecl_cpp::register_supported_types(&mut device);
    // Every device has these; `cubecl` leaves them out for what its own products do with them.
    device.register_type_usage(float(FloatKind::F64), TypeUsage::all());
    device.register_type_usage(float(FloatKind::TF32), TypeUsage::Conversion);
    device.register_atomic_type_usage(atomic(FloatKind::F64), adds);
    device.register_atomic_type_usage(atomic(FloatKind::F16), adds);
    device.register_atomic_type_usage(atomic(FloatKind::F16).with_vector_size(2), adds);
    device.register_semantic_type(SemanticType::Pipeline);
    device.register_type_usage(OpaqueType::Barrier(BarrierLevel::Unit), TypeUsage::Buffer);
    device.register_type_usage(OpaqueType::Barrier(BarrierLevel::Cube), TypeUsage::Buffer);
    if version >= 75 {
        device.features.matmul.ldmatrix.extend([float(FloatKind::F16), float(FloatKind::BF16)]);
    }
    device.features.copy_async = version >= 80;
    if version >= 89 {
        for kind in [FloatKind::E4M3, FloatKind::E5M2] {
            device.register_type_usage(float(kind), TypeUsage::Conversion | TypeUsage::Buffer);
        }
    }
    if version >= 90 {
        device.features.cube_cluster = true;
        device.features.matmul.stmatrix.extend([float(FloatKind::F16), float(FloatKind::BF16)]);
        device.register_atomic_type_usage(atomic(FloatKind::F32).with_vector_size(2), adds);
        device.register_atomic_type_usage(atomic(FloatKind::F32).with_vector_size(4), adds);
    }
    device.features.memory_reinterpret = true;
    device.features.alignment = true;
    device.features.plane.insert(Plane::Sync);
    device.features.plane.insert(Plane::Ops);
    device.features.plane.insert(Plane::NonUniformControlFlow);
    register_wmma_features(wmma, &mut device);
    register_mma_features(mma, &mut device);
    device
}

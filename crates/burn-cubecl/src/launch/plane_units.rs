//! Planes: units of a cube that exchange values without shared memory.

use crate::device::engine::Engine;
use cubecl::prelude::*;

/// Units of a plane, which are neighbours.
pub const PLANE: u32 = 32;

// [`PLANE`], in kernels for devices where all cubes are made of such planes.
cubecl::define_size!(pub PlaneUnits);

/// Whether all cubes of a device are made of planes of [`PLANE`] units, as those of NVIDIA are.
///
/// Asked for CUDA only: WebGPU does not promise that units which take part in an exchange are together.
pub fn has_planes(engine: &dyn Engine) -> bool {
    let hardware = engine.hardware();
    engine.library().is_some_and(|library| library.has_dependent_launches())
        && (hardware.plane_size_min, hardware.plane_size_max) == (PLANE, PLANE)
}

/// Whether the kernel is for a device of planes.
#[cube]
pub fn is_in_planes() -> comptime_type!(bool) {
    intrinsic!(|scope| scope.resolve_size::<PlaneUnits>() == Some(PLANE as usize))
}

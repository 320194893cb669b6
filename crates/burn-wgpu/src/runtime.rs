use crate::open_device::opened;
use crate::{DeviceError, Wgpu, WgpuDevice};
use burn_backend::{DType, block_on};
use burn_cubecl::{Engine, Gpu, engines, runtime};
use burn_cubecl_linalg::LinearAlgebraKernels;
use cubecl::wgpu as cube;

runtime! {
    /// The graphics API of the system, as a runtime of kernels: that of `cubecl`, with devices of ours.
    WgpuRuntime("wgpu"), with WgpuDevice, of cube::WgpuRuntime
}

engines! { Wgpu, of WgpuRuntime, with WgpuDevice, opened by open }

fn open(device: WgpuDevice) -> Box<dyn Engine> {
    let measured = block_on(measured_engine(device)).expect("`open` fails where nothing can wait");
    Box::new(measured.unwrap_or_else(|error| panic!("{error}")))
}

/// Makes the engine of a device that a browser has opened.
#[cfg(target_family = "wasm")]
pub async fn prepare(device: WgpuDevice) -> Result<(), DeviceError> {
    let engine = measured_engine(device).await?;
    ENGINES.get(device, || Box::new(engine));
    Ok(())
}

async fn measured_engine(device: WgpuDevice) -> Result<Gpu<WgpuRuntime>, DeviceError> {
    device.open()?;
    let opened = opened(device)?;
    let faults = opened.faults.clone();
    let model = device.model();
    let adapter = model.as_ref().map_or_else(|| device.to_string(), |model| model.name.clone());
    let engine =
        Gpu::<WgpuRuntime>::new(format!("{device} ({adapter})"), &adapter, device, &LinearAlgebraKernels);
    #[cfg(not(target_family = "wasm"))]
    let engine = engine.with_mended_kernels(move |compiled| {
        if let Some(cube::AutoRepresentation::SpirV(shader)) = &mut compiled.repr {
            opened.controls.add_to(&mut shader.assembled_module);
        }
    });
    // NVIDIA's driver rounds it toward zero, and gives up on pipelines of pools, after which the device is
    // lost.
    let engine = engine.without(DType::BF16);
    let is_software = model.is_some_and(|model| model.device_type == wgpu::DeviceType::Cpu);
    let engine = engine.with_guard(faults).with_measured_arithmetic().await;
    Ok(if is_software { engine.in_software() } else { engine })
}

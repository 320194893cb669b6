//! Opening of devices in a browser, whose calls return promises: nothing can wait for them but an `async` function.

use crate::device::set_adapter;
use crate::opened::keep;
use crate::{DeviceError, WgpuDevice, runtime};
use cubecl::wgpu as cube;
use std::sync::Mutex;

/// Devices that are being opened, or are.
static ASKED: Mutex<Vec<WgpuDevice>> = Mutex::new(Vec::new());

/// Opens the device, and makes its engine.
///
/// # Errors
/// When the browser offers no adapter, or another call is opening the device.
pub async fn open(device: WgpuDevice) -> Result<(), DeviceError> {
    {
        let mut asked = ASKED.lock().expect("nobody panics while it is held");
        if asked.contains(&device) {
            // It is there, or `WgpuDevice::open` says that it is not yet.
            return Ok(());
        }
        asked.push(device);
    }
    let opened = set_up(device).await;
    if opened.is_err() {
        ASKED.lock().expect("nobody panics while it is held").retain(|asked| *asked != device);
    }
    opened
}

async fn set_up(device: WgpuDevice) -> Result<(), DeviceError> {
    // `cubecl` panics where there is no adapter, which ends a program in a browser.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::BROWSER_WEBGPU,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await;
    adapter.map_err(|_| DeviceError::NoAdapter { device, found: Vec::new() })?;
    let options = cube::RuntimeOptions::default();
    let setup = cube::init_setup_async::<cube::AutoGraphicsApi>(&device.to_cube(), options).await;
    set_adapter(setup.adapter.get_info());
    keep(device, setup);
    runtime::prepare(device).await
}

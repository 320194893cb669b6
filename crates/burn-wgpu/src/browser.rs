//! Opening of devices in a browser, whose calls return promises: nothing can wait for them but an `async`
//! function.

use crate::adapters::set_adapter;
use crate::open_device::{keep, options};
use crate::{DeviceError, WgpuDevice, runtime};
use cubecl::wgpu as cube;
use js_sys::{Function, Promise, Reflect};
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

#[derive(Debug)]
enum State {
    /// With the calls that wait for it.
    Opening(Vec<Waker>),
    Open,
}

static DEVICES: Mutex<Vec<(WgpuDevice, State)>> = Mutex::new(Vec::new());

/// Opens the device, and makes its engine. Calls that come meanwhile wait.
///
/// # Errors
/// When the browser offers no adapter.
pub async fn open(device: WgpuDevice) -> Result<(), DeviceError> {
    let is_open = poll_fn(|context| wait_or_begin(device, context)).await;
    if is_open {
        return Ok(());
    }
    let opened = set_up(device).await;
    finish(device, opened.is_ok());
    opened
}

/// Whether the device is open, once no other caller is opening it. Where it is not, the caller does.
fn wait_or_begin(device: WgpuDevice, context: &Context<'_>) -> Poll<bool> {
    let mut devices = devices();
    match devices.iter_mut().find(|(known, _)| *known == device) {
        None => {
            devices.push((device, State::Opening(Vec::new())));
            Poll::Ready(false)
        }
        Some((_, State::Open)) => Poll::Ready(true),
        Some((_, State::Opening(waiting))) => {
            waiting.push(context.waker().clone());
            Poll::Pending
        }
    }
}

fn finish(device: WgpuDevice, is_open: bool) {
    let mut devices = devices();
    let found = devices.iter().position(|(known, _)| *known == device);
    let state = found.map(|at| devices.swap_remove(at).1);
    if is_open {
        devices.push((device, State::Open));
    }
    drop(devices);
    if let Some(State::Opening(waiting)) = state {
        waiting.into_iter().for_each(Waker::wake);
    }
}

fn devices() -> MutexGuard<'static, Vec<(WgpuDevice, State)>> {
    DEVICES.lock().expect("nobody panics while it is held")
}

async fn set_up(device: WgpuDevice) -> Result<(), DeviceError> {
    // `cubecl` panics where there is no adapter, which ends a program in a browser.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::BROWSER_WEBGPU,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await;
    adapter.map_err(|_| DeviceError::NoAdapter { device, found: Vec::new() })?;
    let setup = cube::init_setup_async::<cube::AutoGraphicsApi>(&device.to_cube(), options()).await;
    let mut info = setup.adapter.get_info();
    if is_fallback_adapter().await.unwrap_or(false) {
        info.device_type = wgpu::DeviceType::Cpu;
    }
    set_adapter(info);
    keep(device, setup);
    runtime::prepare(device).await
}

/// Asks the browser whether its adapter is software: of what WebGPU says of an adapter, wgpu has only the
/// name.
async fn is_fallback_adapter() -> Result<bool, JsValue> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let gpu = Reflect::get(&navigator, &"gpu".into())?;
    let request: Function = Reflect::get(&gpu, &"requestAdapter".into())?.dyn_into()?;
    let adapter = JsFuture::from(Promise::resolve(&request.call0(&gpu)?)).await?;
    let info = Reflect::get(&adapter, &"info".into())?;
    Ok(Reflect::get(&info, &"isFallbackAdapter".into())?.is_truthy())
}

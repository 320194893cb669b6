//! Open devices, with the errors that wgpu reports outside of their server.

#[cfg(not(target_family = "wasm"))]
use crate::float_controls::FloatControls;
#[cfg(not(target_family = "wasm"))]
use crate::single_stream::with_single_stream;
use crate::{DeviceError, WgpuDevice};
#[cfg(not(target_family = "wasm"))]
use burn_cubecl::catch_panic;
use burn_cubecl::{Faults, MemoryPool};
use cubecl::wgpu as cube;
use std::sync::{Arc, Mutex};

impl WgpuDevice {
    /// Opens the device. The first tensor on a missing device panics with the same message.
    ///
    /// # Errors
    /// When no adapter of this kind and number exists, or its driver does not open it. In a browser, when
    /// [`open_async`](Self::open_async) has not opened it.
    pub fn open(self) -> Result<(), DeviceError> {
        #[cfg(not(target_family = "wasm"))]
        self.find()?;
        opened(self).map(|_| ())
    }

    /// Returns the underlying wgpu device, to share it with rendering, or with kernels of another library.
    /// Destroying it makes later reads of its tensors errors. Validation errors of wgpu that no error scope
    /// catches are errors of the thread's next read, too.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when the program has made the device through `cubecl`.
    pub fn raw(self) -> Result<wgpu::Device, DeviceError> {
        self.open()?;
        opened(self)?.device.ok_or_else(|| DeviceError::Failed {
            device: self,
            cause: "it was made through cubecl, which does not hand it out".into(),
        })
    }
}

/// Open device.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The wgpu device; `None` where the program created it before.
    pub device: Option<wgpu::Device>,
    pub faults: Arc<Faults>,
    /// Float controls that shaders declare.
    #[cfg(not(target_family = "wasm"))]
    pub controls: FloatControls,
}

static OPENED: Mutex<Vec<(WgpuDevice, Opened)>> = Mutex::new(Vec::new());

/// Returns the device, opening it on the first call.
///
/// # Errors
/// When the driver does not give it.
pub fn opened(device: WgpuDevice) -> Result<Opened, DeviceError> {
    let mut all = OPENED.lock().expect("nobody panics while it is held");
    if let Some((_, opened)) = all.iter().find(|(known, _)| *known == device) {
        return Ok(opened.clone());
    }
    let new = open(device)?;
    all.push((device, new.clone()));
    Ok(new)
}

/// A browser opens devices in the background only: see `browser`.
#[cfg(target_family = "wasm")]
fn open(device: WgpuDevice) -> Result<Opened, DeviceError> {
    let cause = "in a browser, `WgpuDevice::open_async` opens it before the first tensor";
    Err(DeviceError::Failed { device, cause: cause.into() })
}

/// Keeps a device that the browser has opened.
#[cfg(target_family = "wasm")]
pub fn keep(device: WgpuDevice, setup: cube::WgpuSetup) {
    let faults = Arc::new(Faults::default());
    report(&setup.device, &faults);
    let opened = Opened { device: Some(setup.device), faults };
    OPENED.lock().expect("nobody panics while it is held").push((device, opened));
}

#[cfg(not(target_family = "wasm"))]
fn open(device: WgpuDevice) -> Result<Opened, DeviceError> {
    let faults = Arc::new(Faults::default());
    // `cubecl` unwraps what the driver does not give.
    let init = || cube::init_setup::<cube::AutoGraphicsApi>(&device.to_cube(), options());
    let setup = with_single_stream(|| catch_panic(init));
    match setup {
        Ok(setup) => {
            report(&setup.device, &faults);
            let controls = FloatControls::of(&setup.adapter);
            Ok(Opened { device: Some(setup.device), faults, controls })
        }
        // A program has used the device through `cubecl` before: it stays as it is.
        Err(cause) if cause.contains("already registered") => {
            Ok(Opened { device: None, faults, controls: FloatControls::none() })
        }
        Err(cause) => Err(DeviceError::Failed { device, cause }),
    }
}

/// Returns the properties of a device that `cubecl` gets when it is opened.
pub fn options() -> cube::RuntimeOptions {
    let memory_config = match MemoryPool::current() {
        // Slices of pages, and a page each in a browser, which has no slices.
        MemoryPool::Shared => cube::MemoryConfiguration::default(),
        MemoryPool::Exclusive => cube::MemoryConfiguration::ExclusivePages,
    };
    cube::RuntimeOptions { memory_config, ..Default::default() }
}

/// Keeps what wgpu would panic with, for the thread whose work it is.
fn report(device: &wgpu::Device, faults: &Arc<Faults>) {
    let of_calls = faults.clone();
    device.on_uncaptured_error(Arc::new(move |error| of_calls.note(in_one_line(&error.to_string()))));
    let (of_device, asked) = (faults.clone(), device.clone());
    // A lost device reports itself when it is polled.
    faults.look_with(move || _ = asked.poll(wgpu::PollType::Poll));
    device.set_device_lost_callback(move |reason, text| {
        of_device.lose(in_one_line(&format!("{reason:?} {text}")));
    });
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

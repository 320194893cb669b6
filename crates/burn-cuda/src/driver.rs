//! The driver, as far as the server needs it: devices, streams, events.

use crate::{CudaDevice, CudaError};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute};
use std::sync::Arc;
use std::time::Duration;

/// Converts a driver result into an error that names the failed call.
pub fn check<T>(call: &'static str, result: Result<T, DriverError>) -> Result<T, CudaError> {
    result.map_err(|error| CudaError::Driver { call, cause: error.to_string() })
}

/// The primary context of a device, held for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub device: CudaDevice,
    number: sys::CUdevice,
    context: sys::CUcontext,
}

// SAFETY: contexts belong to the process, any thread may make one current, and this one is never released.
unsafe impl Send for Context {}
// SAFETY: as above; all methods take `self` by reference and the driver is thread-safe.
unsafe impl Sync for Context {}

impl Context {
    /// # Errors
    /// When there is no driver, no such device, or one too old.
    pub fn open(device: CudaDevice) -> Result<Self, CudaError> {
        // SAFETY: this loads the library of the driver, whose initialisers are sound.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoDriver { device });
        }
        Self::opened(device).map_err(|error| {
            if let CudaError::Driver { call, cause } = &error {
                return CudaError::Failed { device, cause: format!("{call}: {cause}") };
            }
            error
        })
    }

    fn opened(device: CudaDevice) -> Result<Self, CudaError> {
        check("cuInit", result::init())?;
        let count = check("cuDeviceGetCount", result::device::get_count())?.max(0) as usize;
        if device.index >= count {
            return Err(CudaError::NoDevice { device, count });
        }
        let number = check("cuDeviceGet", result::device::get(device.index as i32))?;
        // SAFETY: the device is one that the driver gave.
        let context = check("cuDevicePrimaryCtxRetain", unsafe { result::primary_ctx::retain(number) })?;
        let opened = Context { device, number, context };
        opened.bind()?;
        let capability = opened.capability();
        if capability.0 < 7 {
            return Err(CudaError::TooOld { device, name: opened.name(), capability });
        }
        Ok(opened)
    }

    /// Makes the device the one that this thread's calls are for.
    pub fn bind(&self) -> Result<(), CudaError> {
        // SAFETY: the context is retained for good.
        check("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.context) })
    }

    pub fn attribute(&self, attribute: CUdevice_attribute) -> u32 {
        // SAFETY: the device is one that the driver gave.
        unsafe { result::device::get_attribute(self.number, attribute) }
            .map_or(0, |value| value.max(0) as u32)
    }

    /// Returns the compute capability.
    pub fn capability(&self) -> (u32, u32) {
        (
            self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        )
    }

    pub fn name(&self) -> String {
        result::device::get_name(self.number).unwrap_or_else(|_| self.device.to_string())
    }

    /// Returns the bytes of memory of the device.
    pub fn total_memory(&self) -> u64 {
        // SAFETY: the device is one that the driver gave.
        unsafe { result::device::total_mem(self.number) }.map_or(0, |bytes| bytes as u64)
    }
}

/// Event in a stream, which can be waited for.
#[derive(Debug)]
pub struct Event {
    event: sys::CUevent,
    context: Context,
}

// SAFETY: events may be used from any thread; only the owner destroys it.
unsafe impl Send for Event {}

impl Event {
    /// Records an event after all work that is in the stream now.
    pub fn record(context: Context, stream: sys::CUstream) -> Result<Arc<Self>, CudaError> {
        Event::record_as(context, stream, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// Records an event with a timestamp, as [`record`](Self::record).
    pub fn record_timed(context: Context, stream: sys::CUstream) -> Result<Arc<Self>, CudaError> {
        Event::record_as(context, stream, sys::CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn record_as(
        context: Context,
        stream: sys::CUstream,
        flags: sys::CUevent_flags,
    ) -> Result<Arc<Self>, CudaError> {
        let made = result::event::create(flags);
        let event = Event { event: check("cuEventCreate", made)?, context };
        // SAFETY: event and stream are alive and of the same context.
        check("cuEventRecord", unsafe { result::event::record(event.event, stream) })?;
        Ok(Arc::new(event))
    }

    pub fn is_done(&self) -> bool {
        // SAFETY: the event is alive.
        unsafe { result::event::query(self.event) }.is_ok()
    }

    /// Blocks the thread until the device was here.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.context.bind()?;
        // SAFETY: the event is alive.
        check("cuEventSynchronize", unsafe { result::event::synchronize(self.event) })
    }

    /// Returns the time between `begin` and this event, once it is complete. Both need timestamps.
    pub fn since(&self, begin: &Event) -> Result<Duration, CudaError> {
        self.wait()?;
        // SAFETY: both events are alive and were recorded.
        let passed = unsafe { result::event::elapsed(begin.event, self.event) };
        let milliseconds = check("cuEventElapsedTime", passed)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

// SAFETY: waiting and asking take the event by reference, and the driver is thread-safe.
unsafe impl Sync for Event {}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event has no other owner. The driver frees it once the device was there.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}

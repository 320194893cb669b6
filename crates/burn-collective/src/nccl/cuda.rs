//! The CUDA driver, as far as messages need it: memory, a stream, events.

use super::functions::{DevicePointer, Driver, Opaque};
use crate::TransportError;
use crate::load_error::load_error_text;
use libloading::Library;
use std::ffi::{CStr, c_int};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";
#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";

/// Streams do not wait for the default stream.
const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const NOT_READY: c_int = 600;

static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();

fn driver() -> Result<&'static Driver, String> {
    let load = || {
        // SAFETY: the initializers of the driver are sound.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|cause| {
            format!(
                "the CUDA driver cannot be loaded ({}). Run on a host with an NVIDIA GPU and its driver",
                load_error_text(&cause)
            )
        })?;
        let driver = Driver::load(&library).map_err(|name| {
            format!("the CUDA driver has no function {name}. Install a driver of CUDA 12 or newer")
        })?;
        // The driver stays in memory.
        core::mem::forget(library);
        Ok(driver)
    };
    DRIVER.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// A GPU, whose primary context this process shares with the backend.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    driver: &'static Driver,
    context: Opaque,
    /// Number of the GPU among those that the process sees.
    pub index: usize,
}

impl Gpu {
    /// # Errors
    /// When there is no driver or no such GPU, with a text that says what to do.
    pub fn open(index: usize) -> Result<Self, String> {
        let driver = driver()?;
        let (mut count, mut number, mut context) = (0, 0, 0);
        let check = |call: &str, code| check(driver, call, code).map_err(|error| text(&error));
        // SAFETY: the driver writes the values, and the context is never released.
        unsafe {
            check("cuInit", (driver.initialize)(0))?;
            check("cuDeviceGetCount", (driver.device_count)(&raw mut count))?;
            let is_there = c_int::try_from(index).is_ok_and(|index| index < count);
            if !is_there {
                return Err(format!(
                    "there is no GPU {index}: this process sees {count}. Start as many processes on a host as it has GPUs, and look at \
                     CUDA_VISIBLE_DEVICES"
                ));
            }
            check("cuDeviceGet", (driver.device_get)(&raw mut number, index as c_int))?;
            check("cuDevicePrimaryCtxRetain", (driver.context_retain)(&raw mut context, number))?;
        }
        Ok(Gpu { driver, context, index })
    }

    /// Makes calls of this thread go to the GPU.
    pub fn bind(&self) -> Result<(), TransportError> {
        // SAFETY: the context is retained for good.
        self.check("cuCtxSetCurrent", unsafe { (self.driver.context_set)(self.context) })
    }

    fn check(&self, call: &str, code: c_int) -> Result<(), TransportError> {
        check(self.driver, call, code)
    }

    pub fn stream(&self) -> Result<Opaque, TransportError> {
        let mut stream = 0;
        self.bind()?;
        // SAFETY: the driver writes the stream.
        self.check("cuStreamCreate", unsafe { (self.driver.stream_create)(&raw mut stream, NON_BLOCKING) })?;
        Ok(stream)
    }

    pub fn destroy_stream(&self, stream: Opaque) {
        if self.bind().is_ok() {
            // SAFETY: the stream was created by `stream`, and the driver frees it when its work is done.
            unsafe { (self.driver.stream_destroy)(stream) };
        }
    }

    /// Lets the work that comes to `stream` later wait for the event.
    pub fn wait_for(&self, stream: Opaque, event: &Event) -> Result<(), TransportError> {
        // SAFETY: both are alive.
        self.check("cuStreamWaitEvent", unsafe { (self.driver.stream_wait)(stream, event.event, 0) })
    }

    /// Records an event after the work that is in the stream now.
    pub fn record(&self, stream: Opaque) -> Result<Arc<Event>, TransportError> {
        let mut event = 0;
        self.bind()?;
        // SAFETY: the driver writes the event.
        self.check("cuEventCreate", unsafe { (self.driver.event_create)(&raw mut event, DISABLE_TIMING) })?;
        let event = Event { gpu: *self, event };
        // SAFETY: both are alive and of the same context.
        self.check("cuEventRecord", unsafe { (self.driver.event_record)(event.event, stream) })?;
        Ok(Arc::new(event))
    }

    /// Allocates memory in the order of the work of `stream`, which then is the only stream that may use it.
    /// A plain allocation would wait for all streams of the GPU, one of which may wait for another rank that
    /// waits for this one.
    pub fn allocate(&self, stream: Opaque, bytes: usize) -> Result<Memory, TransportError> {
        let mut pointer = 0;
        self.bind()?;
        // SAFETY: the driver writes the address; the stream is alive.
        let code = unsafe { (self.driver.memory_allocate)(&raw mut pointer, bytes.max(1), stream) };
        self.check("cuMemAllocAsync", code)?;
        Ok(Memory { gpu: *self, stream, pointer, bytes })
    }
}

fn check(driver: &Driver, call: &str, code: c_int) -> Result<(), TransportError> {
    if code == 0 {
        return Ok(());
    }
    let mut text = core::ptr::null();
    // SAFETY: the text is a constant of the driver, null for an unknown code.
    let text = unsafe {
        (driver.error_string)(code, &raw mut text);
        if text.is_null() { "unknown error".into() } else { CStr::from_ptr(text).to_string_lossy() }
    };
    Err(TransportError::Library(format!("{call}: {text} ({code})")))
}

/// Returns the text of an error of the driver.
pub fn text(error: &TransportError) -> String {
    match error {
        TransportError::Library(message) => message.clone(),
        TransportError::Timeout { .. }
        | TransportError::Ended { .. }
        | TransportError::Terminated { .. }
        | TransportError::Memory(_) => format!("{error:?}"),
    }
}

/// Point in the work of a stream.
#[derive(Debug)]
pub struct Event {
    gpu: Gpu,
    event: Opaque,
}

impl Event {
    pub fn is_done(&self) -> Result<bool, TransportError> {
        self.gpu.bind()?;
        // SAFETY: the event is alive.
        match unsafe { (self.gpu.driver.event_query)(self.event) } {
            NOT_READY => Ok(false),
            code => self.gpu.check("cuEventQuery", code).map(|()| true),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: nothing else has the event, which the driver frees when the stream has passed it.
            unsafe { (self.gpu.driver.event_destroy)(self.event) };
        }
    }
}

/// Memory of a GPU that is used in the order of a stream, which outlives it.
#[derive(Debug)]
pub struct Memory {
    gpu: Gpu,
    stream: Opaque,
    pub pointer: DevicePointer,
    pub bytes: usize,
}

impl Memory {
    /// Copies bytes of the host to `start`.
    pub fn write(&mut self, start: usize, bytes: &[u8]) -> Result<(), TransportError> {
        assert!(start + bytes.len() <= self.bytes, "the bytes are inside of the memory");
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu.bind()?;
        let to = self.pointer + start as u64;
        // SAFETY: the range was checked, and pageable bytes of the host are read before the call returns.
        let code = unsafe {
            (self.gpu.driver.memory_to_device)(to, bytes.as_ptr().cast(), bytes.len(), self.stream)
        };
        self.gpu.check("cuMemcpyHtoDAsync", code)
    }

    /// Copies bytes from `start` to the host.
    pub fn read(&self, start: usize, bytes: &mut [u8]) -> Result<(), TransportError> {
        assert!(start + bytes.len() <= self.bytes, "the bytes are inside of the memory");
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu.bind()?;
        let from = self.pointer + start as u64;
        // SAFETY: the range was checked, and the bytes are borrowed until the stream has written them.
        let code = unsafe {
            let to = bytes.as_mut_ptr().cast();
            match (self.gpu.driver.memory_to_host)(to, from, bytes.len(), self.stream) {
                0 => (self.gpu.driver.stream_synchronize)(self.stream),
                code => code,
            }
        };
        self.gpu.check("cuMemcpyDtoHAsync", code)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: nothing else has the memory, and the stream frees it after the work that uses it.
            unsafe { (self.gpu.driver.memory_free)(self.pointer, self.stream) };
        }
    }
}

/// Whether the time of a wait is over.
pub fn is_over(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

use super::descriptor::check;
use crate::CudaError;
use crate::driver::Context;
use cudarc::cudnn::sys;
use cudarc::driver::sys::CUstream;

/// The first version whose numbers of errors are those that we know.
const OLDEST: usize = 90_000;

/// A handle of the library, which one thread at a time may use.
#[derive(Debug)]
pub struct Session(sys::cudnnHandle_t);

// SAFETY: a handle may be used by any thread, by one at a time: only the owner has it.
unsafe impl Send for Session {}

impl Session {
    /// # Errors
    /// When the library cannot be loaded, is too old, or does not know the device.
    pub fn open(context: &Context) -> Result<Self, CudaError> {
        let failed = |cause| CudaError::Library { library: "cuDNN", call: "open", cause };
        // SAFETY: this loads the library, whose initialisers are sound.
        if !unsafe { sys::is_culib_present() } {
            return Err(failed("the library (libcudnn) cannot be loaded".to_string()));
        }
        let version = Self::version();
        if version < OLDEST {
            return Err(failed(format!("version {version} is too old, {OLDEST} is needed")));
        }
        context.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: a device is current, and the library writes a pointer.
        check("cudnnCreate", unsafe { sys::cudnnCreate(&raw mut handle) })?;
        Ok(Session(handle))
    }

    /// Returns the version of cuDNN, 91400 for 9.14.0.
    pub fn version() -> usize {
        // SAFETY: the call has no arguments.
        unsafe { sys::cudnnGetVersion() }
    }

    pub fn handle(&self) -> sys::cudnnHandle_t {
        self.0
    }

    /// Makes calls go into `stream`.
    ///
    /// # Safety
    /// The stream is alive, and of the device that is current.
    pub unsafe fn follow(&self, stream: CUstream) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        check("cudnnSetStream", unsafe { sys::cudnnSetStream(self.0, stream.cast()) })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: there is no other owner.
        let _ = unsafe { sys::cudnnDestroy(self.0) };
    }
}

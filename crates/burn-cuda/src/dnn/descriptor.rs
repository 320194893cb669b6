use crate::CudaError;
use cudarc::cudnn::sys::{
    self, cudnnBackendAttributeName_t as Name, cudnnBackendAttributeType_t as Type,
    cudnnBackendDescriptorType_t as Kind, cudnnStatus_t as Status,
};
use std::ffi::{CStr, c_void};

/// Converts a status into an error with the failed call and the library's message.
pub fn check(call: &'static str, status: Status) -> Result<(), CudaError> {
    if status == Status::CUDNN_STATUS_SUCCESS {
        return Ok(());
    }
    let mut text = [0_u8; 1024];
    // SAFETY: the library writes no more bytes, the last of them zero.
    unsafe { sys::cudnnGetLastErrorString(text.as_mut_ptr().cast(), text.len()) };
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
    let (library, cause) = ("cuDNN", format!("{status:?}: {text}"));
    Err(if is_passing(status as u32) {
        CudaError::Passing { library, call, cause }
    } else {
        CudaError::Library { library, call, cause }
    })
}

/// Whether a status says what is so now, and not what the library can do.
fn is_passing(status: u32) -> bool {
    // Not initialized, in progress, no memory on the host, none on the device; and calls of the driver that
    // failed.
    matches!(status, 1001 | 1006 | 4003 | 4004 | 5000..6000)
}

/// Type of an attribute value.
///
/// # Safety
/// The library's values of this type have the layout of `Self`.
pub unsafe trait AttributeValue: Copy {
    const TYPE: Type;
}

macro_rules! values {
    ($($type:ty => $name:ident,)*) => {
        // SAFETY: these are the types that the library's manual gives for the attributes.
        $(unsafe impl AttributeValue for $type {
            const TYPE: Type = Type::$name;
        })*
    };
}

values! {
    sys::cudnnHandle_t => CUDNN_TYPE_HANDLE,
    sys::cudnnDataType_t => CUDNN_TYPE_DATA_TYPE,
    bool => CUDNN_TYPE_BOOLEAN,
    i64 => CUDNN_TYPE_INT64,
    f32 => CUDNN_TYPE_FLOAT,
    *mut c_void => CUDNN_TYPE_VOID_PTR,
    sys::cudnnConvolutionMode_t => CUDNN_TYPE_CONVOLUTION_MODE,
    sys::cudnnBackendHeurMode_t => CUDNN_TYPE_HEUR_MODE,
    sys::cudnnPointwiseMode_t => CUDNN_TYPE_POINTWISE_MODE,
    sys::cudnnReduceTensorOp_t => CUDNN_TYPE_REDUCTION_OPERATOR_TYPE,
}

/// Descriptor of the library: it gets attributes, and is then finalized.
#[derive(Debug)]
pub struct Descriptor(sys::cudnnBackendDescriptor_t);

// SAFETY: descriptors belong to no thread; one that is finalized is only read.
unsafe impl Send for Descriptor {}
// SAFETY: as above; no method changes one through a reference.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    pub fn new(kind: Kind) -> Result<Self, CudaError> {
        let mut descriptor = std::ptr::null_mut();
        // SAFETY: the library writes a pointer.
        let status = unsafe { sys::cudnnBackendCreateDescriptor(kind, &raw mut descriptor) };
        check("cudnnBackendCreateDescriptor", status)?;
        Ok(Descriptor(descriptor))
    }

    pub fn with<V: AttributeValue>(self, name: Name, values: &[V]) -> Result<Self, CudaError> {
        // SAFETY: there are as many values, of the layout that the type says.
        unsafe { self.set(name, V::TYPE, values.len(), values.as_ptr().cast()) }
    }

    pub fn with_parts(self, name: Name, parts: &[&Descriptor]) -> Result<Self, CudaError> {
        let parts: Vec<_> = parts.iter().map(|part| part.0).collect();
        // SAFETY: there are as many descriptors, all alive.
        unsafe { self.set(name, Type::CUDNN_TYPE_BACKEND_DESCRIPTOR, parts.len(), parts.as_ptr().cast()) }
    }

    /// # Safety
    /// There are `count` values of the type.
    unsafe fn set(
        self,
        name: Name,
        of: Type,
        count: usize,
        values: *const c_void,
    ) -> Result<Self, CudaError> {
        // SAFETY: the caller's.
        let status = unsafe { sys::cudnnBackendSetAttribute(self.0, name, of, count as i64, values) };
        check("cudnnBackendSetAttribute", status)?;
        Ok(self)
    }

    pub fn finalized(self) -> Result<Self, CudaError> {
        // SAFETY: the descriptor is alive.
        check("cudnnBackendFinalize", unsafe { sys::cudnnBackendFinalize(self.0) })?;
        Ok(self)
    }

    /// Reads an integer attribute.
    pub fn number(&self, name: Name) -> Result<i64, CudaError> {
        let mut number = 0_i64;
        let of = Type::CUDNN_TYPE_INT64;
        let (mut count, to) = (0, (&raw mut number).cast());
        // SAFETY: there is room for one number.
        let status = unsafe { sys::cudnnBackendGetAttribute(self.0, name, of, 1, &raw mut count, to) };
        check("cudnnBackendGetAttribute", status)?;
        Ok(number)
    }

    /// Returns the numerical notes of an engine.
    pub fn notes(&self) -> Result<Vec<i32>, CudaError> {
        let mut notes = vec![0_i32; 32];
        let (name, of) = (Name::CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, Type::CUDNN_TYPE_NUMERICAL_NOTE);
        let (mut count, to, most) = (0, notes.as_mut_ptr().cast(), notes.len() as i64);
        // SAFETY: there is room for so many; integers, since other versions of the library know other notes.
        let status = unsafe { sys::cudnnBackendGetAttribute(self.0, name, of, most, &raw mut count, to) };
        check("cudnnBackendGetAttribute", status)?;
        notes.truncate(count as usize);
        Ok(notes)
    }

    /// Reads at most `most` descriptors of an attribute.
    pub fn parts(&self, name: Name, kind: Kind, most: usize) -> Result<Vec<Descriptor>, CudaError> {
        let mut parts: Vec<_> = (0..most).map(|_| Descriptor::new(kind)).collect::<Result<_, _>>()?;
        let mut raw: Vec<_> = parts.iter().map(|part| part.0).collect();
        let of = Type::CUDNN_TYPE_BACKEND_DESCRIPTOR;
        let (mut count, to) = (0, raw.as_mut_ptr().cast());
        // SAFETY: the library fills descriptors that were made for it, and has no room for more.
        let status =
            unsafe { sys::cudnnBackendGetAttribute(self.0, name, of, most as i64, &raw mut count, to) };
        check("cudnnBackendGetAttribute", status)?;
        parts.truncate(count as usize);
        Ok(parts)
    }

    /// Puts a plan into the stream of the handle.
    ///
    /// # Safety
    /// `self` is a plan, and `pack` has addresses on the device for all that it reads and writes.
    pub unsafe fn execute(&self, handle: sys::cudnnHandle_t, pack: &Descriptor) -> Result<(), CudaError> {
        // SAFETY: the caller's.
        check("cudnnBackendExecute", unsafe { sys::cudnnBackendExecute(handle, self.0, pack.0) })
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: there is no other owner; a descriptor made from it has its own reference.
        let _ = unsafe { sys::cudnnBackendDestroyDescriptor(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::{Status, is_passing};

    #[test]
    fn want_of_memory_passes_and_want_of_an_engine_stays() {
        let passing = [
            Status::CUDNN_STATUS_NOT_INITIALIZED,
            Status::CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED,
            Status::CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
            Status::CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER,
        ];
        assert!(passing.iter().all(|&status| is_passing(status as u32)));
        let staying = [
            Status::CUDNN_STATUS_BAD_PARAM,
            Status::CUDNN_STATUS_NOT_SUPPORTED,
            Status::CUDNN_STATUS_NOT_SUPPORTED_SHAPE,
            Status::CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED,
        ];
        assert!(!staying.iter().any(|&status| is_passing(status as u32)));
    }
}

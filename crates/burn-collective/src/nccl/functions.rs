//! Functions of the CUDA driver and of NCCL, looked up by name.

use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Pointer that a library gave: a context, stream, event or communicator.
pub type Opaque = usize;
/// Address in the memory of a device.
pub type DevicePointer = u64;
type Out<T> = *mut T;

/// Bytes by which ranks find each other.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UniqueId(pub [u8; 128]);

macro_rules! functions {
    ($table:ident: $($name:ident = $symbol:literal ($($argument:ty),*) -> $result:ty;)*) => {
        /// Functions of the library.
        #[derive(Clone, Copy, Debug)]
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl $table {
            /// Looks up all functions.
            ///
            /// # Errors
            /// With the name of a function that the library lacks.
            pub fn load(library: &Library) -> Result<Self, &'static str> {
                Ok($table {
                    // SAFETY: the types are those of the library's headers.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }.map_err(|_missing| $symbol)?,)*
                })
            }
        }
    };
}

functions! { Driver:
    context_set = "cuCtxSetCurrent" (Opaque) -> c_int;
    context_retain = "cuDevicePrimaryCtxRetain" (Out<Opaque>, c_int) -> c_int;
    device_count = "cuDeviceGetCount" (Out<c_int>) -> c_int;
    device_get = "cuDeviceGet" (Out<c_int>, c_int) -> c_int;
    error_string = "cuGetErrorString" (c_int, Out<*const c_char>) -> c_int;
    event_create = "cuEventCreate" (Out<Opaque>, c_uint) -> c_int;
    event_destroy = "cuEventDestroy_v2" (Opaque) -> c_int;
    event_query = "cuEventQuery" (Opaque) -> c_int;
    event_record = "cuEventRecord" (Opaque, Opaque) -> c_int;
    initialize = "cuInit" (c_uint) -> c_int;
    memory_allocate = "cuMemAllocAsync" (Out<DevicePointer>, usize, Opaque) -> c_int;
    memory_free = "cuMemFreeAsync" (DevicePointer, Opaque) -> c_int;
    memory_to_device = "cuMemcpyHtoDAsync_v2" (DevicePointer, *const c_void, usize, Opaque) -> c_int;
    memory_to_host = "cuMemcpyDtoHAsync_v2" (*mut c_void, DevicePointer, usize, Opaque) -> c_int;
    stream_create = "cuStreamCreate" (Out<Opaque>, c_uint) -> c_int;
    stream_destroy = "cuStreamDestroy_v2" (Opaque) -> c_int;
    stream_synchronize = "cuStreamSynchronize" (Opaque) -> c_int;
    stream_wait = "cuStreamWaitEvent" (Opaque, Opaque, c_uint) -> c_int;
}

functions! { NcclFunctions:
    all_gather = "ncclAllGather" (DevicePointer, DevicePointer, usize, c_int, Opaque, Opaque) -> c_int;
    all_reduce = "ncclAllReduce" (DevicePointer, DevicePointer, usize, c_int, c_int, Opaque, Opaque) -> c_int;
    broadcast = "ncclBroadcast" (DevicePointer, DevicePointer, usize, c_int, c_int, Opaque, Opaque) -> c_int;
    comm_abort = "ncclCommAbort" (Opaque) -> c_int;
    comm_destroy = "ncclCommDestroy" (Opaque) -> c_int;
    comm_get_async_error = "ncclCommGetAsyncError" (Opaque, Out<c_int>) -> c_int;
    comm_init_rank = "ncclCommInitRank" (Out<Opaque>, c_int, UniqueId, c_int) -> c_int;
    comm_split = "ncclCommSplit" (Opaque, c_int, c_int, Out<Opaque>, *const c_void) -> c_int;
    get_error_string = "ncclGetErrorString" (c_int) -> *const c_char;
    get_last_error = "ncclGetLastError" (Opaque) -> *const c_char;
    get_unique_id = "ncclGetUniqueId" (Out<UniqueId>) -> c_int;
    get_version = "ncclGetVersion" (Out<c_int>) -> c_int;
    group_end = "ncclGroupEnd" () -> c_int;
    group_start = "ncclGroupStart" () -> c_int;
    receive = "ncclRecv" (DevicePointer, usize, c_int, c_int, Opaque, Opaque) -> c_int;
    reduce_scatter = "ncclReduceScatter" (DevicePointer, DevicePointer, usize, c_int, c_int, Opaque, Opaque) -> c_int;
    send = "ncclSend" (DevicePointer, usize, c_int, c_int, Opaque, Opaque) -> c_int;
}

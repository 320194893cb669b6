//! Constants of the two families of MPI libraries, whose handles and numbers differ.

use libloading::os::unix::Library;
use std::ffi::{c_int, c_void};

/// Handle of a communicator, datatype, error handler or request. Open MPI's are pointers; those of MPICH are
/// 32-bit integers, which travel in the same registers.
pub type Handle = usize;

/// Constants that MPI's headers define.
#[derive(Clone, Copy, Debug)]
pub struct Abi {
    pub name: &'static str,
    pub comm_world: Handle,
    pub byte: Handle,
    pub errors_return: Handle,
    pub request_null: Handle,
    pub status_ignore: *mut c_void,
    /// Attribute of the greatest tag.
    pub tag_upper_bound: c_int,
}

// SAFETY: `status_ignore` is a constant that nothing reads through.
unsafe impl Send for Abi {}
// SAFETY: as above.
unsafe impl Sync for Abi {}

impl Abi {
    /// Returns the constants of Open MPI: addresses of its symbols.
    ///
    /// Returns `None` if the library is another one.
    pub fn open_mpi(library: &Library) -> Option<Self> {
        let address = |symbol: &str| {
            // SAFETY: the address of the symbol is taken, and what is there is not read.
            unsafe { library.get::<*mut c_void>(symbol.as_bytes()) }
                .ok()
                .map(|symbol| symbol.into_raw() as Handle)
        };
        Some(Abi {
            name: "Open MPI",
            comm_world: address("ompi_mpi_comm_world")?,
            byte: address("ompi_mpi_byte")?,
            errors_return: address("ompi_mpi_errors_return")?,
            request_null: address("ompi_request_null")?,
            status_ignore: core::ptr::null_mut(),
            tag_upper_bound: 0,
        })
    }

    /// Returns the constants of MPICH and of those that share its ABI: Intel MPI, MVAPICH, Cray MPICH.
    pub fn mpich() -> Self {
        Abi {
            name: "MPICH",
            comm_world: 0x4400_0000,
            byte: 0x4c00_010d,
            errors_return: 0x5400_0001,
            request_null: 0x2c00_0000,
            status_ignore: core::ptr::without_provenance_mut(1),
            tag_upper_bound: 0x6440_0001,
        }
    }
}

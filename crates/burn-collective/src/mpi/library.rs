//! Calls of the MPI library, one at a time.

use crate::TransportError;
use mpi::environment::{Universe, library_version};
use mpi::ffi::{self, MPI_Comm, MPI_Request};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The library of this process, which is closed when the last communicator of it is gone.
pub struct Library {
    universe: Mutex<ManuallyDrop<Universe>>,
    /// The library is opened for calls of any thread, one at a time.
    calls: Mutex<()>,
    /// Whether messages of this process were not taken: closing the library would wait for that forever.
    is_stuck: Mutex<bool>,
}

/// A handle of the library, which any thread may use.
#[derive(Clone, Copy, Debug)]
pub struct Handle<T>(pub T);

// SAFETY: the library is opened at the level `MPI_THREAD_SERIALIZED`, by which handles belong to the process, and
// `Library::lock` serializes the calls.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<T> {}

impl core::fmt::Debug for Library {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let version = library_version().unwrap_or_default();
        f.debug_struct("Library").field("version", &version.trim_end_matches('\0')).finish_non_exhaustive()
    }
}

impl Library {
    pub fn new(universe: Universe) -> Self {
        Library {
            universe: Mutex::new(ManuallyDrop::new(universe)),
            calls: Mutex::new(()),
            is_stuck: Mutex::new(false),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_stuck(&self) {
        *self.is_stuck.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if *self.is_stuck.get_mut().unwrap_or_else(PoisonError::into_inner) {
            return;
        }
        let universe = self.universe.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: this is the only place that drops it, and nothing uses it after.
        unsafe { ManuallyDrop::drop(universe) };
    }
}

/// Returns the error of a call that did not succeed.
pub fn check(call: &str, code: c_int) -> Result<(), TransportError> {
    if code == 0 {
        return Ok(());
    }
    let mut text = [0_u8; 2048];
    let mut length: c_int = 0;
    // SAFETY: the buffer is longer than `MPI_MAX_ERROR_STRING`, which is 256 to 1024 in the known libraries.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut length) };
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    Err(TransportError::Library(format!("{call}: {}", String::from_utf8_lossy(&text[..length]))))
}

/// Makes errors of calls on `comm` return, in place of ending the process.
pub fn return_errors(comm: MPI_Comm) -> Result<(), TransportError> {
    // SAFETY: `comm` is a communicator that is open.
    check("MPI_Comm_set_errhandler", unsafe { ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN) })
}

pub fn rank_and_size(comm: MPI_Comm) -> Result<(usize, usize), TransportError> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: `comm` is a communicator that is open.
    unsafe {
        check("MPI_Comm_rank", ffi::MPI_Comm_rank(comm, &raw mut rank))?;
        check("MPI_Comm_size", ffi::MPI_Comm_size(comm, &raw mut size))?;
    }
    Ok((usize::try_from(rank).unwrap_or(0), usize::try_from(size).unwrap_or(1)))
}

/// Begins to send bytes.
///
/// # Safety
/// The bytes stay where they are until the request is complete.
pub unsafe fn send(
    comm: MPI_Comm,
    bytes: &[u8],
    to: usize,
    tag: c_int,
) -> Result<Handle<MPI_Request>, TransportError> {
    // SAFETY: a null request of the library.
    let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
    // SAFETY: the caller keeps the bytes, which the library reads.
    let code = unsafe {
        ffi::MPI_Isend(
            bytes.as_ptr().cast::<c_void>(),
            bytes.len() as c_int,
            ffi::RSMPI_UINT8_T,
            to as c_int,
            tag,
            comm,
            &raw mut request,
        )
    };
    check("MPI_Isend", code).map(|()| Handle(request))
}

/// Begins to receive bytes.
///
/// # Safety
/// The bytes stay where they are, unread, until the request is complete.
pub unsafe fn receive(
    comm: MPI_Comm,
    bytes: &mut [u8],
    from: usize,
    tag: c_int,
) -> Result<Handle<MPI_Request>, TransportError> {
    // SAFETY: a null request of the library.
    let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
    // SAFETY: the caller keeps the bytes, which the library writes.
    let code = unsafe {
        ffi::MPI_Irecv(
            bytes.as_mut_ptr().cast::<c_void>(),
            bytes.len() as c_int,
            ffi::RSMPI_UINT8_T,
            from as c_int,
            tag,
            comm,
            &raw mut request,
        )
    };
    check("MPI_Irecv", code).map(|()| Handle(request))
}

/// Returns whether a request is complete.
pub fn is_complete(request: &mut Handle<MPI_Request>) -> Result<bool, TransportError> {
    let mut flag = 0;
    // SAFETY: the request is one of the library, which makes it null when it is complete.
    let code = unsafe { ffi::MPI_Test(&raw mut request.0, &raw mut flag, ffi::RSMPI_STATUS_IGNORE) };
    check("MPI_Test", code).map(|()| flag != 0)
}

/// Receives a message of `from` that has arrived; `None` if there is none.
pub fn arrived(
    comm: MPI_Comm,
    from: usize,
    tag: c_int,
    longest: usize,
) -> Result<Option<Vec<u8>>, TransportError> {
    let (mut flag, mut count) = (0, 0);
    let mut status = core::mem::MaybeUninit::<ffi::MPI_Status>::zeroed();
    // SAFETY: the library writes the status when the flag is set, and only then it is read.
    unsafe {
        let code = ffi::MPI_Iprobe(from as c_int, tag, comm, &raw mut flag, status.as_mut_ptr());
        check("MPI_Iprobe", code)?;
        if flag == 0 {
            return Ok(None);
        }
        check("MPI_Get_count", ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &raw mut count))?;
    }
    let length = usize::try_from(count).unwrap_or(usize::MAX);
    if length > longest {
        return Err(TransportError::Library(format!(
            "rank {from} sent a message of {length} bytes; expected at most {longest}"
        )));
    }
    let mut bytes = vec![0; length];
    // SAFETY: the message is there, so the call does not wait, and it has as many bytes as the buffer.
    let code = unsafe {
        ffi::MPI_Recv(
            bytes.as_mut_ptr().cast::<c_void>(),
            count,
            ffi::RSMPI_UINT8_T,
            from as c_int,
            tag,
            comm,
            ffi::RSMPI_STATUS_IGNORE,
        )
    };
    check("MPI_Recv", code).map(|()| Some(bytes))
}

/// Copies a communicator, so that messages on the copy meet no others.
pub fn duplicate(comm: MPI_Comm) -> Result<MPI_Comm, TransportError> {
    // SAFETY: a null communicator of the library.
    let mut copy = unsafe { ffi::RSMPI_COMM_NULL };
    // SAFETY: `comm` is a communicator that is open; all ranks call this.
    check("MPI_Comm_dup", unsafe { ffi::MPI_Comm_dup(comm, &raw mut copy) })?;
    Ok(copy)
}

/// Makes communicators of the ranks of each color, in the order of `key`; `None` for a rank without a color.
pub fn split(comm: MPI_Comm, color: Option<usize>, key: usize) -> Result<Option<MPI_Comm>, TransportError> {
    // SAFETY: a null communicator of the library.
    let mut part = unsafe { ffi::RSMPI_COMM_NULL };
    // SAFETY: `comm` is a communicator that is open; all ranks call this.
    let code = unsafe {
        let color = color.map_or(ffi::RSMPI_UNDEFINED, |color| color as c_int);
        ffi::MPI_Comm_split(comm, color, key as c_int, &raw mut part)
    };
    check("MPI_Comm_split", code)?;
    Ok(color.map(|_| part))
}

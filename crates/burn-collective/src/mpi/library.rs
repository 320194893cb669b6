//! An MPI library that is loaded at run time, and its calls, one at a time.

use super::abi::{Abi, Handle};
use super::functions::Functions;
use super::single_copy;
use crate::TransportError;
use crate::load_error::load_error_text;
use libloading::os::unix::{self, RTLD_GLOBAL, RTLD_NOW};
use std::env;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Variable with the path of the library.
pub const LIBRARY_VARIABLE: &str = "BURN_MPI_LIBRARY";

/// Level of MPI at which any thread may call, one at a time.
const THREAD_SERIALIZED: c_int = 2;
/// Bytes that hold the status of every library, and its longest texts.
const STATUS_WORDS: usize = 8;
const TEXT_BYTES: usize = 8192;

const OPEN_MPI: [&str; 2] = ["libmpi.so.40", "libmpi.40.dylib"];
const MPICH: [&str; 4] = ["libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.12.dylib"];
const ANY: [&str; 2] = ["libmpi.so", "libmpi.dylib"];

/// The library of this process. It is closed when the last communicator of it is dropped.
#[derive(Debug)]
pub struct Library {
    functions: Functions,
    abi: Abi,
    /// The library is opened for calls of any thread, one at a time.
    calls: Mutex<()>,
    /// Whether a message of this process was not received: closing the library would wait for it without end.
    is_stuck: AtomicBool,
    /// Number of the next group, by which messages of groups differ.
    pub next_group: AtomicUsize,
}

/// Status of a message.
#[repr(C, align(8))]
struct Status([u64; STATUS_WORDS]);

impl Library {
    /// Loads and initializes the library.
    ///
    /// # Errors
    /// With a text that says what to do.
    pub fn open() -> Result<Self, String> {
        let loaded = load()?;
        let functions = Functions::load(&loaded).map_err(|name| {
            format!("the MPI library has no function {name}. Install Open MPI 4 or MPICH 3, or newer")
        })?;
        let abi = match Abi::open_mpi(&loaded) {
            Some(abi) => abi,
            None => mpich_abi(&functions)?,
        };
        // The library stays in memory: threads of its own may run after it was closed.
        core::mem::forget(loaded);
        let library = Library {
            functions,
            abi,
            calls: Mutex::new(()),
            is_stuck: AtomicBool::new(true),
            next_group: AtomicUsize::new(1),
        };
        single_copy::turn_off_where_refused();
        library.initialize()?;
        Ok(library)
    }

    fn initialize(&self) -> Result<(), String> {
        let (mut flag, mut level) = (0, 0);
        // SAFETY: the function may be called before the library is initialized, and writes the flag.
        unsafe { (self.functions.initialized)(&raw mut flag) };
        if flag != 0 {
            return Err("the MPI library was initialized before in this process. Call `Mpi::init` once, and clone the communicator".into());
        }
        let none = core::ptr::null_mut();
        // SAFETY: the library is not initialized; without arguments of the program.
        let code = unsafe {
            (self.functions.init_thread)(core::ptr::null_mut(), none, THREAD_SERIALIZED, &raw mut level)
        };
        self.check("MPI_Init_thread", code).map_err(|error| format!("{error:?}"))?;
        self.is_stuck.store(false, Ordering::SeqCst);
        if level < THREAD_SERIALIZED {
            return Err(
                "the MPI library does not let several threads call it. Use one that was built with threads"
                    .into(),
            );
        }
        Ok(())
    }

    pub fn name(&self) -> &'static str {
        self.abi.name
    }

    pub fn lock(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the library open when the program ends, as closing it would wait for ranks that do not answer.
    pub fn set_stuck(&self) {
        self.is_stuck.store(true, Ordering::SeqCst);
    }

    /// Returns the error of a call that did not succeed.
    fn check(&self, call: &str, code: c_int) -> Result<(), TransportError> {
        if code == 0 {
            return Ok(());
        }
        let (mut text, mut length) = ([0_u8; TEXT_BYTES], 0);
        // SAFETY: the buffer is longer than `MPI_MAX_ERROR_STRING` of the known libraries, at most 1024.
        unsafe { (self.functions.error_string)(code, text.as_mut_ptr().cast(), &raw mut length) };
        Err(TransportError::Library(format!("{call}: {}", text_of(&text, length))))
    }

    /// Copies the communicator of all processes, whose messages meet no others and whose errors return.
    pub fn world(&self) -> Result<Handle, TransportError> {
        let mut comm = 0;
        // SAFETY: the library is initialized, and all ranks call this.
        unsafe {
            self.check("MPI_Comm_dup", (self.functions.comm_dup)(self.abi.comm_world, &raw mut comm))?;
            let code = (self.functions.comm_set_errhandler)(comm, self.abi.errors_return);
            self.check("MPI_Comm_set_errhandler", code)?;
        }
        Ok(comm)
    }

    pub fn rank_and_size(&self, comm: Handle) -> Result<(usize, usize), TransportError> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `comm` is a communicator that is open.
        unsafe {
            self.check("MPI_Comm_rank", (self.functions.comm_rank)(comm, &raw mut rank))?;
            self.check("MPI_Comm_size", (self.functions.comm_size)(comm, &raw mut size))?;
        }
        Ok((usize::try_from(rank).unwrap_or(0), usize::try_from(size).unwrap_or(1)))
    }

    /// Returns the greatest tag of a message.
    pub fn greatest_tag(&self, comm: Handle) -> c_int {
        let (mut value, mut flag) = (core::ptr::null_mut::<c_int>(), 0);
        // SAFETY: the attribute is a pointer to an int, when there is one.
        unsafe {
            (self.functions.comm_get_attr)(comm, self.abi.tag_upper_bound, &raw mut value, &raw mut flag);
            // The standard's least value.
            if flag == 0 || value.is_null() { 32767 } else { *value }
        }
    }

    /// Begins to send bytes.
    ///
    /// # Safety
    /// The bytes stay where they are until the request is complete.
    pub unsafe fn send(
        &self,
        comm: Handle,
        bytes: &[u8],
        to: usize,
        tag: c_int,
    ) -> Result<Handle, TransportError> {
        let (mut request, data, count) = (self.abi.request_null, bytes.as_ptr().cast(), bytes.len() as c_int);
        // SAFETY: the caller keeps the bytes, which the library reads.
        let code = unsafe {
            (self.functions.isend)(data, count, self.abi.byte, to as c_int, tag, comm, &raw mut request)
        };
        self.check("MPI_Isend", code).map(|()| request)
    }

    /// Begins to receive bytes.
    ///
    /// # Safety
    /// The bytes stay where they are, unread, until the request is complete.
    pub unsafe fn receive(
        &self,
        comm: Handle,
        bytes: &mut [u8],
        from: usize,
        tag: c_int,
    ) -> Result<Handle, TransportError> {
        let (mut request, count) = (self.abi.request_null, bytes.len() as c_int);
        let data = bytes.as_mut_ptr().cast();
        // SAFETY: the caller keeps the bytes, which the library writes.
        let code = unsafe {
            (self.functions.irecv)(data, count, self.abi.byte, from as c_int, tag, comm, &raw mut request)
        };
        self.check("MPI_Irecv", code).map(|()| request)
    }

    /// Returns whether a request is complete.
    pub fn is_complete(&self, request: &mut Handle) -> Result<bool, TransportError> {
        let mut flag = 0;
        // SAFETY: the request is one of the library, which makes it null when it is complete.
        let code = unsafe { (self.functions.test)(request, &raw mut flag, self.abi.status_ignore) };
        self.check("MPI_Test", code).map(|()| flag != 0)
    }

    /// Receives a message of `from` that has arrived; `None` if there is none.
    pub fn arrived(
        &self,
        comm: Handle,
        from: usize,
        tag: c_int,
        longest: usize,
    ) -> Result<Option<Vec<u8>>, TransportError> {
        let (mut flag, mut count, mut status) = (0, 0, Status([0; STATUS_WORDS]));
        let status = (&raw mut status).cast::<c_void>();
        // SAFETY: the status is larger than that of every library, which writes it before it is read.
        unsafe {
            let code = (self.functions.iprobe)(from as c_int, tag, comm, &raw mut flag, status);
            self.check("MPI_Iprobe", code)?;
            if flag == 0 {
                return Ok(None);
            }
            self.check("MPI_Get_count", (self.functions.get_count)(status, self.abi.byte, &raw mut count))?;
        }
        let length = usize::try_from(count).unwrap_or(usize::MAX);
        if length > longest {
            return Err(TransportError::Library(format!(
                "rank {from} sent a message of {length} bytes; expected at most {longest}"
            )));
        }
        let (mut bytes, ignore) = (vec![0_u8; length], self.abi.status_ignore);
        let data = bytes.as_mut_ptr().cast();
        // SAFETY: the message is there, so the call does not wait, and it has as many bytes as the buffer.
        let code =
            unsafe { (self.functions.recv)(data, count, self.abi.byte, from as c_int, tag, comm, ignore) };
        self.check("MPI_Recv", code).map(|()| Some(bytes))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if !*self.is_stuck.get_mut() {
            // SAFETY: the library is initialized, and nothing calls it after.
            unsafe { (self.functions.finalize)() };
        }
    }
}

fn text_of(text: &[u8], length: c_int) -> String {
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    String::from_utf8_lossy(&text[..length]).trim_end_matches(['\0', '\n']).to_string()
}

/// Loads the library that the variable names, or that of the launcher, or any.
fn load() -> Result<unix::Library, String> {
    // Components that Open MPI loads look for its symbols among the global ones.
    let open = |path: &Path| {
        // SAFETY: the initializers of an MPI library are those of a library that programs link, so they are
        // sound in any process.
        unsafe { unix::Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }
            .map_err(|error| load_error_text(&error))
    };
    if let Some(path) = env::var_os(LIBRARY_VARIABLE) {
        let path = Path::new(&path);
        return open(path)
            .map_err(|cause| format!("{LIBRARY_VARIABLE}: {cause}. Set it to the path of libmpi.so"));
    }
    // The process manager of MPICH sets this one.
    let is_mpich = env::var_os("PMI_RANK").is_some() && env::var_os("OMPI_COMM_WORLD_RANK").is_none();
    let names: Vec<&str> = if is_mpich {
        MPICH.into_iter().chain(ANY).collect()
    } else {
        OPEN_MPI.into_iter().chain(MPICH).chain(ANY).collect()
    };
    let mut causes = Vec::new();
    for name in names {
        match open(Path::new(name)) {
            Ok(library) => return Ok(library),
            Err(cause) => causes.push(cause),
        }
    }
    let cause = causes.first().map_or("", String::as_str);
    Err(format!(
        "no MPI library can be loaded ({cause}). Install one (`apt-get install openmpi-bin`), or set {LIBRARY_VARIABLE} to the \
         path of libmpi.so"
    ))
}

/// Returns the constants of MPICH for a library that is not Open MPI.
fn mpich_abi(functions: &Functions) -> Result<Abi, String> {
    let (mut text, mut length) = (vec![0_u8; TEXT_BYTES], 0);
    // SAFETY: the buffer is as long as `MPI_MAX_LIBRARY_VERSION_STRING`; the call may come before the library
    // is initialized.
    unsafe { (functions.get_library_version)(text.as_mut_ptr().cast(), &raw mut length) };
    let version = text_of(&text, length);
    let known = ["MPICH", "Intel(R) MPI", "MVAPICH", "CRAY"];
    if known.into_iter().any(|name| version.to_uppercase().contains(&name.to_uppercase())) {
        return Ok(Abi::mpich());
    }
    Err(format!(
        "the MPI library is neither Open MPI nor of the MPICH family, but: {version}. Set {LIBRARY_VARIABLE} to the libmpi.so of one"
    ))
}

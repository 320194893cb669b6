//! Functions of an MPI library, looked up by name.

use super::abi::Handle;
use libloading::os::unix::Library;
use std::ffi::{c_char, c_int, c_void};

/// Declares the table of functions and how it is loaded.
macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// Functions of the library, which return an error code.
        #[derive(Clone, Copy, Debug)]
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            /// Looks up all functions.
            ///
            /// # Errors
            /// With the name of a function that the library lacks.
            pub fn load(library: &Library) -> Result<Self, &'static str> {
                Ok(Functions {
                    // SAFETY: the types are those of the MPI standard.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }.map_err(|_missing| $symbol)?,)*
                })
            }
        }
    };
}

type Out<T> = *mut T;

functions! {
    comm_dup = "MPI_Comm_dup" (Handle, Out<Handle>);
    comm_get_attr = "MPI_Comm_get_attr" (Handle, c_int, Out<*mut c_int>, Out<c_int>);
    comm_rank = "MPI_Comm_rank" (Handle, Out<c_int>);
    comm_set_errhandler = "MPI_Comm_set_errhandler" (Handle, Handle);
    comm_size = "MPI_Comm_size" (Handle, Out<c_int>);
    error_string = "MPI_Error_string" (c_int, Out<c_char>, Out<c_int>);
    finalize = "MPI_Finalize" ();
    get_count = "MPI_Get_count" (*const c_void, Handle, Out<c_int>);
    get_library_version = "MPI_Get_library_version" (Out<c_char>, Out<c_int>);
    init_thread = "MPI_Init_thread" (Out<c_int>, Out<*mut *mut c_char>, c_int, Out<c_int>);
    initialized = "MPI_Initialized" (Out<c_int>);
    iprobe = "MPI_Iprobe" (c_int, c_int, Handle, Out<c_int>, *mut c_void);
    irecv = "MPI_Irecv" (*mut c_void, c_int, Handle, c_int, c_int, Handle, Out<Handle>);
    isend = "MPI_Isend" (*const c_void, c_int, Handle, c_int, c_int, Handle, Out<Handle>);
    recv = "MPI_Recv" (*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut c_void);
    test = "MPI_Test" (Out<Handle>, Out<c_int>, *mut c_void);
}

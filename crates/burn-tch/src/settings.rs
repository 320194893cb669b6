//! Settings of LibTorch for the process.

use std::ffi::c_void;
use std::sync::Once;

// Functions of C++ of LibTorch's `ATen/Context.h`, of which there are no others: `at::globalContext()`, and
// two methods of `at::Context`.
unsafe extern "C" {
    #[link_name = "_ZN2at13globalContextEv"]
    safe fn context() -> *mut c_void;
    #[link_name = "_ZN2at7Context17setAllowTF32CuDNNEb"]
    fn set_allow_tf32_cudnn(context: *mut c_void, is_allowed: bool);
    #[link_name = "_ZN2at7Context21setDeterministicCuDNNEb"]
    fn set_deterministic_cudnn(context: *mut c_void, is_deterministic: bool);
}

/// Makes LibTorch take as many threads as the thread pool of the process, which `RAYON_NUM_THREADS` sets; and
/// the convolutions of a GPU round nothing to TF32 and add in one order, those of backward passes too, which
/// can't be an argument of the call.
pub fn set() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tch::set_num_threads(i32::try_from(rayon::current_num_threads()).unwrap_or(i32::MAX));
        let context = context();
        // SAFETY: the context of the process lives as long as the process.
        unsafe {
            set_allow_tf32_cudnn(context, false);
            set_deterministic_cudnn(context, true);
        }
    });
}

//! Functions of LibTorch's part for NVIDIA's GPUs, declared in
//! `torch/csrc/inductor/aoti_torch/generated/c_shim_cuda.h`. They have numbers among their results, so that
//! they can't be called by name; and a LibTorch for processors lacks them, so that they are looked up.

use libloading::Library;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::LazyLock;
use tch::{TchError, Tensor};

type Handle = *mut c_void;

/// Three operands, the share of weights that is dropped out, whether keys after a query are hidden, whether
/// its mask of what is dropped out is asked for, the scale, and the positions of nine results.
type Flash = unsafe extern "C" fn(
    Handle,
    Handle,
    Handle,
    f64,
    i32,
    i32,
    *const f64,
    *mut Handle,
    *mut Handle,
    *mut Handle,
    *mut Handle,
    *mut i64,
    *mut i64,
    *mut Handle,
    *mut Handle,
    *mut Handle,
) -> c_int;

/// As [`Flash`], with an optional bias and whether the logarithms of the sums are asked for after the
/// operands.
type Cudnn = unsafe extern "C" fn(
    Handle,
    Handle,
    Handle,
    *const Handle,
    i32,
    f64,
    i32,
    i32,
    *const f64,
    *mut Handle,
    *mut Handle,
    *mut Handle,
    *mut Handle,
    *mut i64,
    *mut i64,
    *mut Handle,
    *mut Handle,
    *mut Handle,
) -> c_int;

/// The functions, found in the libraries of the process.
#[derive(Clone, Copy)]
pub struct Functions {
    flash: Flash,
    cudnn: Cudnn,
}

static FUNCTIONS: LazyLock<Option<Functions>> = LazyLock::new(|| {
    #[cfg(unix)]
    let library = Library::from(libloading::os::unix::Library::this());
    #[cfg(windows)]
    let library = Library::from(libloading::os::windows::Library::this().ok()?);
    // SAFETY: the functions have these types, and the libraries of the process stay.
    unsafe {
        Some(Functions {
            flash: *library.get(b"aoti_torch_cuda__scaled_dot_product_flash_attention\0").ok()?,
            cudnn: *library.get(b"aoti_torch_cuda__scaled_dot_product_cudnn_attention\0").ok()?,
        })
    }
});

/// The results of a function: of nine, the first two are asked for, and the fifth and sixth are numbers.
struct Results {
    tensors: [Handle; 7],
    numbers: [i64; 2],
}

impl Functions {
    /// Those of the process, if LibTorch was built for NVIDIA's GPUs.
    pub fn find() -> Option<Self> {
        *FUNCTIONS
    }

    /// Attention by FlashAttention, and the logarithms of the sums.
    ///
    /// # Errors
    /// When the kernel fails, whose cause LibTorch prints.
    pub fn flash(
        self,
        [query, key, value]: [&Tensor; 3],
        causal: bool,
        scale: f64,
    ) -> Result<(Tensor, Tensor), TchError> {
        let [query, key, value] = [query, key, value].map(handle);
        Results::of("flash attention", |Results { tensors: [a, b, c, d, g, h, i], numbers: [e, f] }| {
            // SAFETY: operands are alive, and `results` has a slot for each result.
            unsafe {
                (self.flash)(query, key, value, 0.0, causal.into(), 0, &scale, a, b, c, d, e, f, g, h, i)
            }
        })
    }

    /// Attention by cuDNN, and the logarithms of the sums with a dimension of one after.
    ///
    /// # Errors
    /// As [`flash`](Self::flash).
    pub fn cudnn(
        self,
        [query, key, value]: [&Tensor; 3],
        causal: bool,
        scale: f64,
    ) -> Result<(Tensor, Tensor), TchError> {
        let [query, key, value] = [query, key, value].map(handle);
        let no_bias = std::ptr::null();
        Results::of("cuDNN's attention", |Results { tensors: [a, b, c, d, g, h, i], numbers: [e, f] }| {
            // SAFETY: as in `flash`.
            unsafe {
                (self.cudnn)(
                    query,
                    key,
                    value,
                    no_bias,
                    1,
                    0.0,
                    causal.into(),
                    0,
                    &scale,
                    a,
                    b,
                    c,
                    d,
                    e,
                    f,
                    g,
                    h,
                    i,
                )
            }
        })
    }
}

fn handle(x: &Tensor) -> Handle {
    x.as_ptr().cast_mut().cast()
}

impl Results {
    /// The first two results of a function that writes all of them.
    fn of(name: &str, function: impl FnOnce(&mut Self) -> c_int) -> Result<(Tensor, Tensor), TchError> {
        let mut results = Results { tensors: [null_mut(); 7], numbers: [0; 2] };
        if function(&mut results) != 0 {
            return Err(TchError::Torch(format!("{name} failed")));
        }
        // SAFETY: the call returns owned tensors, to which this is the only handle; absent ones are
        // undefined.
        let [output, sums, ..] = results.tensors.map(|tensor| unsafe { Tensor::from_ptr(tensor.cast()) });
        Ok((output, sums))
    }
}

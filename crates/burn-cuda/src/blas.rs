//! Matrix products by cuBLASLt: its algorithms are chosen by its own heuristic, once for each kind of product.

use crate::driver::Context;
use crate::{CudaDevice, CudaError, Queue};
use burn_backend::DType;
use cubecl::server::Handle;
use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys::{
    self, cublasComputeType_t, cublasLtEpilogue_t, cublasLtMatmulDescAttributes_t as Of,
    cublasLtMatmulPreferenceAttributes_t as Prefer, cublasLtMatrixLayoutAttribute_t as Layout, cudaDataType,
};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Bytes that algorithms may use beside the operands: what NVIDIA advises for Hopper.
pub const WORKSPACE: usize = 32 << 20;

static TF32: AtomicBool = AtomicBool::new(false);

/// Whether products and convolutions of `f32` may round their operands to TF32 (10 bits of mantissa), which is several times faster.
///
/// They may not unless this says so, as in PyTorch (`torch.backends.cuda.matmul.allow_tf32`); there convolutions have a switch of their own, which is on.
pub fn allow_tf32(allow: bool) {
    TF32.store(allow, Ordering::Relaxed);
}

/// What [`allow_tf32`] said last.
pub fn is_tf32_allowed() -> bool {
    TF32.load(Ordering::Relaxed)
}

/// How a batch of matrices lies in memory, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrices {
    /// Columns are contiguous, not rows.
    pub transposed: bool,
    /// From one row to the next, or column where they are contiguous.
    pub leading: usize,
    /// From one matrix of the batch to the next; 0 where there is but one.
    pub stride: usize,
}

impl Matrices {
    /// Of `rows` and `cols`, with these strides; nothing where neither rows nor columns are contiguous.
    pub fn new(rows: usize, cols: usize, by_row: usize, by_col: usize, stride: usize) -> Option<Self> {
        // Beyond this a stride is one below zero, wrapped.
        const SANE: usize = 1 << 40;
        let fits = |step: usize, leading: usize, across: usize, along: usize| {
            (step == 1 || across == 1)
                && (along == 1 || (leading >= across && leading < SANE))
                && stride < SANE
        };
        if fits(by_col, by_row, cols, rows) {
            let leading = if rows == 1 { cols } else { by_row };
            Some(Matrices { transposed: false, leading, stride })
        } else if fits(by_row, by_col, rows, cols) {
            let leading = if cols == 1 { rows } else { by_col };
            Some(Matrices { transposed: true, leading, stride })
        } else {
            None
        }
    }
}

/// What is done to a product before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    #[default]
    None,
    Relu,
    /// By the hyperbolic tangent: the approximation of GELU.
    Gelu,
}

/// `out = activation(alpha lhs rhs + beta out + bias)`, for batches of matrices; rows of `out` are contiguous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    pub dtype: DType,
    pub batch: usize,
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    pub lhs: Matrices,
    pub rhs: Matrices,
    pub alpha: f32,
    pub beta: f32,
    pub activation: Activation,
}

impl Product {
    /// Where every matrix of the left batch meets the same right one, they are rows of one matrix.
    #[must_use]
    pub fn folded(mut self) -> Self {
        if self.batch == 1 || self.rhs.stride != 0 || self.lhs.transposed {
            return self;
        }
        let Product { rows, depth, .. } = self;
        let lhs = &mut self.lhs;
        if rows == 1 && lhs.stride >= depth {
            lhs.leading = lhs.stride;
        } else if lhs.stride != rows * lhs.leading {
            return self;
        }
        lhs.stride = 0;
        self.rows *= self.batch;
        self.batch = 1;
        self
    }
}

/// Where an operand is: a buffer, and bytes from its start.
#[derive(Clone, Debug)]
pub struct Place {
    pub handle: Handle,
    pub offset: u64,
}

impl Place {
    /// Bytes that the place is a multiple of, of those that algorithms ask for.
    fn alignment(&self) -> u32 {
        let offset = self.offset + self.handle.offset_start.unwrap_or(0);
        1 << offset.trailing_zeros().min(8)
    }
}

/// What tells one plan from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    dtype: DType,
    tf32: bool,
    sizes: [usize; 4],
    lhs: Matrices,
    rhs: Matrices,
    accumulates: bool,
    activation: Activation,
    bias: bool,
    alignments: [u32; 3],
}

/// Descriptors and algorithm of a product.
#[derive(Debug)]
struct Plan {
    call: sys::cublasLtMatmulDesc_t,
    first: sys::cublasLtMatrixLayout_t,
    second: sys::cublasLtMatrixLayout_t,
    out: sys::cublasLtMatrixLayout_t,
    algorithm: sys::cublasLtMatmulAlgo_t,
}

// SAFETY: descriptors are plain memory; the only one that is ever written, `call`, is so by the thread of the queue.
unsafe impl Send for Plan {}
// SAFETY: as above.
unsafe impl Sync for Plan {}

fn check<T>(call: &'static str, result: Result<T, CublasError>) -> Result<T, CudaError> {
    result.map_err(|error| CudaError::Library { library: "cuBLASLt", call, cause: format!("{:?}", error.0) })
}

fn data_type(dtype: DType) -> Option<cudaDataType> {
    match dtype {
        DType::F32 => Some(cudaDataType::CUDA_R_32F),
        DType::F16 => Some(cudaDataType::CUDA_R_16F),
        DType::BF16 => Some(cudaDataType::CUDA_R_16BF),
        DType::F64 | DType::I64 | DType::I32 | DType::I16 | DType::I8 => None,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => None,
    }
}

/// # Safety
/// The attribute has the type of `value`, and the descriptor is alive.
unsafe fn set_call<T>(call: sys::cublasLtMatmulDesc_t, attribute: Of, value: T) -> Result<(), CudaError> {
    let size = size_of::<T>();
    // SAFETY: the caller's.
    let set = unsafe { result::set_matmul_desc_attribute(call, attribute, (&raw const value).cast(), size) };
    check("cublasLtMatmulDescSetAttribute", set)
}

impl Plan {
    /// The library counts columns first: what it is asked for is the transposed product, of the operands exchanged.
    fn new(handle: sys::cublasLtHandle_t, key: &Key, data: cudaDataType) -> Result<Self, CudaError> {
        let [batch, rows, cols, depth] = key.sizes;
        let compute = if key.tf32 {
            cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32
        } else {
            cublasComputeType_t::CUBLAS_COMPUTE_32F
        };
        let described = result::create_matmul_desc(compute, cudaDataType::CUDA_R_32F);
        let call = check("cublasLtMatmulDescCreate", described)?;
        let operation = |transposed: bool| i32::from(transposed);
        let epilogue = match (key.activation, key.bias) {
            (Activation::None, false) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_DEFAULT,
            (Activation::None, true) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_BIAS,
            (Activation::Relu, false) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_RELU,
            (Activation::Relu, true) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_RELU_BIAS,
            (Activation::Gelu, false) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_GELU,
            (Activation::Gelu, true) => cublasLtEpilogue_t::CUBLASLT_EPILOGUE_GELU_BIAS,
        };
        // SAFETY: operations are numbers of 32 bits (1 for transposed), and so are epilogues; places are pointers.
        unsafe {
            set_call(call, Of::CUBLASLT_MATMUL_DESC_TRANSA, operation(key.rhs.transposed))?;
            set_call(call, Of::CUBLASLT_MATMUL_DESC_TRANSB, operation(key.lhs.transposed))?;
            set_call(call, Of::CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue)?;
            if key.bias {
                // Any place of the alignment that a bias has: the heuristic looks at nothing else.
                set_call(call, Of::CUBLASLT_MATMUL_DESC_BIAS_POINTER, 256_u64)?;
            }
        }
        let layout = |matrices: Matrices, rows: usize, cols: usize| {
            // Rows that are contiguous are its columns.
            let (down, across) = if matrices.transposed { (rows, cols) } else { (cols, rows) };
            let made =
                result::create_matrix_layout(data, down as u64, across as u64, matrices.leading as i64);
            let layout = check("cublasLtMatrixLayoutCreate", made)?;
            let (count, stride) = (batch as i32, matrices.stride as i64);
            // SAFETY: a count is of 32 bits and a stride of 64.
            let set = unsafe {
                let attribute = Layout::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
                result::set_matrix_layout_attribute(layout, attribute, (&raw const count).cast(), 4).and_then(
                    |()| {
                        let attribute = Layout::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;
                        result::set_matrix_layout_attribute(layout, attribute, (&raw const stride).cast(), 8)
                    },
                )
            };
            check("cublasLtMatrixLayoutSetAttribute", set)?;
            Ok::<_, CudaError>(layout)
        };
        let written = Matrices { transposed: false, leading: cols, stride: rows * cols };
        let first = layout(key.rhs, depth, cols)?;
        let second = layout(key.lhs, rows, depth)?;
        let out = layout(written, rows, cols)?;
        let algorithm = Self::algorithm(handle, call, [first, second, out], key.alignments)?;
        Ok(Plan { call, first, second, out, algorithm })
    }

    fn algorithm(
        handle: sys::cublasLtHandle_t,
        call: sys::cublasLtMatmulDesc_t,
        [first, second, out]: [sys::cublasLtMatrixLayout_t; 3],
        [lhs, rhs, written]: [u32; 3],
    ) -> Result<sys::cublasLtMatmulAlgo_t, CudaError> {
        let preference = check("cublasLtMatmulPreferenceCreate", result::create_matmul_pref())?;
        let set = |attribute, value: *const c_void, size| {
            // SAFETY: the workspace is of 64 bits, alignments are of 32.
            unsafe { result::set_matmul_pref_attribute(preference, attribute, value, size) }
        };
        let alignments = [
            (Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, rhs),
            (Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, lhs),
            (Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, written),
            (Prefer::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, written),
        ];
        let space = WORKSPACE as u64;
        let mut all = set(Prefer::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (&raw const space).cast(), 8);
        for (attribute, bytes) in alignments {
            all = all.and_then(|()| set(attribute, (&raw const bytes).cast(), 4));
        }
        // SAFETY: all descriptors are alive.
        let found = all.and_then(|()| unsafe {
            result::get_matmul_algo_heuristic(handle, call, first, second, out, out, preference)
        });
        // SAFETY: nobody has it any more.
        let _ = unsafe { result::destroy_matmul_pref(preference) };
        check("cublasLtMatmulAlgoGetHeuristic", found).map(|found| found.algo)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: calls copy what they need of descriptors.
        let _ = unsafe {
            (
                result::destroy_matrix_layout(self.first),
                result::destroy_matrix_layout(self.second),
                result::destroy_matrix_layout(self.out),
                result::destroy_matmul_desc(self.call),
            )
        };
    }
}

/// cuBLASLt on one device.
pub struct Blas {
    context: Context,
    handle: sys::cublasLtHandle_t,
    queue: Queue,
    /// One is enough: products of a device run one after the other.
    workspace: Handle,
    /// Nothing, where the library has no algorithm.
    plans: Mutex<HashMap<Key, Option<Arc<Plan>>>>,
}

// SAFETY: handles of the library may be used from any thread.
unsafe impl Send for Blas {}
// SAFETY: as above.
unsafe impl Sync for Blas {}

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blas").field("device", &self.context.device).finish_non_exhaustive()
    }
}

impl Blas {
    /// The library, with [`WORKSPACE`] bytes of the device.
    ///
    /// # Errors
    /// When it cannot be loaded or does not know the device.
    pub fn new(device: CudaDevice, workspace: Handle) -> Result<Self, CudaError> {
        // SAFETY: this loads the library, whose initialisers are sound.
        if !unsafe { sys::is_culib_present() } {
            let cause = "the library (libcublasLt) cannot be loaded".to_string();
            return Err(CudaError::Library { library: "cuBLASLt", call: "open", cause });
        }
        let context = Context::open(device)?;
        let handle = check("cublasLtCreate", result::create_handle())?;
        Ok(Blas { context, handle, queue: Queue::new(device), workspace, plans: Mutex::default() })
    }

    /// Puts the product into the stream, or says that the library cannot compute it.
    pub fn run(
        &self,
        product: Product,
        lhs: &Place,
        rhs: &Place,
        out: &Place,
        bias: Option<&Handle>,
    ) -> bool {
        let Some(data) = data_type(product.dtype) else { return false };
        let product = product.folded();
        let key = Key {
            dtype: product.dtype,
            tf32: product.dtype == DType::F32 && is_tf32_allowed(),
            sizes: [product.batch, product.rows, product.cols, product.depth],
            lhs: product.lhs,
            rhs: product.rhs,
            accumulates: product.beta != 0.0,
            activation: product.activation,
            bias: bias.is_some(),
            alignments: [lhs.alignment(), rhs.alignment(), out.alignment()],
        };
        let Some(plan) = self.plan(key, data) else { return false };
        let handles = [&lhs.handle, &rhs.handle, &out.handle, &self.workspace].into_iter().chain(bias);
        let buffers = handles.map(|handle| handle.clone().binding()).collect();
        let offsets = [lhs.offset, rhs.offset, out.offset];
        let (alpha, beta, library) = (product.alpha, product.beta, Shared(self.handle));
        self.queue.on_stream(buffers, move |stream, places| {
            let library = library.get();
            let [lhs, rhs, out] = [0, 1, 2].map(|at| places[at] + offsets[at]);
            // SAFETY: the plan describes these buffers; the workspace has as many bytes as the plan was made for.
            let done = unsafe {
                if let Some(&bias) = places.get(4) {
                    set_call(plan.call, Of::CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)?;
                }
                result::matmul(
                    library,
                    plan.call,
                    (&raw const alpha).cast(),
                    (&raw const beta).cast(),
                    rhs as *const c_void,
                    plan.first,
                    lhs as *const c_void,
                    plan.second,
                    out as *const c_void,
                    plan.out,
                    out as *mut c_void,
                    plan.out,
                    &plan.algorithm,
                    places[3] as *mut c_void,
                    WORKSPACE,
                    stream.cast(),
                )
            };
            check("cublasLtMatmul", done)
        });
        true
    }

    fn plan(&self, key: Key, data: cudaDataType) -> Option<Arc<Plan>> {
        let mut plans = self.plans.lock().expect("nobody panics while it is held");
        let made = plans.entry(key).or_insert_with(|| {
            self.context.bind().ok()?;
            Plan::new(self.handle, &key, data).ok().map(Arc::new)
        });
        made.clone()
    }
}

/// A handle of the library, on its way to another thread.
struct Shared(sys::cublasLtHandle_t);

// SAFETY: handles of the library may be used from any thread.
unsafe impl Send for Shared {}

impl Shared {
    fn get(&self) -> sys::cublasLtHandle_t {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_without_copies() {
        let row_major = Matrices { transposed: false, leading: 5, stride: 0 };
        assert_eq!(Matrices::new(3, 5, 5, 1, 0), Some(row_major));
        assert_eq!(Matrices::new(3, 5, 1, 3, 0), Some(Matrices { transposed: true, leading: 3, stride: 0 }));
        // A slice of columns.
        assert_eq!(Matrices::new(3, 5, 8, 1, 0), Some(Matrices { transposed: false, leading: 8, stride: 0 }));
        // Every second column, rows that are repeated, and rows that count backward.
        assert_eq!(Matrices::new(3, 5, 10, 2, 0), None);
        assert_eq!(Matrices::new(3, 5, 0, 1, 0), None);
        assert_eq!(Matrices::new(3, 5, 5_usize.wrapping_neg(), 1, 0), None);
        // One row, one column, with strides that say nothing.
        assert_eq!(Matrices::new(1, 5, 99, 1, 0), Some(row_major));
        assert_eq!(Matrices::new(5, 1, 7, 3, 0), Some(Matrices { transposed: false, leading: 7, stride: 0 }));
    }

    #[test]
    fn a_batch_that_meets_one_matrix_is_one_matrix() {
        let lhs = Matrices { transposed: false, leading: 4, stride: 12 };
        let rhs = Matrices { transposed: true, leading: 4, stride: 0 };
        let (alpha, beta, activation) = (1.0, 0.0, Activation::None);
        let product = Product {
            dtype: DType::F32,
            batch: 7,
            rows: 3,
            cols: 5,
            depth: 4,
            lhs,
            rhs,
            alpha,
            beta,
            activation,
        };
        let folded = product.folded();
        assert_eq!((folded.batch, folded.rows, folded.lhs.stride), (1, 21, 0));
        let apart = Product { lhs: Matrices { stride: 13, ..lhs }, ..product };
        assert_eq!(apart.folded(), apart);
        let single = Product { rows: 1, lhs: Matrices { stride: 13, ..lhs }, ..product };
        assert_eq!((single.folded().rows, single.folded().lhs.leading), (7, 13));
    }
}

use super::algorithm::{Algorithm, MOST};
use super::product::{Activation, Matrices};
use super::status::check;
use crate::CudaError;
use burn_backend::DType;
use cudarc::cublaslt::result;
use cudarc::cublaslt::sys::{
    self, cublasComputeType_t, cublasLtEpilogue_t, cublasLtMatmulDescAttributes_t as Of,
    cublasLtMatmulPreferenceAttributes_t as Prefer, cublasLtMatrixLayoutAttribute_t as Layout,
    cublasLtReductionScheme_t as Reduction, cudaDataType,
};
use std::ffi::c_void;

/// Bytes that algorithms may use beside the operands: what NVIDIA advises for Hopper.
pub const WORKSPACE: usize = 32 << 20;

/// Key of a plan in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub dtype: DType,
    pub tf32: bool,
    pub sizes: [usize; 4],
    pub lhs: Matrices,
    pub rhs: Matrices,
    pub accumulates: bool,
    pub activation: Activation,
    pub bias: bool,
    pub alignments: [u32; 3],
    /// Whether algorithms are compared.
    pub several: bool,
}

/// Descriptors and algorithms of a product.
#[derive(Debug)]
pub struct Plan {
    pub call: sys::cublasLtMatmulDesc_t,
    pub first: sys::cublasLtMatrixLayout_t,
    pub second: sys::cublasLtMatrixLayout_t,
    pub out: sys::cublasLtMatrixLayout_t,
    /// The best one by the library's heuristic first. Where there are several, none of them adds up parts of
    /// several blocks.
    pub algorithms: Vec<Algorithm>,
}

// SAFETY: descriptors are plain memory; the only one that is ever written, `call`, is so by the thread of the
// queue.
unsafe impl Send for Plan {}
// SAFETY: as above.
unsafe impl Sync for Plan {}

pub fn data_type(dtype: DType) -> Option<cudaDataType> {
    match dtype {
        DType::F32 => Some(cudaDataType::CUDA_R_32F),
        DType::F16 => Some(cudaDataType::CUDA_R_16F),
        DType::BF16 => Some(cudaDataType::CUDA_R_16BF),
        DType::F64 => Some(cudaDataType::CUDA_R_64F),
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => None,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => None,
    }
}

/// # Safety
/// The attribute has the type of `value`, and the descriptor is alive.
pub unsafe fn set_call<T>(call: sys::cublasLtMatmulDesc_t, attribute: Of, value: T) -> Result<(), CudaError> {
    let size = size_of::<T>();
    // SAFETY: the caller's.
    let set = unsafe { result::set_matmul_desc_attribute(call, attribute, (&raw const value).cast(), size) };
    check("cublasLtMatmulDescSetAttribute", set)
}

impl Plan {
    /// Creates a plan. The library is column-major, so it computes the transposed product of the swapped
    /// operands.
    pub fn new(handle: sys::cublasLtHandle_t, key: &Key, data: cudaDataType) -> Result<Self, CudaError> {
        let [batch, rows, cols, depth] = key.sizes;
        let (compute, factors) = if key.dtype == DType::F64 {
            (cublasComputeType_t::CUBLAS_COMPUTE_64F, cudaDataType::CUDA_R_64F)
        } else if key.tf32 {
            (cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32, cudaDataType::CUDA_R_32F)
        } else {
            (cublasComputeType_t::CUBLAS_COMPUTE_32F, cudaDataType::CUDA_R_32F)
        };
        let described = result::create_matmul_desc(compute, factors);
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
        // SAFETY: operations are numbers of 32 bits (1 for transposed), and so are epilogues; addresses are
        // pointers.
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
        let mut plan = Plan { call, first, second, out, algorithms: Vec::new() };
        plan.algorithms = plan.advised(handle, key)?;
        Ok(plan)
    }

    fn advised(&self, handle: sys::cublasLtHandle_t, key: &Key) -> Result<Vec<Algorithm>, CudaError> {
        let [lhs, rhs, written] = key.alignments;
        let preference = check("cublasLtMatmulPreferenceCreate", result::create_matmul_pref())?;
        let set = |attribute, value: *const c_void, size| {
            // SAFETY: the workspace is of 64 bits, alignments and the mask of reductions are of 32.
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
        // Parts of a sum are added as `f32` where the result is of half precision, not rounded before.
        let reductions = Reduction::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;
        let attribute = Prefer::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK;
        all = all.and_then(|()| set(attribute, (&raw const reductions).cast(), 4));
        let most = if key.several { MOST } else { 1 };
        let set = check("cublasLtMatmulPreferenceSetAttribute", all);
        // SAFETY: all descriptors are alive.
        let found = set.and_then(|()| unsafe {
            Algorithm::advised(handle, self.call, [self.first, self.second, self.out], preference, most)
        });
        // SAFETY: no call uses it any more.
        let _ = unsafe { result::destroy_matmul_pref(preference) };
        let mut found = found?;
        // Where results must not depend on the choice, the order in which blocks are added must not.
        let ordered: Vec<_> = found.iter().copied().filter(Algorithm::is_of_one_block).collect();
        if ordered.is_empty() || !key.several {
            found.truncate(1);
            Ok(found)
        } else {
            Ok(ordered)
        }
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

use super::status::check;
use crate::CudaError;
use cubecl::hash::StableHasher;
use cudarc::cublaslt::sys::{
    self, cublasLtMatmulAlgo_t, cublasLtMatmulAlgoConfigAttributes_t as Of,
    cublasLtReductionScheme_t as Scheme,
};
use std::hash::Hasher;

/// Algorithm of cuBLASLt for one matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm(pub cublasLtMatmulAlgo_t);

/// Number of algorithms requested from the heuristic when algorithms are compared.
pub const MOST: usize = 8;

impl Algorithm {
    /// Returns the algorithms that the library's heuristic recommends, the best first, at most `most`.
    ///
    /// # Safety
    /// All descriptors are alive.
    pub unsafe fn advised(
        handle: sys::cublasLtHandle_t,
        call: sys::cublasLtMatmulDesc_t,
        [first, second, out]: [sys::cublasLtMatrixLayout_t; 3],
        preference: sys::cublasLtMatmulPreference_t,
        most: usize,
    ) -> Result<Vec<Self>, CudaError> {
        let mut found = Vec::<sys::cublasLtMatmulHeuristicResult_t>::with_capacity(most);
        let mut count = 0;
        // SAFETY: descriptors are the caller's, and there is room for as many results as are asked for.
        let status = unsafe {
            sys::cublasLtMatmulAlgoGetHeuristic(
                handle,
                call,
                first,
                second,
                out,
                out,
                preference,
                most as i32,
                found.as_mut_ptr(),
                &raw mut count,
            )
        };
        check("cublasLtMatmulAlgoGetHeuristic", status.result())?;
        // SAFETY: the library has written so many, and not more than it was asked for.
        unsafe { found.set_len((count.max(0) as usize).min(most)) };
        let usable = found.iter().filter(|found| found.state == sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS);
        let algorithms: Vec<_> = usable.map(|found| Algorithm(found.algo)).collect();
        if algorithms.is_empty() {
            let (call, cause) = ("cublasLtMatmulAlgoGetHeuristic", "no algorithm".to_string());
            return Err(CudaError::Library { library: "cuBLASLt", call, cause });
        }
        Ok(algorithms)
    }

    fn number(&self, attribute: Of) -> Option<u32> {
        let (mut value, mut written) = (0_u32, 0);
        // SAFETY: the attributes that are asked for below are of at most 32 bits, and so is the room for
        // them.
        let status = unsafe {
            sys::cublasLtMatmulAlgoConfigGetAttribute(
                &raw const self.0,
                attribute,
                (&raw mut value).cast(),
                size_of::<u32>(),
                &raw mut written,
            )
        };
        status.result().ok().map(|()| value)
    }

    /// Returns whether one block sums each element, without split-K.
    pub fn is_of_one_block(&self) -> bool {
        self.number(Of::CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME)
            == Some(Scheme::CUBLASLT_REDUCTION_SCHEME_NONE as u32)
    }

    /// Returns a name that is stable across processes with the same library version.
    pub fn name(&self) -> String {
        let mut hasher = StableHasher::new();
        self.0.data.iter().for_each(|word| hasher.write(&word.to_le_bytes()));
        let id = self.number(Of::CUBLASLT_ALGO_CONFIG_ID).unwrap_or_default();
        format!("algorithm-{id}-{:08x}", hasher.finalize() as u32)
    }
}

use crate::CudaError;
use cudarc::cublaslt::result::CublasError;

/// Converts a status of the library into an error that names the failed call.
pub fn check<T>(call: &'static str, result: Result<T, CublasError>) -> Result<T, CudaError> {
    result.map_err(|error| CudaError::Library { library: "cuBLASLt", call, cause: format!("{:?}", error.0) })
}

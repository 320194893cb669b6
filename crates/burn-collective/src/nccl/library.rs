//! NCCL, loaded at run time, and its element types and reductions.

use super::functions::{NcclFunctions, Opaque, UniqueId};
#[cfg(any(feature = "cuda", test))]
use crate::Reduction;
use crate::TransportError;
use crate::load_error::load_error_text;
#[cfg(any(feature = "cuda", test))]
use burn_ir::DType;
use libloading::Library;
use std::env;
use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

/// Variable with the path of the library.
const LIBRARY_VARIABLE: &str = "BURN_NCCL_LIBRARY";
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];
/// First version that splits communicators: 2.18.1.
const OLDEST: c_int = 21801;

/// Element type of bytes.
pub const BYTES: c_int = 1;

static NCCL: OnceLock<Result<NcclFunctions, String>> = OnceLock::new();

/// Returns the functions of the library.
///
/// # Errors
/// With a text that says what to do.
pub fn nccl() -> Result<&'static NcclFunctions, String> {
    NCCL.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<NcclFunctions, String> {
    // SAFETY: the initializers of the library are sound.
    let open = |name: &str| unsafe { Library::new(name) };
    let library = match env::var(LIBRARY_VARIABLE) {
        Ok(path) => open(&path).map_err(|cause| {
            format!("{LIBRARY_VARIABLE}: {}. Set it to the path of libnccl.so.2", load_error_text(&cause))
        })?,
        Err(_) => NAMES.into_iter().find_map(|name| open(name).ok()).ok_or_else(|| {
            format!(
                "NCCL (libnccl.so.2) cannot be loaded. Install it (`apt-get install libnccl2` from NVIDIA, or `pip install \
                 nvidia-nccl-cu12`), or set {LIBRARY_VARIABLE} to its path"
            )
        })?,
    };
    let functions = NcclFunctions::load(&library)
        .map_err(|name| format!("NCCL has no function {name}. Install 2.18.1 or newer"))?;
    let mut version = 0;
    // SAFETY: the library writes the version.
    unsafe { (functions.get_version)(&raw mut version) };
    check_version(version)?;
    // The library stays in memory: threads of its own run until the process ends.
    core::mem::forget(library);
    Ok(functions)
}

fn check_version(version: c_int) -> Result<(), String> {
    if version >= OLDEST {
        return Ok(());
    }
    let (major, rest) =
        if version < 10000 { (version / 1000, version % 1000) } else { (version / 10000, version % 10000) };
    Err(format!(
        "NCCL is {major}.{}.{}; expected 2.18.1 or newer. Install a newer one",
        rest / 100,
        rest % 100
    ))
}

/// Returns the error of a call that did not succeed.
pub fn check(call: &str, code: c_int, comm: Opaque) -> Result<(), TransportError> {
    if code == 0 {
        return Ok(());
    }
    let Ok(nccl) = nccl() else { return Err(TransportError::Library(format!("{call}: error {code}"))) };
    // SAFETY: the texts are of the library, and live until its next error.
    let [text, last] = unsafe {
        [(nccl.get_error_string)(code), (nccl.get_last_error)(comm)].map(|text| {
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        })
    };
    let last = last.trim();
    let text = if last.is_empty() { text } else { format!("{text}: {last}") };
    Err(TransportError::Library(format!("{call}: {text}. NCCL_DEBUG=WARN says more")))
}

/// Makes an id by which ranks find each other.
pub fn unique_id() -> Result<UniqueId, String> {
    let nccl = nccl()?;
    let mut id = UniqueId([0; 128]);
    // SAFETY: the library writes the id.
    let code = unsafe { (nccl.get_unique_id)(&raw mut id) };
    check("ncclGetUniqueId", code, 0).map_err(|error| super::cuda::text(&error))?;
    Ok(id)
}

/// Returns the number of an element type, of those that NCCL knows.
#[cfg(any(feature = "cuda", test))]
pub fn data_type(dtype: DType) -> Option<c_int> {
    Some(match dtype {
        DType::I8 => 0,
        DType::U8 | DType::Bool => 1,
        DType::I32 => 2,
        DType::U32 => 3,
        DType::I64 => 4,
        DType::U64 => 5,
        DType::F16 => 6,
        DType::F32 => 7,
        DType::F64 => 8,
        DType::BF16 => 9,
        DType::I16 | DType::U16 => return None,
    })
}

/// Returns the number of a reduction of an element type. Means of integers are not NCCL's.
#[cfg(any(feature = "cuda", test))]
pub fn reduction(reduction: Reduction, dtype: DType) -> Option<c_int> {
    match reduction {
        Reduction::Sum => Some(0),
        Reduction::Product => Some(1),
        Reduction::Max => Some(2),
        Reduction::Min => Some(3),
        Reduction::Mean => dtype.is_float().then_some(4),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_version, data_type, reduction};
    use crate::Reduction;
    use burn_ir::DType;

    #[test]
    fn old_versions_are_named() {
        assert_eq!(check_version(21801), Ok(()));
        assert_eq!(check_version(22809), Ok(()));
        assert!(check_version(21403).unwrap_err().starts_with("NCCL is 2.14.3; expected 2.18.1 or newer"));
        assert!(check_version(2708).unwrap_err().starts_with("NCCL is 2.7.8; expected 2.18.1"));
    }

    #[test]
    fn element_types_have_the_numbers_of_the_header() {
        let known: Vec<_> = DType::ALL.into_iter().filter(|dtype| data_type(*dtype).is_some()).collect();
        assert_eq!(known.len(), DType::ALL.len() - 2);
        assert_eq!((data_type(DType::BF16), data_type(DType::I16)), (Some(9), None));
        assert_eq!(reduction(Reduction::Mean, DType::F16), Some(4));
        assert_eq!(reduction(Reduction::Mean, DType::I32), None);
    }
}

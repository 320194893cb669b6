use crate::LmError;
use burn_io::open_file;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Reads a JSON file of at most `most` bytes.
pub fn read_json(path: &Path, most: u64) -> Result<Value, LmError> {
    let fail = |cause: String| LmError::File { path: path.display().to_string(), cause };
    let file = open_file(path).map_err(|cause| fail(cause.to_string()))?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|cause| fail(cause.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(fail(format!("expected at most {most} bytes")));
    }
    serde_json::from_slice(&bytes).map_err(|cause| fail(format!("not JSON: {cause}")))
}

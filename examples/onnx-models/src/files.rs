use pip_package::{FetchError, PipFile};
use std::path::PathBuf;

/// Error of loading or running a model.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

const MAGIKA: PipFile = PipFile { package: "magika", size: "16 MB", path: "magika/models/standard_v3_3" };
const SILERO: PipFile =
    PipFile { package: "silero-vad", size: "11 MB", path: "silero_vad/data/silero_vad_op18_ifless.onnx" };

/// Returns the folder with `model.onnx` and `config.min.json` of magika: `given`, or what pip fetches at the
/// first run.
///
/// # Errors
/// The folder is not there, or cannot be fetched.
pub fn magika_folder(given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, FetchError> {
    MAGIKA.path(given, say)
}

/// Returns the file of Silero VAD: `given`, or what pip fetches at the first run.
///
/// # Errors
/// The file is not there, or cannot be fetched.
pub fn silero_file(given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, FetchError> {
    SILERO.path(given, say)
}

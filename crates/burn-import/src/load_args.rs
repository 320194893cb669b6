use crate::debug_listing::debug_listing;
use crate::file_error::file_error;
use crate::{FileFormat, Layout};
use burn_core::record::RecordError;
use burn_core::weights::{TensorSource, Weights};
use regex::Regex;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Path of the file to load, and the renaming of its tensors.
///
/// ```
/// use burn_import::LoadArgs;
///
/// let args = LoadArgs::new("checkpoint.pt".into())
///     .with_top_level_key("model_state_dict")
///     .with_key_remap(r"^backbone\.(.*)", "$1")
///     .with_key_remap(r"downsample", "shortcut");
/// ```
#[derive(Clone, Debug)]
pub struct LoadArgs {
    path: PathBuf,
    top_level_key: Option<String>,
    /// Regular expressions and replacements, in their order.
    remaps: Vec<(String, String)>,
    debug_print: bool,
    layout: Option<Layout>,
    is_strict: bool,
}

impl LoadArgs {
    /// Creates arguments for the file at `path`.
    ///
    /// Loaders take a path alone too: `safetensors::open("model.safetensors")`, or
    /// `LoadArgs::from("model.safetensors")`.
    pub fn new(path: PathBuf) -> Self {
        LoadArgs {
            path,
            top_level_key: None,
            remaps: Vec::new(),
            debug_print: false,
            layout: None,
            is_strict: false,
        }
    }

    /// Adds a regular expression, every match of which in a name is replaced; `$1` is what its first group
    /// matched. Expressions are applied in the order in which they are added, each to the names that the one
    /// before it left.
    #[must_use]
    pub fn with_key_remap(mut self, pattern: &str, replacement: &str) -> Self {
        self.remaps.push((pattern.to_string(), replacement.to_string()));
        self
    }

    /// Takes only the tensors below `key`, without it: the state dict in a checkpoint that holds more. Keys
    /// within keys are joined by dots.
    #[must_use]
    pub fn with_top_level_key(mut self, key: &str) -> Self {
        self.top_level_key = Some(key.to_string());
        self
    }

    /// Prints the name of every tensor, before and after it was replaced, its shape and its type, sorted by
    /// the name before.
    #[must_use]
    pub fn with_debug_print(mut self) -> Self {
        self.debug_print = true;
        self
    }

    /// Says whose names and layouts the file has; without it, what the file says of itself, or PyTorch's.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Makes it an error that the file has tensors which nothing takes; recorders ignore them otherwise.
    /// PyTorch: `load_state_dict(strict=True)`.
    #[must_use]
    pub fn with_strict(mut self, is_strict: bool) -> Self {
        self.is_strict = is_strict;
        self
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether unused tensors are an error.
    pub fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Selects and renames the tensors of `source` by these arguments.
    ///
    /// # Errors
    /// A regular expression is none, two tensors get the same name, or there is nothing below the top-level
    /// key.
    pub fn select(&self, source: Arc<dyn TensorSource>, format: FileFormat) -> Result<Weights, RecordError> {
        let mut weights = Weights::shared(source);
        if let Some(key) = &self.top_level_key {
            weights = weights.below(key).ok_or_else(|| self.no_such_key(key, &weights))?;
        }
        let remaps = self.remaps()?;
        let renamed = weights.clone().renamed(|name| {
            remaps.iter().fold(name.to_string(), |name, (pattern, replacement)| {
                pattern.replace_all(&name, replacement.as_str()).into_owned()
            })
        })?;
        if self.debug_print {
            let listing = debug_listing(&weights, &renamed);
            std::io::stdout().write_all(listing.as_bytes()).map_err(|cause| file_error(&self.path, cause))?;
        }
        Ok(self.layout.unwrap_or(format.layout()).translate(renamed))
    }

    fn remaps(&self) -> Result<Vec<(Regex, &String)>, RecordError> {
        let compile = |(pattern, replacement): &'_ (String, String)| match Regex::new(pattern) {
            Ok(regex) => Ok(regex),
            Err(error) => {
                Err(file_error(&self.path, format!("with_key_remap({pattern:?}, {replacement:?}): {error}")))
            }
        };
        self.remaps.iter().map(|remap| Ok((compile(remap)?, &remap.1))).collect()
    }

    fn no_such_key(&self, key: &str, weights: &Weights) -> RecordError {
        const SHOWN: usize = 20;
        const LONGEST: usize = 100;
        let mut keys: Vec<&str> = Vec::new();
        for tensor in weights.tensors() {
            let first = tensor.name().split('.').next().unwrap_or_default();
            // A name of the file may be of any length.
            let first = &first[..first.floor_char_boundary(LONGEST)];
            if keys.len() < SHOWN && !keys.contains(&first) {
                keys.push(first);
            }
        }
        file_error(
            &self.path,
            format!("no tensors below the top-level key `{key}`; there are: {}", keys.join(", ")),
        )
    }
}

impl From<PathBuf> for LoadArgs {
    fn from(path: PathBuf) -> Self {
        LoadArgs::new(path)
    }
}

impl From<&Path> for LoadArgs {
    fn from(path: &Path) -> Self {
        LoadArgs::new(path.to_path_buf())
    }
}

impl From<&PathBuf> for LoadArgs {
    fn from(path: &PathBuf) -> Self {
        LoadArgs::new(path.clone())
    }
}

impl From<&str> for LoadArgs {
    fn from(path: &str) -> Self {
        LoadArgs::new(path.into())
    }
}

impl From<String> for LoadArgs {
    fn from(path: String) -> Self {
        LoadArgs::new(path.into())
    }
}

//! Settings that are saved beside the weights.

use super::flatten::key_text;
use super::pickle::{Heap, Object, PickleValue};
use super::pytorch_file::read_pickle;
use crate::stored_type::format_error;
use burn_core::record::RecordError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value as Json};
use std::path::Path;

/// Levels of containers.
const MOST_DEPTH: usize = 64;
/// Values of a config: one object may be referred to many times.
const MOST_VALUES: usize = 1 << 20;
/// Bytes of all texts, and of the names of values: a long text may be referred to many times.
const MOST_TEXT: usize = 64 << 20;
/// Bytes of the names of all values, which are made for errors alone.
const MOST_NAMES: usize = 1 << 30;

/// Reads settings from a file of `torch.save`: a dict of numbers, texts, lists and dicts, whole or below
/// `top_level_key`. Tensors are left out.
///
/// ```no_run
/// use burn::config::Config;
/// use burn_import::pytorch::config_from_file;
///
/// #[derive(Config, Debug)]
/// struct NetConfig {
///     n_heads: usize,
///     dropout: f64,
/// }
///
/// let config: NetConfig = config_from_file("checkpoint.pt", Some("config"))?;
/// # Ok::<(), burn::record::RecordError>(())
/// ```
///
/// # Errors
/// The file cannot be read, there is no such key, or the settings are not those of `D`: the error names the
/// field.
pub fn config_from_file<D: DeserializeOwned>(
    path: impl AsRef<Path>,
    top_level_key: Option<&str>,
) -> Result<D, RecordError> {
    let path = path.as_ref();
    let error = |cause: String| format_error("config_from_file", &path.display().to_string(), cause);
    let (heap, mut root) = read_pickle(path)?;
    for key in top_level_key.into_iter().flat_map(|key| key.split('.')) {
        root = heap.field(root, key).ok_or_else(|| error(no_such_key(&heap, root, key)))?;
    }
    let json = Walk { heap: &heap, values: 0, text: 0, names: 0 }
        .json(root, top_level_key.unwrap_or("the file"), 0)
        .map_err(error)?;
    serde_json::from_value(json.unwrap_or(Json::Null)).map_err(|cause| error(cause.to_string()))
}

fn no_such_key(heap: &Heap, dict: PickleValue, key: &str) -> String {
    let keys: Vec<String> = match heap.get(dict) {
        Some(Object::Dict(entries)) => {
            let keys = entries.iter().take(20).filter_map(|(key, _)| key_text(heap, *key));
            keys.map(|key| format!("{key:.100}")).collect()
        }
        _ => Vec::new(),
    };
    format!("no key `{key}`; there are: {}", keys.join(", "))
}

struct Walk<'a> {
    heap: &'a Heap,
    values: usize,
    text: usize,
    names: usize,
}

impl Walk<'_> {
    /// The value as JSON; nothing for a tensor.
    fn json(&mut self, value: PickleValue, at: &str, depth: usize) -> Result<Option<Json>, String> {
        self.values += 1;
        if self.values > MOST_VALUES || depth > MOST_DEPTH {
            return Err(format!("`{at:.100}`: settings hold each other, or are nested too deep"));
        }
        self.names = self.names.saturating_add(at.len());
        if self.names > MOST_NAMES {
            return Err(format!(
                "`{at:.100}`: the names of the settings take more than {} GiB",
                MOST_NAMES >> 30
            ));
        }
        Ok(match value {
            PickleValue::None => Some(Json::Null),
            PickleValue::Bool(value) => Some(Json::Bool(value)),
            PickleValue::Int(number) => {
                let number = Number::from_i128(number)
                    .ok_or_else(|| format!("`{at}`: {number} has more than 64 bits"))?;
                Some(Json::Number(number))
            }
            PickleValue::Float(number) => {
                let number = Number::from_f64(number)
                    .ok_or_else(|| format!("`{at}`: {number} is not a finite number"))?;
                Some(Json::Number(number))
            }
            PickleValue::Class(_) => None,
            PickleValue::Object(_) => self.object(value, at, depth)?,
        })
    }

    fn count(&mut self, text: &str, at: &str) -> Result<(), String> {
        self.text = self.text.saturating_add(text.len());
        match self.text <= MOST_TEXT {
            true => Ok(()),
            false => {
                Err(format!("`{at:.100}`: the texts of the settings take more than {} MiB", MOST_TEXT >> 20))
            }
        }
    }

    fn object(&mut self, value: PickleValue, at: &str, depth: usize) -> Result<Option<Json>, String> {
        Ok(match self.heap.get(value) {
            Some(Object::Text(text)) => {
                self.count(text, at)?;
                Some(Json::String(text.clone()))
            }
            Some(Object::List(items) | Object::Tuple(items) | Object::Set(items)) => {
                let mut array = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    array.extend(self.json(*item, &format!("{at}.{index}"), depth + 1)?);
                }
                Some(Json::Array(array))
            }
            Some(Object::Dict(entries)) => {
                let mut object = Map::new();
                for (key, value) in entries {
                    if let Some(key) = key_text(self.heap, *key)
                        && let Some(value) = self.json(*value, &format!("{at}.{key}"), depth + 1)?
                    {
                        self.count(&key, at)?;
                        object.insert(key, value);
                    }
                }
                Some(Json::Object(object))
            }
            Some(
                Object::Bytes(_)
                | Object::Storage(_)
                | Object::Tensor(_)
                | Object::NumpyType(_)
                | Object::Other,
            )
            | None => None,
        })
    }
}

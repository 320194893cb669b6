//! Models that are split into several files, with an index: the layout of the Hugging Face hub.

use super::file::{FORMAT, SafetensorsFile};
use super::write::{Format, write_file};
use crate::PyTorchLayers;
use crate::file_error::file_error;
use crate::stored_type::format_error;
use burn_core::module::Module;
use burn_core::record::RecordError;
use burn_core::tensor::{Backend, TensorData};
use burn_core::weights::collect;
use burn_io::{open_file, write_atomic};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Component, Path};

/// The most bytes of an index.
const MOST_INDEX: u64 = 256 << 20;

#[derive(Serialize)]
struct Index {
    metadata: serde_json::Map<String, serde_json::Value>,
    /// The file of each tensor.
    weight_map: BTreeMap<String, String>,
}

/// Fields of an index that are read. The metadata are skipped: the files have them too, and they may be of
/// any size.
#[derive(Deserialize)]
struct WeightMap {
    weight_map: BTreeMap<String, String>,
}

/// Returns whether a file is an index, by its name.
pub fn is_index(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

pub fn open(path: &Path) -> Result<SafetensorsFile, RecordError> {
    let error = |cause: String| format_error(FORMAT, &path.display().to_string(), cause);
    let mut text = String::new();
    let file = open_file(path).map_err(|cause| file_error(path, cause))?;
    file.take(MOST_INDEX).read_to_string(&mut text).map_err(|cause| file_error(path, cause))?;
    let index: WeightMap =
        serde_json::from_str(&text).map_err(|cause| error(format!("not an index: {cause}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut shards: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, file) in &index.weight_map {
        shards.entry(file).or_default().push(name);
    }
    let (mut parts, mut metadata) = (Vec::new(), HashMap::new());
    for (name, wanted) in shards {
        let is_beside =
            matches!(Path::new(name).components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
        if !is_beside {
            return Err(error(format!("the index names the file `{name}`, which is not in its folder")));
        }
        // Another index, or this one, would be opened again and again.
        if is_index(Path::new(name)) {
            return Err(error(format!("the index names `{name}`; expected a file of tensors, not an index")));
        }
        let shard = SafetensorsFile::open_one(&folder.join(name))?;
        metadata = shard.metadata().clone();
        let mut found: HashMap<String, _> = shard
            .into_parts()
            .into_iter()
            .map(|(info, stored)| (info.name.clone(), (info, stored)))
            .collect();
        for tensor in wanted {
            let part = found.remove(tensor);
            parts.push(part.ok_or_else(|| {
                error(format!("`{tensor}` is not in `{name}`, where the index says it is"))
            })?);
        }
    }
    Ok(SafetensorsFile::of_parts(path, parts, metadata))
}

/// Saves the parameters of `module` in files of at most `most_bytes` each (more only for a single tensor that
/// is larger), `model-00001-of-00003.safetensors` and so on in `folder`, and the index
/// `model.safetensors.index.json`. Names and layouts are those of PyTorch.
///
/// # Errors
/// A file cannot be written, or the device of a parameter failed.
pub fn save_sharded<B: Backend, M: Module<B>>(
    module: &M,
    folder: impl AsRef<Path>,
    most_bytes: usize,
) -> Result<(), RecordError> {
    save_parts(collect(module, Some(&PyTorchLayers))?, folder.as_ref(), most_bytes)
}

fn save_parts(
    tensors: Vec<(String, TensorData)>,
    folder: &Path,
    most_bytes: usize,
) -> Result<(), RecordError> {
    let (mut shards, mut total): (Vec<(usize, Vec<_>)>, usize) = (Vec::new(), 0);
    for (name, data) in tensors {
        let bytes = data.as_bytes().len();
        total += bytes;
        match shards.last_mut() {
            Some((size, shard)) if *size + bytes <= most_bytes => {
                *size += bytes;
                shard.push((name, data));
            }
            _ => shards.push((bytes, vec![(name, data)])),
        }
    }
    let count = shards.len();
    let mut weight_map = BTreeMap::new();
    for (number, (_, shard)) in shards.into_iter().enumerate() {
        let file = format!("model-{:05}-of-{count:05}.safetensors", number + 1);
        weight_map.extend(shard.iter().map(|(name, _)| (name.clone(), file.clone())));
        write_file(&folder.join(file), shard, Format::PyTorch)?;
    }
    let metadata = [("total_size".to_string(), total.into())].into_iter().collect();
    let path = folder.join("model.safetensors.index.json");
    let text = serde_json::to_vec_pretty(&Index { metadata, weight_map })
        .map_err(|cause| file_error(&path, cause))?;
    write_atomic(&path, &mut |out| out.write_all(&text)).map_err(|cause| file_error(&path, cause))
}

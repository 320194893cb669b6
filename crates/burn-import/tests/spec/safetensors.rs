//! X-401, X-403: safetensors, read and written.

use super::files::{B, CPU, fixture};
use super::layers::{Layers, LayersRecord, check_outputs};
use burn::module::Module;
use burn::record::{FullPrecisionSettings, HalfPrecisionSettings, Recorder};
use burn::tensor::{DType, TensorData};
use burn::weights::Strictness;
use burn_import::safetensors::{self, SafetensorsFile, SafetensorsFileRecorder};
use std::collections::BTreeMap;
use std::path::Path;

fn layers() -> Layers<B> {
    let weights = burn_import::open(fixture("layers.pt")).unwrap();
    weights.load_into(Layers::new(CPU), Strictness::Strict).unwrap().0
}

/// The tensors of a file by name.
fn content(path: &Path) -> BTreeMap<String, TensorData> {
    let weights = safetensors::open(path).unwrap();
    let read = |name: &str| weights.read(name).unwrap().unwrap();
    weights.tensors().iter().map(|tensor| (tensor.name().to_string(), read(tensor.name()))).collect()
}

#[test]
fn x_401_what_is_written_is_the_state_dict_of_pytorch() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layers.safetensors");
    safetensors::save(&layers(), &path).unwrap();
    let mut expected = content(&fixture("layers.safetensors"));
    // A counter that the layer here does not have.
    assert!(expected.remove("batch_norm.num_batches_tracked").is_some());
    let written = content(&path);
    assert_eq!(written.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert_eq!(written, expected);
    assert_eq!(SafetensorsFile::open(&path).unwrap().metadata()["format"], "pt");
}

#[test]
fn x_401_elements_are_aligned_for_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mixed.safetensors");
    let tensors = vec![
        ("a".to_string(), TensorData::from([true])),
        ("b".to_string(), TensorData::from([1.0_f64])),
        ("c".to_string(), TensorData::from([1.0_f32])),
    ];
    safetensors::save_tensors(tensors.clone(), &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    assert_eq!(header % 8, 0);
    let table: serde_json::Value = serde_json::from_slice(&bytes[8..8 + header as usize]).unwrap();
    assert_eq!(table["b"]["data_offsets"], serde_json::json!([0, 8]));
    assert_eq!(table["c"]["data_offsets"], serde_json::json!([8, 12]));
    assert_eq!(content(&path), tensors.into_iter().collect());
}

#[test]
fn x_401_two_tensors_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.safetensors");
    let tensor = || ("a".to_string(), TensorData::from([1.0_f32]));
    let error = safetensors::save_tensors(vec![tensor(), tensor()], &path).unwrap_err().to_string();
    assert!(error.contains("`a`") && !path.exists(), "{error}");
}

#[test]
fn x_401_shards_with_an_index_are_one_model() {
    let folder = tempfile::tempdir().unwrap();
    safetensors::save_sharded(&layers(), folder.path(), 2000).unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()).collect();
    assert!(files.len() > 3, "{files:?}");
    for file in files.iter().filter(|file| file.path().extension().is_some_and(|end| end == "safetensors")) {
        assert!(file.metadata().unwrap().len() < 2000 + 4000, "{file:?}");
    }
    let weights = burn_import::open(folder.path().join("model.safetensors.index.json")).unwrap();
    let (loaded, report) = weights.load_into(Layers::<B>::new(CPU), Strictness::Strict).unwrap();
    assert!(report.is_complete());
    check_outputs(&loaded);
}

#[test]
fn x_401_an_index_names_no_file_of_another_folder_and_no_tensor_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors.index.json");
    let error = |map: &str| {
        std::fs::write(&path, format!("{{\"weight_map\": {map}}}")).unwrap();
        safetensors::open(&path).unwrap_err().to_string()
    };
    for outside in ["../layers.safetensors", "/etc/passwd", "a/b.safetensors", ".."] {
        let text = error(&format!("{{\"a\": \"{outside}\"}}"));
        assert!(text.contains("not in its folder") && text.contains(outside), "{text}");
    }
    std::fs::copy(fixture("dtypes.safetensors"), folder.path().join("dtypes.safetensors")).unwrap();
    let text = error("{\"nothing\": \"dtypes.safetensors\"}");
    assert!(text.contains("`nothing`") && text.contains("dtypes.safetensors"), "{text}");
    assert!(error("[1, 2]").contains("index"));
}

#[test]
fn x_401_the_recorder_keeps_records_and_says_whose_names_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.safetensors");
    let recorder = SafetensorsFileRecorder::<FullPrecisionSettings>::new();
    Recorder::<B>::record(&recorder, layers().into_record(), (&path).into()).unwrap();
    assert_eq!(SafetensorsFile::open(&path).unwrap().metadata()["format"], "burn");
    // Names and layouts are not translated on the way back.
    let names = content(&path);
    assert!(names.contains_key("layer_norm.gamma") && names["linear.weight"].shape[..] == [4, 3]);
    let record: LayersRecord<B> = recorder.load((&path).into(), CPU).unwrap();
    check_outputs(&Layers::new(CPU).load_record(record));
}

#[test]
fn x_401_the_recorder_writes_in_its_precision() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.safetensors");
    let recorder = SafetensorsFileRecorder::<HalfPrecisionSettings>::new();
    Recorder::<B>::record(&recorder, layers().into_record(), (&path).into()).unwrap();
    assert!(content(&path).values().all(|data| data.dtype == DType::F16));
}

#[test]
fn x_401_values_that_are_no_tensors_have_no_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.safetensors");
    let recorder = SafetensorsFileRecorder::<FullPrecisionSettings>::new();
    let error = Recorder::<B>::record(&recorder, vec![1.0_f64], (&path).into()).unwrap_err().to_string();
    assert!(error.contains("numbers.safetensors") && error.contains("number"), "{error}");
}

#[test]
fn x_401_every_type_is_read() {
    let file = content(&fixture("dtypes.safetensors"));
    let pickled = burn_import::open(fixture("dtypes.pt")).unwrap();
    for (name, data) in &file {
        assert_eq!(*data, pickled.read(name).unwrap().unwrap(), "{name}");
    }
    assert_eq!(file.len(), pickled.tensors().len());
}

/// A file of ten gigabytes, of which the file system keeps the table alone.
#[test]
fn x_403_a_file_of_ten_gigabytes_is_opened_without_being_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.safetensors");
    let rows = 5_u64 << 19;
    let size = 4 * 1024 * rows;
    let table = format!(
        r#"{{"large":{{"dtype":"F32","shape":[{rows},1024],"data_offsets":[0,{size}]}},"small":{{"dtype":"F32","shape":[2],"data_offsets":[{size},{}]}}}}"#,
        size + 8
    );
    let table = format!("{table:width$}", width = table.len().next_multiple_of(8));
    let mut start = (table.len() as u64).to_le_bytes().to_vec();
    start.extend_from_slice(table.as_bytes());
    std::fs::write(&path, &start).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(start.len() as u64 + size + 8).unwrap();
    let weights = safetensors::open(&path).unwrap();
    assert_eq!(weights.tensors()[0].shape()[..], [rows as usize, 1024]);
    // One tensor is read, and only that one.
    assert_eq!(weights.read("small").unwrap().unwrap(), TensorData::from([0.0_f32, 0.0]));
}

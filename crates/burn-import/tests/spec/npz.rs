//! arrays of NumPy.

use super::files::{fixture, wave};
use burn::tensor::{DType, TensorData};
use burn_import::npz;

fn single(values: Vec<f64>) -> Vec<f32> {
    values.into_iter().map(|x| x as f32).collect()
}

#[test]
fn x_404_npz_files_are_read_compressed_or_not() {
    for file in ["arrays.npz", "arrays_compressed.npz"] {
        let arrays = npz::open(fixture(file)).unwrap();
        let read = |name: &str| arrays.read(name).expect("it is there").unwrap();
        let matrix = TensorData::new(single(wave(12, 0)), [3, 4]);
        assert_eq!(read("f4"), matrix);
        assert_eq!(read("fortran"), matrix);
        assert_eq!(read("f8"), TensorData::new(wave(5, 0), [5]));
        assert_eq!(read("big"), TensorData::new(wave(4, 0), [4]));
        assert_eq!(read("f2"), TensorData::new(wave(4, 0), [2, 2]).convert_dtype(DType::F16));
        assert_eq!(read("i8"), TensorData::from([-3_i64, -2, -1, 0, 1, 2]));
        assert_eq!(read("u1"), TensorData::from([[0_u8, 255]]));
        assert_eq!(read("b1"), TensorData::from([true, false]));
        assert_eq!(read("scalar"), TensorData::new(&[1.5_f64][..], []));
        assert_eq!(read("empty").shape[..], [0, 3]);
    }
}

#[test]
fn x_404_npy_files_are_written_as_numpy_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, data) in [
        ("matrix", TensorData::new(single(wave(12, 0)), [3, 4])),
        ("vector", TensorData::new(wave(5, 0), [5])),
        ("flags", TensorData::new(&[true][..], [])),
    ] {
        let path = folder.path().join(format!("{name}.npy"));
        npz::save_npy(data.clone(), &path).unwrap();
        let file = fixture(&format!("{name}.npy"));
        assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&file).unwrap(), "{name}");
        assert_eq!(npz::open(&file).unwrap().read(name).unwrap().unwrap(), data);
    }
}

#[test]
fn x_404_npz_files_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arrays.npz");
    let tensors = vec![
        ("a.weight".to_string(), TensorData::from([[1.0_f32, -2.0]])),
        ("b".to_string(), TensorData::from([1_i64, 2, 3])),
    ];
    npz::save_npz(tensors.clone(), &path).unwrap();
    let arrays = npz::open(&path).unwrap();
    for (name, data) in tensors {
        assert_eq!(arrays.read(&name).unwrap().unwrap(), data);
    }
}

#[test]
fn x_404_arrays_of_objects_are_refused_by_name() {
    let error = npz::open(fixture("objects.npy")).unwrap_err().to_string();
    assert!(error.contains("objects.npy") && error.contains("Python objects"), "{error}");
}

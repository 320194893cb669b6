//! Files that are damaged, or made to do harm: an error that names file and cause, within a bound of memory.

use super::files::fixture;
use super::memory::peak;
use burn_import::{gguf, npz, pytorch, safetensors};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a zip file as `torch.save` does, with this pickle.
fn torch_file(folder: &Path, pickle: &[u8]) -> PathBuf {
    let path = folder.join("hostile.pt");
    zip_file(&path, &[("archive/data.pkl", pickle), ("archive/data/0", &[0; 64])]);
    path
}

fn zip_file(path: &Path, entries: &[(&str, &[u8])]) {
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, content) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap();
}

/// Why a pickle in a file is refused.
fn refused(pickle: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let error = pytorch::open(torch_file(folder.path(), pickle)).unwrap_err().to_string();
    assert!(error.contains("hostile.pt"), "{error}");
    error
}

#[test]
fn pickles_that_call_functions_are_refused_by_name() {
    for (pickle, name) in [
        (&b"cos\nsystem\n(S'touch /tmp/owned'\ntR."[..], "os.system"),
        (b"cbuiltins\neval\n(S'1'\ntR.", "builtins.eval"),
        (b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.", "posix.system"),
        (b"c__main__\nModel\n)\x81.", "__main__.Model"),
        (b"ctorch.jit\nload\n(S'x'\ntR.", "torch.jit.load"),
        (b"ctorch._utils\n_rebuild_sparse_tensor\n.", "sparse"),
    ] {
        let error = refused(pickle);
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn pickles_that_are_no_pickles_are_refused() {
    for pickle in [
        &b""[..],
        b".",
        b"\x80\x09N.",
        b"\x80\x02}q\x00",
        b"h\x07.",
        b"(((((",
        b"0.",
        b"\x8a\xff.",
        b"X\xff\xff\xff\xffa.",
        b"]K\x01s.",
        b"]Nb.",
        b"\x95\xff\xff\xff\xff\xff\xff\xff\xff\x82\x01.",
        b"Nq\x00R.",
        b"\x8c\x01\xff.",
    ] {
        assert!(!refused(pickle).is_empty());
    }
}

#[test]
fn a_pickle_of_lists_alone_is_refused_within_a_bound_of_memory() {
    let (error, most, _) = peak(|| refused(&vec![b']'; 32 << 20]));
    assert!(error.contains("more than 2097152 values"), "{error}");
    // Beside the file itself.
    assert!(most < (32 << 20) + (480 << 20), "{most} bytes");
}

#[test]
fn containers_that_hold_themselves_or_each_other_end() {
    // A dict that is a value of itself.
    assert!(refused(b"}q\x00X\x01\x00\x00\x00ah\x00s.").contains("hold each other"));
    // Lists of two of the one before: 2^60 tensors.
    let mut pickle = b"]q\x00".to_vec();
    for _ in 0..60 {
        pickle.extend_from_slice(b"]q\x01(h\x00h\x00eq\x00");
    }
    pickle.push(b'.');
    assert!(refused(&pickle).contains("hold each other"));
    // Depth that would exhaust the stack of a recursive reader.
    let deep = [vec![b']'; 1_000_000], vec![b'a'; 999_999], b".".to_vec()].concat();
    assert!(refused(&deep).contains("too deep"));
}

#[test]
fn copies_of_a_long_list_do_not_exhaust_memory() {
    let mut pickle = b"cbuiltins\ntuple\nq\x01](".to_vec();
    pickle.extend(vec![b'N'; 1 << 20]);
    pickle.extend_from_slice(b"eq\x00");
    for _ in 0..10_000 {
        pickle.extend_from_slice(b"0h\x01h\x00\x85R");
    }
    pickle.push(b'.');
    assert!(refused(&pickle).contains("MiB"));
}

#[test]
fn tensors_outside_of_their_memory_are_refused_by_name() {
    // `{'w': _rebuild_tensor_v2(storage of 16 floats, offset, sizes, strides, False, OrderedDict())}`.
    let pickle = |offset: &str, sizes: &str, strides: &str| {
        format!(
            "(S'w'\nctorch._utils\n_rebuild_tensor_v2\n((S'storage'\nctorch\nFloatStorage\nS'0'\nS'cpu'\nI16\ntQI{offset}\n{sizes}{strides}I00\nccollections\nOrderedDict\n)RtRd."
        )
    };
    for (offset, sizes, strides) in [
        ("0", "(I17\nt", "(I1\nt"),
        ("1", "(I16\nt", "(I1\nt"),
        ("0", "(I9223372036854775807\nI9223372036854775807\nt", "(I0\nI0\nt"),
        ("0", "(I1000000000\nI1000\nt", "(I0\nI0\nt"),
        ("0", "(I4\nt", "(I1\nI1\nt"),
        ("18446744073709551615", "(I1\nt", "(I1\nt"),
    ] {
        let error = refused(pickle(offset, sizes, strides).as_bytes());
        assert!(error.contains("`w`"), "{error}");
    }
    let negative = refused(pickle("0", "(I-1\nt", "(I1\nt").as_bytes());
    assert!(negative.contains("arguments"), "{negative}");
    let folder = tempfile::tempdir().unwrap();
    let fits =
        pytorch::open(torch_file(folder.path(), pickle("4", "(I3\nI4\nt", "(I4\nI1\nt").as_bytes())).unwrap();
    assert_eq!(fits.read("w").unwrap().unwrap().shape[..], [3, 4]);
}

#[test]
fn zip_files_with_entries_outside_or_without_a_pickle_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zip.pt");
    zip_file(&path, &[("archive/data.pkl", b"}."), ("archive/../../evil", b"")]);
    assert!(pytorch::open(&path).unwrap_err().to_string().contains("evil"));
    zip_file(&path, &[("archive/model.json", b"{}")]);
    assert!(pytorch::open(&path).unwrap_err().to_string().contains("data.pkl"));
    zip_file(&path, &[("m/data.pkl", b"}."), ("m/constants.pkl", b").")]);
    assert!(pytorch::open(&path).unwrap_err().to_string().contains("TorchScript"));
}

#[test]
fn every_truncation_of_every_fixture_is_an_error_or_loads() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "convs.pt",
        "convs_legacy.pt",
        "views.pt",
        "dtypes.safetensors",
        "arrays.npz",
        "arrays_compressed.npz",
        "matrix.npy",
        "tensors.gguf",
    ] {
        let whole = fs::read(fixture(name)).unwrap();
        let path = folder.path().join(name);
        let content = burn_import::open(fixture(name)).and_then(|weights| weights.read_all()).unwrap();
        for length in 0..whole.len() {
            // All of the head, and some of the bytes after it.
            if length > 300 && length % 41 != 0 {
                continue;
            }
            fs::write(&path, &whole[..length]).unwrap();
            let outcome = burn_import::open(&path).and_then(|weights| weights.read_all());
            match outcome {
                // Files may end with bytes that belong to no tensor.
                Ok(tensors) => assert_eq!(tensors, content, "{name} of {length} bytes"),
                Err(error) => assert!(error.to_string().contains(name), "{name} of {length} bytes: {error}"),
            }
        }
    }
}

#[test]
fn a_gigabyte_that_a_head_promises_is_not_allocated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("head.npy");
    let dict = format!("{:<118}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 8), }");
    fs::write(
        &path,
        [b"\x93NUMPY\x01\x00", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes()].concat(),
    )
    .unwrap();
    assert!(npz::open(&path).unwrap_err().to_string().contains("truncated"));
    let path = folder.path().join("head.gguf");
    let head = |tensors: u64, values: u64| {
        [b"GGUF\x03\0\0\0", &tensors.to_le_bytes()[..], &values.to_le_bytes(), &[0; 64]].concat()
    };
    for (tensors, values) in [(u64::MAX, 0), (1 << 40, 0), (0, u64::MAX), (0, 1 << 40)] {
        fs::write(&path, head(tensors, values)).unwrap();
        assert!(burn_import::open(&path).unwrap_err().to_string().contains("do not fit"));
    }
    fs::write(&path, b"GGUF\0\0\0\x03............").unwrap();
    assert!(burn_import::open(&path).unwrap_err().to_string().contains("byte order `big`"));
}

#[test]
fn products_of_sizes_beyond_memory_name_the_tensor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sizes.safetensors");
    for sizes in ["[4294967296,4294967296]", "[9223372036854775807,3]", "[0,9223372036854775807,9]"] {
        let table = format!(r#"{{"huge":{{"dtype":"F32","shape":{sizes},"data_offsets":[0,0]}}}}"#);
        let bytes = [&(table.len() as u64).to_le_bytes()[..], table.as_bytes()].concat();
        fs::write(&path, bytes).unwrap();
        let error = safetensors::open(&path).unwrap_err().to_string();
        assert!(error.contains("sizes.safetensors"), "{error}");
        assert!(error.contains("huge") || error.contains("overflow"), "{error}");
    }
    let path = folder.path().join("sizes.gguf");
    let sizes = [1_u64 << 40, 1 << 40].map(u64::to_le_bytes).concat();
    let rank = 2_u32.to_le_bytes();
    let name = [&4_u64.to_le_bytes()[..], b"huge"].concat();
    let tensor = [&name[..], &rank, &sizes, &0_u32.to_le_bytes(), &0_u64.to_le_bytes()].concat();
    let head = [&b"GGUF\x03\0\0\0"[..], &1_u64.to_le_bytes(), &0_u64.to_le_bytes()].concat();
    fs::write(&path, [head, tensor].concat()).unwrap();
    let error = gguf::open(&path).unwrap_err().to_string();
    assert!(error.contains("`huge`") && error.contains("beyond memory"), "{error}");
}

#[test]
fn texts_and_lists_longer_than_the_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.gguf");
    let head = [&b"GGUF\x03\0\0\0"[..], &0_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat();
    let key = [&1_u64.to_le_bytes()[..], b"k"].concat();
    let (text, array) = (8_u32.to_le_bytes(), 9_u32.to_le_bytes());
    let long = (1_u64 << 30).to_le_bytes();
    for value in [
        [&text[..], &long, b"abc"].concat(),
        // A gigabyte of texts.
        [&array[..], &text, &long, b"abc"].concat(),
        // Lists in lists.
        [array, 9_u32.to_le_bytes()].concat().repeat(1000),
    ] {
        fs::write(&path, [&head[..], &key, &value, &[0; 16]].concat()).unwrap();
        let error = gguf::open(&path).unwrap_err().to_string();
        assert!(error.contains("bomb.gguf") && error.contains("`k`"), "{error}");
    }
}

#[test]
fn arrays_outside_of_a_zip_file_or_shorter_than_they_say_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arrays.npz");
    zip_file(&path, &[("../outside.npy", b"")]);
    let error = npz::open(&path).unwrap_err().to_string();
    assert!(error.contains("arrays.npz") && error.contains("outside"), "{error}");
    let dict =
        format!("{:<118}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 2), }");
    let array = [b"\x93NUMPY\x01\x00", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes()].concat();
    zip_file(&path, &[("huge.npy", &array)]);
    let error = npz::open(&path).unwrap_err().to_string();
    assert!(error.contains("huge.npy") && error.contains("beyond memory"), "{error}");
}

#[test]
fn names_of_a_million_levels_do_not_exhaust_the_stack() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.safetensors");
    let name = "a.".repeat(1_000_000);
    burn_import::safetensors::save_tensors(vec![(name, burn::tensor::TensorData::from([1.0_f32]))], &path)
        .unwrap();
    let error = burn_import::open(&path).unwrap().read_all().unwrap_err().to_string();
    assert!(error.contains("128 levels"), "{error}");
}

#[test]
fn items_that_are_added_in_a_loop_are_counted() {
    // One byte of the file is an item of 32 bytes: 18 Mi of them would be 576 MiB, three times that while a
    // list grows.
    let loops: [(&str, &[u8], &[u8]); 3] = [
        ("APPENDS", b"](", b"NNNNNNNNNNNNNNNNe("),
        ("SETITEMS", b"}(", b"NNNNNNNNNNNNNNNNu("),
        ("ADDITEMS", b"\x8f(", b"NNNNNNNNNNNNNNNN\x90("),
    ];
    for (name, start, round) in loops {
        let pickle = [start, &round.repeat(18 << 16), b"0."].concat();
        let file = pickle.len();
        let (error, most, _) = peak(|| refused(&pickle));
        assert!(error.contains("the objects of the pickle take more than 512 MiB"), "{name}: {error}");
        // Beside the file itself; a list that grows is in memory twice for a moment.
        assert!(most < 2 * file + (800 << 20), "{name}: {most} bytes");
    }
}

#[test]
fn objects_and_memos_that_are_made_in_a_loop_are_counted() {
    for (name, round) in [
        ("tuples", &b")0"[..]),
        ("texts", b"\x8c\x000"),
        ("dicts", b"}0"),
        ("calls", b"ccollections\nOrderedDict\n)R0"),
    ] {
        let pickle = [&round.repeat((8 << 20) / round.len()), &b"N."[..]].concat();
        let folder = tempfile::tempdir().unwrap();
        let path = torch_file(folder.path(), &pickle);
        let (_, most, _) = peak(|| pytorch::open(path));
        assert!(most < 2 * pickle.len() + (800 << 20), "{name}: {most} bytes");
    }
    // Lists that take over the memory of a stack that was long once.
    let long = [vec![b'('], vec![b'N'; 2 << 20], b"l0".to_vec()].concat();
    let pickle = [long, b"(l0".repeat(1000), b"N.".to_vec()].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = torch_file(folder.path(), &pickle);
    let (_, most, _) = peak(|| pytorch::open(path));
    assert!(most < 512 << 20, "{most} bytes");
}

#[test]
fn settings_that_repeat_a_long_text_are_refused() {
    let text = "x".repeat(1 << 20);
    let mut pickle = format!("S'{text}'\nq\x000]q\x01(").into_bytes();
    for _ in 0..1000 {
        pickle.extend_from_slice(b"h\x00");
    }
    pickle.extend_from_slice(b"e.");
    let folder = tempfile::tempdir().unwrap();
    let path = torch_file(folder.path(), &pickle);
    let (error, most, _) =
        peak(|| pytorch::config_from_file::<Vec<String>>(&path, None).unwrap_err().to_string());
    assert!(error.contains("the texts of the settings take more than 64 MiB"), "{error}");
    assert!(most < 256 << 20, "{most} bytes");
}

#[test]
fn an_index_that_names_an_index_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a.json"), folder.path().join("b.json"));
    // 49 bytes and less: an index that names itself, and two that name each other.
    for (a, b) in [("a.json", "a.json"), ("b.json", "a.json")] {
        fs::write(&first, format!(r#"{{"weight_map":{{"w":"{a}"}}}}"#)).unwrap();
        fs::write(&second, format!(r#"{{"weight_map":{{"w":"{b}"}}}}"#)).unwrap();
        let error = safetensors::open(&first).unwrap_err().to_string();
        assert!(error.contains("a.json") && error.contains(&format!("names `{a}`")), "{error}");
        assert!(error.contains("not an index"), "{error}");
    }
}

/// An array of zeros in the format of NumPy, and the zip file with it, compressed.
fn packed_zeros(path: &Path, descr: &str, bytes: usize) {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}", bytes / 4);
    let header = [b"\x93NUMPY\x01\x00", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes()].concat();
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    zip.start_file("zeros.npy", options).unwrap();
    zip.write_all(&header).unwrap();
    zip.write_all(&vec![0; bytes]).unwrap();
    zip.finish().unwrap();
}

#[test]
fn an_unpacked_array_is_in_memory_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.npz");
    let size = 128 << 20;
    for descr in ["<f4", ">f4"] {
        packed_zeros(&path, descr, size);
        assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
        let (data, most, left) = peak(|| npz::open(&path).unwrap().read("zeros").unwrap().unwrap());
        assert_eq!(data.num_elements(), size / 4);
        assert!(data.as_slice::<f32>().unwrap().iter().all(|x| *x == 0.0));
        assert!(left >= size && most < size + (2 << 20), "{descr}: {most} bytes for an array of {size}");
    }
}

#[test]
fn entries_that_are_larger_than_their_bytes_or_share_them_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.npz");
    packed_zeros(&path, "<f4", 1 << 20);
    let whole = fs::read(&path).unwrap();
    let directory = whole.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    // The unpacked size of the directory, four bytes at 24.
    let mut large = whole.clone();
    large[directory + 24..directory + 28].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
    fs::write(&path, large).unwrap();
    let error = npz::open(&path).unwrap_err().to_string();
    assert!(error.contains("zeros.npy") && error.contains("do not hold"), "{error}");
    // A second entry of the directory, of another name, with the same bytes.
    let end = whole.windows(4).position(|at| at == b"PK\x05\x06").unwrap();
    let mut entry = whole[directory..end].to_vec();
    let name = entry.windows(5).position(|at| at == b"zeros").unwrap();
    entry[name..name + 5].copy_from_slice(b"other");
    let mut tail = whole[end..].to_vec();
    tail[8..12].copy_from_slice(&[2, 0, 2, 0]);
    let size = (2 * (end - directory)) as u32;
    tail[12..16].copy_from_slice(&size.to_le_bytes());
    fs::write(&path, [&whole[..end], &entry, &tail].concat()).unwrap();
    let error = npz::open(&path).unwrap_err().to_string();
    assert!(error.contains("`zeros.npy` and `other.npy`") && error.contains("same bytes"), "{error}");
}

#[test]
fn a_packed_array_with_a_wrong_checksum_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.npz");
    packed_zeros(&path, "<f4", 4096);
    let mut bytes = fs::read(&path).unwrap();
    let directory = bytes.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
    bytes[directory + 16] ^= 1;
    fs::write(&path, bytes).unwrap();
    // A small array is read with its header.
    let error = npz::open(&path).and_then(|arrays| arrays.read("zeros").unwrap()).unwrap_err().to_string();
    assert!(error.contains("zeros.npz") && error.to_lowercase().contains("checksum"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_fifo_in_place_of_a_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.pt", "a.safetensors", "a.index.json", "a.gguf", "a.npz"] {
        let path = folder.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = burn_import::open(&path).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("a FIFO (named pipe)"), "{error}");
    }
    for error in [
        pytorch::open(folder.path().join("a.pt")).unwrap_err(),
        safetensors::open(folder.path().join("a.safetensors")).unwrap_err(),
        safetensors::open(folder.path().join("a.index.json")).unwrap_err(),
        gguf::open(folder.path().join("a.gguf")).unwrap_err(),
        npz::open(folder.path().join("a.npz")).unwrap_err(),
    ] {
        assert!(error.to_string().contains("a FIFO (named pipe)"), "{error}");
    }
}

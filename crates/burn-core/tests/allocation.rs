//! Memory allocation of configs, modules and records: which calls allocate, and how much.

use burn_core::config::Config;
use burn_core::module::{Initializer, Module, Param};
use burn_core::record::{
    BinBytesRecorder, BinFileRecorder, BinGzFileRecorder, FileRecorder, FullPrecisionSettings,
    JsonGzFileRecorder, NamedMpkFileRecorder, NamedMpkGzFileRecorder, PrettyJsonFileRecorder, Recorder,
};
use burn_core::tensor::{Backend, Tensor};
use burn_ndarray::NdArray;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::time::{Duration, Instant};

type B = NdArray;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Counts what this thread has allocated.
struct Counting;

fn count(bytes: isize) {
    // The thread may be ending; then nothing is counted.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that `f` has allocated at a time.
fn peak<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = f();
    (result, (PEAK.get() - before).try_into().expect("a peak is not below the beginning"))
}

#[derive(Module, Debug)]
struct Wide<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

fn wide(size: usize) -> Wide<B> {
    Wide { weight: Initializer::TORCH.init([size, size], &Default::default()) }
}

#[test]
fn a_module_that_is_not_used_takes_no_memory() {
    let (model, bytes) = peak(|| wide(10_000));
    assert!(bytes < 1000, "{bytes} bytes for a parameter of 400 MB that is not used");
    let (copies, bytes) = peak(|| (model.clone(), model.num_params(), model.to_string()));
    assert!(bytes < 4000, "{bytes}");
    assert_eq!(copies.1, 100_000_000);
}

#[test]
fn loading_a_record_allocates_nothing_for_what_it_replaces() {
    let record = wide(256).map(&mut Touch).into_record();
    let model = wide(256);
    let (loaded, bytes) = peak(|| model.load_record(record));
    assert!(bytes < 4000, "{bytes} bytes to put a record of 262144 bytes into its place");
    assert!(loaded.weight.is_initialized());
}

struct Touch;
impl<B: Backend> burn_core::module::ModuleMapper<B> for Touch {}

#[test]
fn lengths_in_damaged_bytes_are_not_believed() {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let tree = |tree: &[u8]| {
        let mut bytes = b"BURNBIN\x02".to_vec();
        bytes.extend_from_slice(tree);
        bytes.extend_from_slice(&crc32fast::hash(tree).to_le_bytes());
        bytes
    };
    // As bincode marks a number of 64 bits.
    let huge = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    // Text, bytes, list and map that say they are 2^64 - 1 long, and a tensor of as many elements.
    let mut cases: Vec<Vec<u8>> = [6, 7, 9, 10].map(|tag| [&[tag][..], &huge].concat()).into();
    cases.push([&[8, 3][..], b"f32", &[1], &huge, &[0]].concat());
    cases.push([9, 1].repeat(100_000));
    cases.push([10, 1, 0].repeat(100_000));
    for case in cases {
        let bytes = tree(&case);
        let allowed = 4 * bytes.len() + 20_000;
        let (result, bytes) = peak(|| Recorder::<B>::load_node(&recorder, bytes));
        assert!(result.is_err());
        assert!(bytes < allowed, "{bytes} bytes for {case:?}");
    }
}

#[test]
fn lengths_in_damaged_files_are_not_believed() {
    let path = std::env::temp_dir().join(format!("burn-allocation-{}", std::process::id()));
    let (mpk, json) = (path.with_extension("mpk"), path.with_extension("json"));
    let huge = |tag: u8| [tag, 0xff, 0xff, 0xff, 0xff].to_vec();
    // Bytes, text, list, map and something of another program that say they are 2^32 - 1 long, and deep
    // nesting.
    let mut cases: Vec<Vec<u8>> = [0xc6, 0xdb, 0xdd, 0xdf, 0xc9].map(huge).into();
    cases.extend([[0x91].repeat(100_000), [0x81, 0xa0].repeat(100_000), [0xdd, 0, 0, 0, 9].repeat(50_000)]);
    for case in cases {
        std::fs::write(&mpk, &case).unwrap();
        let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
        let (result, bytes) = peak(|| Recorder::<B>::load_node(&recorder, mpk.clone()));
        assert!(result.is_err());
        assert!(
            bytes < 4 * case.len() + 20_000,
            "{bytes} bytes for {} that begin {:x?}",
            case.len(),
            &case[..2]
        );
    }
    std::fs::remove_file(&mpk).unwrap();
    for case in [b"[".repeat(100_000), b"{\"\":".repeat(100_000)] {
        std::fs::write(&json, &case).unwrap();
        let recorder = PrettyJsonFileRecorder::<FullPrecisionSettings>::new();
        let (result, bytes) = peak(|| Recorder::<B>::load_node(&recorder, json.clone()));
        assert!(result.is_err());
        assert!(bytes < 4 * case.len() + 20_000, "{bytes} bytes for {}", case.len());
    }
    std::fs::remove_file(&json).unwrap();
}

const VALUES: usize = 64 << 20;

/// Loads a file of 64 million values with a recorder, and compares what that takes.
fn refuses_values<R: FileRecorder<B>>(recorder: R, content: &[u8]) {
    let name = format!("burn-values-{}-{:?}", std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(name);
    let file = path.with_extension(R::file_extension());
    if R::file_extension().ends_with("gz") {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(content).unwrap();
        let compressed = gzip.finish().unwrap();
        assert!(compressed.len() < 512 << 10, "{} bytes", compressed.len());
        std::fs::write(&file, compressed).unwrap();
    } else {
        std::fs::write(&file, content).unwrap();
    }
    let size = std::fs::metadata(&file).unwrap().len() as usize;
    let start = Instant::now();
    let (result, bytes) = peak(|| Recorder::<B>::load_node(&recorder, path));
    std::fs::remove_file(&file).unwrap();
    let error = result.unwrap_err().to_string();
    assert!(error.contains("too many values"), "{error}");
    assert!(bytes < size + (512 << 20), "{bytes} bytes of memory for a file of {size}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn sixty_four_million_values_are_refused_in_every_format() {
    let nils = |head: &[u8], nil: u8, tail: &[u8]| [head, &vec![nil; VALUES], tail].concat();
    // A list of 2^26 times nothing.
    let mpk = nils(&[0xdd, 4, 0, 0, 0], 0xc0, &[]);
    refuses_values(NamedMpkFileRecorder::<FullPrecisionSettings>::new(), &mpk);
    refuses_values(NamedMpkGzFileRecorder::<FullPrecisionSettings>::new(), &mpk);

    let tree = nils(&[9, 252, 0, 0, 0, 4], 0, &[]);
    let checksum = crc32fast::hash(&tree).to_le_bytes();
    let bin = [b"BURNBIN\x02", &tree[..], &checksum].concat();
    drop(tree);
    refuses_values(BinFileRecorder::<FullPrecisionSettings>::new(), &bin);
    refuses_values(BinGzFileRecorder::<FullPrecisionSettings>::new(), &bin);
    let (result, bytes) = peak(|| {
        let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
        Recorder::<B>::load_node(&recorder, bin)
    });
    assert!(result.unwrap_err().to_string().contains("too many values"));
    assert!(bytes < 512 << 20, "{bytes}");

    let mut json = b"[0".to_vec();
    json.extend(b",0".repeat(VALUES / 2));
    json.push(b']');
    refuses_values(PrettyJsonFileRecorder::<FullPrecisionSettings>::new(), &json);
    refuses_values(JsonGzFileRecorder::<FullPrecisionSettings>::new(), &json);
}

#[test]
fn lists_of_lists_and_empty_fields_are_refused_as_well() {
    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    for item in [&[0x91, 0xc0][..], &[0xa0], &[0x81, 0xa0, 0xc0], &[0x93, 0x90, 0x80, 0xa1, b'a'], &[0xc4, 0]]
    {
        refuses_values(recorder, &[&[0xdd, 1, 0, 0, 0], &item.repeat(1 << 22)[..]].concat());
    }
    let fields = [&[0xdf, 1, 0, 0, 0], &[0xa0, 0xc0].repeat(1 << 22)[..]].concat();
    refuses_values(recorder, &fields);
}

#[derive(Config, Debug)]
struct Anything {
    numbers: Vec<u8>,
}

#[test]
fn a_config_of_millions_of_values_is_refused() {
    let text = [b"{\"numbers\": [0", &b",0".repeat(16 << 20)[..], b"]}"].concat();
    let size = text.len();
    let (result, bytes) = peak(|| Anything::load_binary(&text));
    assert!(result.unwrap_err().to_string().contains("no config"));
    assert!(bytes < 1000, "{bytes}");

    let path = std::env::temp_dir().join(format!("burn-config-{}.json", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let (result, bytes) = peak(|| Anything::load(&path));
    assert!(result.unwrap_err().to_string().contains("no config"));
    assert!(bytes < 2 * size + 10_000, "{bytes}");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let (result, bytes) = peak(|| Anything::load(&path));
    std::fs::remove_file(&path).unwrap();
    assert!(result.unwrap_err().to_string().contains("at most 64 MiB"));
    assert!(bytes < 10_000, "{bytes}");
}

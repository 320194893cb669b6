//! The page in Chromium, on each of its backends, beside the same network on this machine. The weights are
//! random, so that the tests need no network; the example `image-classification` compares the network with
//! PyTorch.

use burn::backend::NdArray;
use burn::module::{Module, ModuleMapper, ParamId};
use burn::tensor::{Tensor, TensorData};
use image_classification::EfficientNetLite0;
use image_classification_web::Classifier;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;
use web_page::{Chromium, Graphics, Page, Profile, Server, accessibility_files, assert_accessible};

/// Height and width of the pictures: a twelfth of the work of 224 x 224.
const SIDE: usize = 64;

/// Fills each weight with the numbers of a wave, as large as keeps the variance from layer to layer (He et
/// al. 2015).
struct Waves;

impl ModuleMapper<NdArray> for Waves {
    fn map_float<const D: usize>(&mut self, _id: ParamId, x: Tensor<NdArray, D>) -> Tensor<NdArray, D> {
        let shape = x.shape();
        if D == 1 {
            return x;
        }
        let inputs = if D == 2 { shape[0] } else { shape[1..].iter().product() };
        let scale = (6.0 / inputs as f64).sqrt();
        let value = |k: usize| (scale * (12.9898 * k as f64 * k as f64).sin()) as f32;
        let values: Vec<f32> = (0..shape.num_elements()).map(value).collect();
        Tensor::from_data(TensorData::new(values, shape), &x.device())
    }
}

/// The same for all tests: biases are drawn.
fn weights() -> Vec<u8> {
    static WEIGHTS: OnceLock<Vec<u8>> = OnceLock::new();
    let weights = WEIGHTS.get_or_init(|| {
        let device = Default::default();
        let model = EfficientNetLite0::<NdArray>::new(&device).map(&mut Waves);
        Classifier::weights(model).expect("the numbers are small")
    });
    weights.clone()
}

/// A picture, as a canvas has it.
fn picture(frequency: f64) -> Vec<u8> {
    let value = |at: usize| (127.5 + 127.0 * (frequency * at as f64).sin()) as u8;
    (0..SIDE * SIDE).flat_map(|at| [value(at), value(2 * at), value(3 * at), 255]).collect()
}

const PICTURES: [(&str, f64); 2] = [("first.bin", 0.05), ("second.bin", 0.71)];

const WITH_AXE: bool = cfg!(feature = "test-axe");

/// The page with the features of this test, built once.
fn page() -> &'static Path {
    static PAGE: OnceLock<TempDir> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = ["web/index.html", "web/page.js", "web/worker.js", "tests/behaviour.html"];
        let mut files: Vec<PathBuf> = files.map(|name| root.join(name)).into();
        files.extend(accessibility_files(WITH_AXE).unwrap_or_else(|error| panic!("{error}")));
        let features: Vec<&str> =
            [("candle", cfg!(feature = "test-candle")), ("wgpu", cfg!(feature = "test-wgpu"))]
                .into_iter()
                .filter_map(|(name, is_on)| is_on.then_some(name))
                .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let package = env!("CARGO_PKG_NAME");
        let page = Page { package, features: &features, files: &files, profile: Profile::Dev };
        page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        write_data(folder.path());
        folder
    });
    page.path()
}

/// Writes the weights, the names of no class, and the pictures beside a page.
fn write_data(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("written");
    write("weights.bin", &weights());
    write("classes.json", b"[]");
    PICTURES.iter().for_each(|&(name, frequency)| write(name, &picture(frequency)));
}

/// Opens a page in a folder, and returns what it reports.
fn report(folder: &Path, address: &str, graphics: Graphics) -> serde_json::Value {
    let server = Server::start(folder, 0).expect("a free port");
    let chromium = Chromium::find(graphics).unwrap_or_else(|error| panic!("{error}"));
    let report = chromium.report(&server, address).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"))
}

/// Probabilities in Chromium.
fn in_chromium(folder: &Path, backend: &str, picture: &str, graphics: Graphics) -> Vec<f64> {
    let report = report(folder, &format!("/?backend={backend}&side={SIDE}&pixels={picture}"), graphics);
    let probabilities = report["probabilities"].as_array().expect("an array").iter();
    probabilities.map(|value| value.as_f64().expect("a number")).collect()
}

/// Compares both pictures in the page of a folder with the network on this machine, and with each other: they
/// must not give the same.
fn compare(folder: &Path, backend: &str, graphics: Graphics) {
    let native = Classifier::<NdArray>::load(weights(), Default::default()).expect("just written");
    let mut all = Vec::new();
    for (name, frequency) in PICTURES {
        let expected: Vec<f64> = native.forward(&picture(frequency)).into_data().iter().collect();
        let found = in_chromium(folder, backend, name, graphics);
        assert_eq!(found.len(), expected.len());
        let largest = expected.iter().fold(0.0, |largest: f64, &x| largest.max(x));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-3 * largest, "{found} and {expected} of {largest}");
        }
        all.push(expected);
    }
    let most = all[0].iter().zip(&all[1]).map(|(a, b)| (a - b).abs() / a.max(*b)).fold(0.0, f64::max);
    assert!(most > 0.1, "the pictures give the same but for {most}");
}

#[test]
fn ex_009_pictures_are_classified_on_ndarray_in_chromium() {
    compare(page(), "NdArray", Graphics::None);
}

/// Other tests build all pages at once, with the kernels of all.
#[cfg(feature = "test-size")]
#[test]
fn ex_009_pictures_are_classified_by_the_page_as_users_load_it_in_chromium() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<PathBuf> =
        ["index.html", "page.js", "worker.js"].map(|name| root.join("web").join(name)).into();
    let folder = tempfile::tempdir().expect("a folder");
    let package = env!("CARGO_PKG_NAME");
    let page = Page { package, features: &[], files: &files, profile: Profile::FastKernels };
    page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    page.check_size(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    write_data(folder.path());
    compare(folder.path(), "NdArray", Graphics::None);
}

/// Needs nightly Rust with its source, and builds the kernels and the standard library once more.
#[cfg(feature = "test-threads")]
#[test]
fn results_with_threads_have_the_bits_of_those_without_and_pages_that_share_no_memory_say_so() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["web/index.html", "web/page.js", "web/worker.js", "tests/not_isolated.html"];
    let files: Vec<PathBuf> = files.map(|name| root.join(name)).into();
    let folder = tempfile::tempdir().expect("a folder");
    let package = env!("CARGO_PKG_NAME");
    let page_with_threads = Page { package, features: &[], files: &files, profile: Profile::Threads };
    page_with_threads.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
    write_data(folder.path());

    for (name, _) in PICTURES {
        let address =
            |threads| format!("/?backend=NdArray&side={SIDE}&pixels={name}&times=5&threads={threads}");
        let expected = report(page(), &address(1), Graphics::None);
        for threads in [1, 2, 3] {
            let found = report(folder.path(), &address(threads), Graphics::None);
            assert_eq!(found["threads"], threads);
            assert_eq!(found["probabilities"], expected["probabilities"], "{threads} threads");
        }
    }

    let server = Server::start(folder.path(), 0).expect("a free port");
    let chromium = Chromium::find(Graphics::None).unwrap_or_else(|error| panic!("{error}"));
    let error = chromium.report(&server, &format!("/not_isolated.html?side={SIDE}")).expect_err("no memory");
    assert!(error.to_string().contains("the page is not cross-origin isolated"), "{error}");
}

#[test]
fn wa_001_ndarray_candle_and_wgpu_compile_for_browsers() {
    let (package, features) = (env!("CARGO_PKG_NAME"), &["candle", "wgpu"]);
    let page = Page { package, features, files: &[], profile: Profile::Dev };
    page.check().unwrap_or_else(|error| panic!("{error}"));
}

#[cfg(feature = "test-candle")]
#[test]
fn wa_001_pictures_are_classified_on_candle_in_chromium() {
    compare(page(), "Candle", Graphics::None);
}

#[cfg(feature = "test-wgpu")]
#[test]
fn wa_001_pictures_are_classified_through_webgpu_in_chromium() {
    compare(page(), "Wgpu", Graphics::WebGpu);
}

/// Every pixel of the canvas has this color, but for what smoothing does to the outermost ones.
#[track_caller]
fn assert_color(pixels: &serde_json::Value, color: [u8; 3]) {
    let values: Vec<u8> = pixels
        .as_array()
        .expect("an array")
        .iter()
        .map(|value| value.as_u64().expect("a byte") as u8)
        .collect();
    assert_eq!(values.len(), 4 * SIDE * SIDE);
    for (at, pixel) in values.chunks(4).enumerate() {
        let (row, column) = (at / SIDE, at % SIDE);
        let is_inner = (1..SIDE - 1).contains(&row) && (1..SIDE - 1).contains(&column);
        assert!(!is_inner || pixel == [color[0], color[1], color[2], 255], "{row} {column}: {pixel:?}");
    }
}

#[test]
fn pictures_are_cropped_and_failures_are_one_sentence_and_not_kept_in_chromium() {
    let found = report(page(), &format!("/behaviour.html?side={SIDE}"), Graphics::None);
    // The shorter side is resized to 256, and the middle of 224 x 224 is cut out: lime alone is in it.
    assert_color(&found["red"], [255, 0, 0]);
    assert_color(&found["wide"], [0, 255, 0]);
    assert_color(&found["framed"], [0, 255, 0]);
    // A transparent picture after a red one.
    assert_color(&found["transparent"], [255, 255, 255]);
    let sentences = [
        "weights.bin could not be loaded: the server answers 404 Not Found.",
        "weights.bin could not be loaded: the server does not answer.",
        "notes.txt is not a picture that this browser can show.",
    ];
    assert_eq!(found["errors"], serde_json::json!(sentences));
    // Nothing else went wrong, a cancelled choice least of all.
    assert_eq!(found["rejections"], serde_json::json!(sentences));
    assert_eq!(found["cancelled"], true);
    assert_color(&found["dropped"], [255, 0, 0]);
    assert_color(&found["pasted"], [255, 255, 255]);
    // The network computes for longer than it takes to draw a frame, and the page draws meanwhile.
    assert_eq!((&found["busy"], &found["idle"]), (&true.into(), &true.into()));
    assert!(found["frames"].as_u64() > Some(0), "{}", found["frames"]);
    assert_eq!(found["status"], "status");
    for found in found["accessible"].as_array().expect("an array") {
        assert_accessible(found, WITH_AXE);
    }
}

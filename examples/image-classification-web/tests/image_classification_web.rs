//! The page in Chromium, on each of its backends, beside the same network on this machine. The weights are random, so that the
//! tests need no network; the example `image-classification` compares the network with PyTorch.

use burn::backend::NdArray;
use burn::module::{Module, ModuleMapper, ParamId};
use burn::tensor::{Tensor, TensorData};
use image_classification::EfficientNetLite0;
use image_classification_web::Classifier;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;
use web_page::{Chromium, Graphics, Page, Profile, Server};

/// Height and width of the pictures: a twelfth of the work of 224 x 224.
const SIDE: usize = 64;

/// Fills each weight with the numbers of a wave, as large as keeps the variance from layer to layer (He et al. 2015).
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

/// The page with the features of this test, built once.
fn page() -> &'static Path {
    static PAGE: OnceLock<TempDir> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let files: Vec<PathBuf> = ["index.html", "page.js"].map(|name| web.join(name)).into();
        let features: Vec<&str> =
            [("candle", cfg!(feature = "test-candle")), ("wgpu", cfg!(feature = "test-wgpu"))]
                .into_iter()
                .filter_map(|(name, is_on)| is_on.then_some(name))
                .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let package = env!("CARGO_PKG_NAME");
        let page = Page { package, features: &features, files: &files, profile: Profile::Dev };
        page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let write =
            |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("written");
        write("weights.bin", &weights());
        write("classes.json", b"[]");
        PICTURES.iter().for_each(|&(name, frequency)| write(name, &picture(frequency)));
        folder
    });
    page.path()
}

/// Probabilities in Chromium.
fn in_chromium(backend: &str, picture: &str, graphics: Graphics) -> Vec<f64> {
    let server = Server::start(page(), 0).expect("a free port");
    let chromium = Chromium::find(graphics).unwrap_or_else(|error| panic!("{error}"));
    let address = format!("/?backend={backend}&side={SIDE}&pixels={picture}");
    let report = chromium.report(&server, &address).unwrap_or_else(|error| panic!("{error}"));
    let report: serde_json::Value =
        serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let probabilities = report["probabilities"].as_array().expect("an array").iter();
    probabilities.map(|value| value.as_f64().expect("a number")).collect()
}

/// Compares both pictures with the network on this machine, and with each other: they must not give the same.
fn compare(backend: &str, graphics: Graphics) {
    let native = Classifier::<NdArray>::load(weights(), Default::default()).expect("just written");
    let mut all = Vec::new();
    for (name, frequency) in PICTURES {
        let expected: Vec<f64> = native.forward(&picture(frequency)).into_data().iter().collect();
        let found = in_chromium(backend, name, graphics);
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
    compare("NdArray", Graphics::None);
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
    compare("Candle", Graphics::None);
}

#[cfg(feature = "test-wgpu")]
#[test]
fn wa_001_pictures_are_classified_through_webgpu_in_chromium() {
    compare("Wgpu", Graphics::WebGpu);
}

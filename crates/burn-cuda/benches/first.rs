//! Times from the start of a process to the end of its first call: a line of name and seconds for each
//! workload, without kernels on disk and with them. The processes are this one again.

mod training;

use burn_autodiff::Autodiff;
use burn_backend::*;
use burn_cuda::{Cuda, CudaDevice, allow_tf32};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorPrimitive, activation};
use half::bf16;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

type B = Fusion<Cuda>;
type Half = Autodiff<Fusion<Cuda<bf16>>>;
type Primitive = <B as Backend>::Tensor;

/// Says to a process which workload it is there for.
const WANTED: &str = "BURN_FIRST_CALL";
/// Number of runs, of which the median counts.
const TRIES: usize = 3;
/// Line that a process prints when it is done.
const DONE: &str = "the first call is done";
const WORKLOADS: [&str; 15] = [
    "matmul",
    "conv",
    "conv step",
    "attention",
    "attention step",
    "softmax",
    "layer norm",
    "gelu chain",
    "sum last",
    "sum first",
    "guide step",
    "encoder step tf32",
    "encoder step bf16",
    "nn encoder step tf32",
    "lstm step tf32",
];

fn random<const D: usize>(shape: [usize; D]) -> Primitive {
    let spec = TensorSpec::new(shape, DType::F32);
    B::cast(B::random(spec, Distribution::Normal(0.0, 1.0), &CudaDevice::default()), DType::BF16)
}

fn tensor<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(random(shape)))
}

fn primitive<const D: usize>(x: Tensor<B, D>) -> Primitive {
    x.into_primitive().tensor()
}

fn convolution(with_gradients: bool) -> Primitive {
    let options = || ConvOptions { padding: Dims::repeat(1, 2), ..ConvOptions::new(2) };
    let (x, weight) = (random([64, 64, 56, 56]), random([64, 64, 3, 3]));
    let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias: None, options: options() };
    let y = B::conv(args);
    if !with_gradients {
        return y;
    }
    let gradient = |other: Primitive, like: &Primitive| {
        let (grad, target) = (y.clone(), like.shape().clone());
        ConvGradArgs { grad, other, target, options: options() }
    };
    let by_weight = B::conv_weight_grad(gradient(x.clone(), &weight));
    drop(B::to_device(by_weight, &CudaDevice::default()));
    B::conv_transpose(gradient(weight, &x))
}

fn attention(with_gradients: bool) -> Primitive {
    let [query, key, value] = [0; 3].map(|_| random([8, 16, 2048, 64]));
    let (mask, causal, scale) = (None, false, 0.125);
    let args = AttentionArgs { query, key, value, mask, causal, scale };
    let (output, log_sums) = B::attention(args.clone());
    if !with_gradients {
        return output;
    }
    let AttentionArgs { query, key, value, mask, .. } = args;
    let grad = output.clone();
    let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
    B::attention_grad(args).0
}

fn run(workload: &str) {
    match workload {
        "matmul" => done(B::matmul(random([4096, 4096]), random([4096, 4096]))),
        "conv" => done(convolution(false)),
        "conv step" => done(convolution(true)),
        "attention" => done(attention(false)),
        "attention step" => done(attention(true)),
        "softmax" => done(primitive(activation::softmax(tensor([8192, 4096]), 1))),
        "layer norm" => {
            let (weight, bias, epsilon) = (None, None, 1e-5);
            done(B::layer_norm(LayerNormArgs { x: random([16_384, 1024]), weight, bias, epsilon }));
        }
        "gelu chain" => {
            let x = tensor::<3>([32, 512, 2048]);
            let half = (x.clone() / 2_f64.sqrt()).erf() + 1;
            done(primitive(x * half / 2));
        }
        "sum last" => done(primitive(tensor([8192, 8192]).sum_dim(1))),
        "sum first" => done(primitive(tensor([8192, 8192]).sum_dim(0))),
        "guide step" => step::<Autodiff<B>>(training::guide::steps::<Autodiff<B>>()),
        "encoder step tf32" => step::<Autodiff<B>>(training::encoder::steps::<Autodiff<B>>()),
        "encoder step bf16" => step::<Half>(training::encoder::steps::<Half>()),
        "nn encoder step tf32" => step::<Autodiff<B>>(training::nn_encoder::steps::<Autodiff<B>>()),
        "lstm step tf32" => step::<Autodiff<B>>(training::lstm::steps::<Autodiff<B>>()),
        _ => panic!("no workload is called {workload}"),
    }
}

fn done(made: Primitive) {
    let device = CudaDevice::default();
    drop(B::to_device(made, &device));
    B::sync(&device);
}

fn step<B: Backend>(train: impl Fn()) {
    train();
    B::sync(&B::Device::default());
}

/// Seconds that a process of its own takes.
fn seconds(workload: &str, cache: &Path) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("a file"));
    command.env(WANTED, workload).env("BURN_CACHE", cache);
    // The driver keeps kernels of libraries.
    command.env("CUDA_CACHE_PATH", cache.join("driver"));
    let start = Instant::now();
    let mut process = command.stdout(Stdio::piped()).spawn().expect("it runs already");
    let mut lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
    let said = lines.any(|line| line.is_ok_and(|line| line.contains(DONE)));
    let taken = start.elapsed().as_secs_f64();
    // Read the remaining output, so that the process is not stopped by a broken pipe.
    lines.for_each(drop);
    assert!(process.wait().is_ok_and(|status| status.success()) && said, "{workload}");
    taken
}

fn median(mut numbers: [f64; TRIES]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[TRIES / 2]
}

fn main() {
    if let Ok(workload) = std::env::var(WANTED) {
        allow_tf32(true);
        run(&workload);
        println!("{DONE}");
        return;
    }
    // This process leaves the device alone: the driver starts faster while another process holds it.
    for workload in WORKLOADS {
        let cache = std::env::temp_dir().join(format!("burn-first-{}", std::process::id()));
        let tries = [0; TRIES].map(|_| {
            let [without, with] = [0; 2].map(|_| seconds(workload, &cache));
            let _ = std::fs::remove_dir_all(&cache);
            (without, with)
        });
        let [without, with] = [tries.map(|(without, _)| without), tries.map(|(_, with)| with)].map(median);
        println!("{workload}\t{without:.2}\t{with:.2}");
    }
}

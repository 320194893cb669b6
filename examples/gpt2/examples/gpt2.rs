//! Trains GPT-2's architecture from nothing, and lets it write.
//!
//! ```text
//! cargo run --release --package gpt2 --example gpt2 -- --size tiny
//! ```

use burn::backend::Autodiff;
use burn::collective::{Communicator, DataParallel};
use burn::lm::Tokenizer;
use burn::module::{AutodiffModule, Module};
use burn::tensor::backend::Backend;
use clap::{Parser, ValueEnum};
use gpt2::checkpoint;
use gpt2::corpus::{Corpus, TokenWidth};
use gpt2::model_size::ModelSize;
use gpt2::sample::continue_tokens;
use gpt2::trainer::Trainer;
use gpt2::training::{RunOptions, run};
use gpt2::training_config::TrainingConfig;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Train GPT-2's architecture from nothing: on chapters of Moby Dick, or on a folder of token ids.
#[derive(Parser, Debug)]
struct Args {
    /// Size of the model.
    #[arg(long, value_enum, default_value_t = Size::Gpt2)]
    size: Size,
    /// Element type of weights and activations; bf16 has f32 master weights.
    #[arg(long, value_enum, default_value_t = Float::F32)]
    dtype: Float,
    /// Folder of files `*.bin` with token ids, little endian; those named `val*` are for evaluation. Without
    /// it, the tokens are the bytes of an embedded text.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Bytes of a token id in these files.
    #[arg(long, value_enum, default_value_t = Width::U16)]
    token_width: Width,
    /// Folder with the `tokenizer.json` of the token ids, to print the sample as text.
    #[arg(long, value_name = "FOLDER", requires = "data")]
    tokenizer: Option<PathBuf>,
    /// Vocabulary size of the model. By default 256 for the embedded text, and 50,257 for a folder.
    #[arg(long)]
    vocabulary: Option<usize>,
    /// Tokens of a sequence.
    #[arg(long, default_value_t = 128)]
    context: usize,
    /// Sequences of a batch, on each device.
    #[arg(long, default_value_t = 8)]
    batch: usize,
    /// Batches whose gradients are added before a step.
    #[arg(long, default_value_t = 1)]
    accumulation: usize,
    /// Steps of the optimizer.
    #[arg(long, default_value_t = 200)]
    steps: usize,
    /// Largest learning rate.
    #[arg(long, default_value_t = 6e-4)]
    learning_rate: f64,
    /// Steps in which the learning rate rises.
    #[arg(long, default_value_t = 20)]
    warmup: usize,
    /// Dropout probability.
    #[arg(long, default_value_t = 0.0)]
    dropout: f64,
    /// Rows whose logits are in memory at once.
    #[arg(long, default_value_t = 1024)]
    loss_block_rows: usize,
    /// Seed of weights, batches and dropout.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Steps between two lines of the report.
    #[arg(long, default_value_t = 10)]
    report_every: usize,
    /// Steps between two evaluations.
    #[arg(long, default_value_t = 100)]
    evaluate_every: usize,
    /// Batches of an evaluation.
    #[arg(long, default_value_t = 8)]
    evaluation_batches: usize,
    /// Folder of checkpoints: a run that was started before goes on after its newest one.
    #[arg(long, value_name = "FOLDER")]
    checkpoints: Option<PathBuf>,
    /// Steps between two checkpoints.
    #[arg(long, default_value_t = 100)]
    checkpoint_every: usize,
    /// Peak of the device in TFLOP/s of the element type, for the utilization: 989 for an H100 or H200 in
    /// bf16.
    #[arg(long)]
    peak_tflops: Option<f64>,
    /// Tokens of the sample that is written in the end.
    #[arg(long, default_value_t = 200)]
    sample: usize,
    /// Train without lazy fusion of elementwise operations.
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    #[arg(long)]
    no_fusion: bool,
    /// Train on the GPUs of the processes that `burn-launch` or `torchrun` started, without fusion.
    #[cfg(feature = "nccl")]
    #[arg(long)]
    nccl: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Size {
    /// 0.8 million parameters beside the embeddings.
    Tiny,
    /// 10 million.
    Mini,
    /// 124 million with GPT-2's vocabulary.
    #[value(name = "124m")]
    Gpt2,
    /// 355 million.
    #[value(name = "355m")]
    Gpt2Medium,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Float {
    F32,
    Bf16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Width {
    U16,
    U32,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match device::start(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpt2: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(feature = "cuda")]
mod device {
    use super::{Args, Error, Float, train};
    use burn::backend::cuda::CudaDevice;
    use burn::backend::{Cuda, Fusion};
    use burn::tensor::bf16;

    pub fn start(args: &Args) -> Result<(), Box<dyn Error>> {
        #[cfg(feature = "nccl")]
        if args.nccl {
            return on_all(args);
        }
        let device = CudaDevice::default();
        let memory = || memory(&device);
        match (args.dtype, args.no_fusion) {
            (Float::F32, false) => train::<Fusion<Cuda>>(args, None, &device, memory),
            (Float::F32, true) => train::<Cuda>(args, None, &device, memory),
            (Float::Bf16, false) => train::<Fusion<Cuda<bf16>>>(args, None, &device, memory),
            (Float::Bf16, true) => train::<Cuda<bf16>>(args, None, &device, memory),
        }
    }

    /// Trains on the GPU of this process, together with the others.
    #[cfg(feature = "nccl")]
    fn on_all(args: &Args) -> Result<(), Box<dyn Error>> {
        use burn::collective::{LaunchVariables, Nccl};
        let gpu = LaunchVariables::from_environment()?.map_or(0, |launch| launch.local_rank);
        let (device, communicator) = (CudaDevice::new(gpu), Some(Nccl::from_environment(gpu)?));
        let memory = || memory(&device);
        match args.dtype {
            Float::F32 => train::<Cuda>(args, communicator, &device, memory),
            Float::Bf16 => train::<Cuda<bf16>>(args, communicator, &device, memory),
        }
    }

    fn memory(device: &CudaDevice) -> Option<u64> {
        device.memory_usage().ok().map(|usage| usage.reserved)
    }
}

#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
mod device {
    use super::{Args, Error, Float, train};
    use burn::backend::{Fusion, Wgpu};

    pub fn start(args: &Args) -> Result<(), Box<dyn Error>> {
        let device = Default::default();
        match (args.dtype, args.no_fusion) {
            (Float::Bf16, _) => Err("this backend has no bf16; expected `--dtype f32`".into()),
            (Float::F32, false) => train::<Fusion<Wgpu>>(args, None, &device, || None),
            (Float::F32, true) => train::<Wgpu>(args, None, &device, || None),
        }
    }
}

#[cfg(not(any(feature = "cuda", feature = "wgpu")))]
mod device {
    use super::{Args, Error, Float, train};
    use burn::backend::NdArray;
    use burn::tensor::bf16;

    pub fn start(args: &Args) -> Result<(), Box<dyn Error>> {
        let device = Default::default();
        match args.dtype {
            Float::F32 => train::<NdArray>(args, None, &device, || None),
            Float::Bf16 => train::<NdArray<bf16>>(args, None, &device, || None),
        }
    }
}

fn train<B: Backend>(
    args: &Args,
    communicator: Option<Communicator>,
    device: &B::Device,
    memory: impl Fn() -> Option<u64>,
) -> Result<(), Box<dyn Error>> {
    let width = match args.token_width {
        Width::U16 => TokenWidth::U16,
        Width::U32 => TokenWidth::U32,
    };
    let corpus = match &args.data {
        Some(folder) => Corpus::folder(folder, width)?,
        None => Corpus::moby_dick()?,
    };
    let vocabulary = args.vocabulary.unwrap_or(if args.data.is_some() { 50_257 } else { 256 });
    let size = match args.size {
        Size::Tiny => ModelSize::TINY,
        Size::Mini => ModelSize::MINI,
        Size::Gpt2 => ModelSize::GPT2_124M,
        Size::Gpt2Medium => ModelSize::GPT2_355M,
    };
    B::seed(args.seed);
    let model = size.config(vocabulary, args.context, args.dropout).init::<Autodiff<B>>(device)?;
    let (rank, world_size) =
        communicator.as_ref().map_or((0, 1), |communicator| (communicator.rank(), communicator.world_size()));
    if rank == 0 {
        println!("{} parameters, vocabulary of {vocabulary}", model.num_params());
    }
    let mut trainer = Trainer::new(model, config(args))?;
    if let Some(folder) = &args.checkpoints {
        trainer = checkpoint::resume(trainer, folder, device)?;
    }
    if let Some(communicator) = communicator {
        trainer = trainer.with_data_parallel(DataParallel::new(communicator))?;
    }
    let options = RunOptions {
        rank,
        world_size,
        report_every: args.report_every,
        evaluate_every: args.evaluate_every,
        evaluation_batches: args.evaluation_batches,
        checkpoints: args.checkpoints.clone().map(|folder| (folder, args.checkpoint_every)),
        peak_flops: args.peak_tflops.map(|tflops| tflops * 1e12),
    };
    let outcome = run(trainer, &corpus, &options, device, |report| {
        if rank == 0 {
            println!("{report}");
        }
    })?;
    if rank > 0 {
        return Ok(());
    }
    println!("valid loss {:.4}, perplexity {:.2}", outcome.valid_loss, outcome.valid_loss.exp());
    if let Some(seconds) = outcome.median_seconds {
        let tokens = args.batch * args.context * args.accumulation * world_size;
        println!("median step {:.2} ms, {:.0} tokens/s", seconds * 1e3, tokens as f64 / seconds);
    }
    if let Some(bytes) = memory() {
        println!("device memory {:.2} GiB", bytes as f64 / f64::from(1 << 30));
    }
    let model = outcome.trainer.model.valid();
    let tokenizer = args.tokenizer.as_ref().map(Tokenizer::from_folder).transpose()?;
    let length = args.sample.min(args.context.saturating_sub(1));
    let text = match (&tokenizer, &args.data) {
        (Some(tokenizer), _) => {
            let prompt = tokenizer.encode("The", true)?;
            tokenizer.decode(&continue_tokens(
                &model,
                &prompt,
                length.saturating_sub(prompt.len()),
                args.seed,
            )?)
        }
        (None, None) => {
            let bytes = continue_tokens(&model, &[u32::from(b'\n')], length, args.seed)?;
            String::from_utf8_lossy(&bytes.iter().map(|byte| *byte as u8).collect::<Vec<u8>>()).into_owned()
        }
        (None, Some(_)) => format!("tokens {:?}", continue_tokens(&model, &[0], length, args.seed)?),
    };
    println!("---\n{text}");
    Ok(())
}

fn config(args: &Args) -> TrainingConfig {
    TrainingConfig::new()
        .with_steps(args.steps)
        .with_batch_size(args.batch)
        .with_accumulation(args.accumulation)
        .with_length(args.context)
        .with_learning_rate(args.learning_rate)
        .with_final_learning_rate(args.learning_rate / 10.0)
        .with_warmup_steps(args.warmup)
        .with_loss_block_rows(args.loss_block_rows)
        .with_seed(args.seed)
}

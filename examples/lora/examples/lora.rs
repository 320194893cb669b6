//! Fine-tunes a language model with low-rank adapters, saves these as Python's PEFT does, and merges them.
//!
//! ```text
//! cargo run --release --package lora --example lora -- --model MODEL.gguf --text TEXT.txt --out adapter
//! ```

use burn::backend::Autodiff;
#[cfg(feature = "cuda")]
use burn::backend::Cuda as Chosen;
#[cfg(not(any(feature = "wgpu", feature = "cuda")))]
use burn::backend::NdArray as Chosen;
#[cfg(all(feature = "wgpu", not(feature = "cuda")))]
use burn::backend::Wgpu as Chosen;
use burn::lm::{GenerationRequest, LanguageModel, SamplingOptions, TextGenerator, Tokenizer};
use burn::module::{AutodiffModule, Module};
use burn::nn::lora::{LoraConfig, merge, remove};
use burn::tensor::backend::Backend;
use clap::Parser;
use lora::fine_tuning::{FineTuningConfig, fine_tune, mean_loss};
use lora::sequences::Sequences;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Fine-tune a language model on a text with low-rank adapters.
#[derive(Parser, Debug)]
struct Args {
    /// GGUF file, whose quantized matrices stay as they are, or folder of `config.json`, safetensors and
    /// `tokenizer.json`.
    #[arg(long)]
    model: PathBuf,
    /// Text to learn; its last tenth is for evaluation.
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// Folder that the adapters are saved in.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Rank of the adapters.
    #[arg(long, default_value_t = 8)]
    rank: usize,
    /// Scaling: an adapter adds `alpha / rank` times its product.
    #[arg(long, default_value_t = 16.0)]
    alpha: f64,
    /// Dropout probability of the input of the adapters.
    #[arg(long, default_value_t = 0.0)]
    dropout: f64,
    /// Linear layers with an adapter: query, key, value, output, gate, up, down.
    #[arg(long, value_delimiter = ',', default_value = "query,value")]
    targets: Vec<String>,
    /// Steps.
    #[arg(long, default_value_t = 50)]
    steps: usize,
    /// Sequences of a step.
    #[arg(long, default_value_t = 4)]
    batch: usize,
    /// Tokens of a sequence.
    #[arg(long, default_value_t = 128)]
    length: usize,
    /// Learning rate.
    #[arg(long, default_value_t = 2e-3)]
    learning_rate: f64,
    /// Text that the tuned model continues.
    #[arg(long, default_value = "The")]
    prompt: String,
}

fn main() -> ExitCode {
    match run::<Chosen>(&Args::parse(), &Default::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lora: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run<B: Backend>(args: &Args, device: &B::Device) -> Result<(), Box<dyn Error>> {
    let (base, tokenizer) = if args.model.is_dir() {
        (
            LanguageModel::<Autodiff<B>>::from_folder(&args.model, device)?,
            Tokenizer::from_folder(&args.model)?,
        )
    } else {
        (LanguageModel::from_gguf(&args.model, device)?, Tokenizer::from_gguf(&args.model)?)
    };
    let mut tokens = tokenizer.encode(&std::fs::read_to_string(&args.text)?, true)?;
    let held_out = tokens.split_off(tokens.len() / 10 * 9);
    let (train, held_out) = (Sequences::new(&tokens, args.length)?, Sequences::new(&held_out, args.length)?);
    println!("held-out loss {:.4} before", mean_loss(&base.valid(), &held_out)?);

    let adapters = LoraConfig::new(args.rank)
        .with_alpha(args.alpha)
        .with_dropout(args.dropout)
        .with_targets(args.targets.clone());
    let config = FineTuningConfig::new(adapters)
        .with_steps(args.steps)
        .with_batch_size(args.batch)
        .with_learning_rate(args.learning_rate);
    let model = fine_tune(base.clone(), &train, &config, |step, loss| {
        println!("step {step}  loss {loss:.4}");
    })?;
    println!("held-out loss {:.4} after", mean_loss(&model.valid(), &held_out)?);

    model.save_peft_adapter(&args.out, &args.model.display().to_string())?;
    let loaded = base.load_peft_adapter(&args.out)?;
    // Weights with the products of the adapters, which cost what the base costs. Quantized ones become
    // floats.
    let merged = remove(merge(loaded.valid()));
    println!(
        "held-out loss {:.4} merged, {} parameters",
        mean_loss(&merged, &held_out)?,
        merged.num_params()
    );
    let generator = TextGenerator::new(merged, tokenizer)?;
    let prompt = generator.tokenizer.encode(&args.prompt, true)?;
    let sampling = SamplingOptions::new().with_temperature(0.7);
    let text = generator.generate(GenerationRequest::new(prompt, 60).with_sampling(sampling))?.into_text()?;
    println!("---\n{}{text}", args.prompt);
    Ok(())
}

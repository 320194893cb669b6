use burn_core::tensor::DType;
use burn_core::tensor::quantization::BlockFormat;
use burn_lm::CacheDtype;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Runs, measures and serves a language model: a GGUF file, or a folder with `config.json`, safetensors and
/// `tokenizer.json`.
#[derive(Debug, Parser)]
#[command(name = "burn-lm", version)]
pub struct Arguments {
    /// Device that computes.
    #[arg(long, global = true, value_enum, default_value_t = DeviceKind::Cpu)]
    pub device: DeviceKind,
    /// Element type of activations, and of weights that are in no blocks.
    #[arg(long, global = true, value_enum, default_value_t = Float::F32)]
    pub dtype: Float,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DeviceKind {
    /// The processor.
    Cpu,
    /// The first NVIDIA GPU.
    #[cfg(feature = "cuda")]
    Cuda,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Float {
    F32,
    Bf16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CacheType {
    F32,
    F16,
    Bf16,
    /// Integers of 8 bits with a scale for each 32 (`Q8_0`).
    Q8,
}

impl From<CacheType> for CacheDtype {
    fn from(of: CacheType) -> Self {
        match of {
            CacheType::F32 => DType::F32.into(),
            CacheType::F16 => DType::F16.into(),
            CacheType::Bf16 => DType::BF16.into(),
            CacheType::Q8 => BlockFormat::Q8_0.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ModelShape {
    /// That of Llama 3.2 1B: 1,236 million parameters.
    #[value(name = "llama-1b")]
    Llama1B,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Chats in the terminal, or continues one prompt.
    Run(RunArguments),
    /// Prints the tokens a second of prefill and of decoding.
    Bench(BenchArguments),
    /// Prints the perplexity of a text.
    Perplexity(PerplexityArguments),
    /// Serves the interface of OpenAI over HTTP.
    Serve(ServeArguments),
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// The model.
    pub model: PathBuf,
    /// Continues this text and ends, without a chat.
    #[arg(long)]
    pub prompt: Option<String>,
    /// Message of the role `system` in front of the chat.
    #[arg(long)]
    pub system: Option<String>,
    /// Largest number of tokens of an answer.
    #[arg(long, default_value_t = 512)]
    pub max_tokens: usize,
    /// Largest number of tokens of the chat.
    #[arg(long, default_value_t = 4096)]
    pub context: usize,
    /// Divisor of the logits; 0 takes the most likely token.
    #[arg(long, default_value_t = 0.0)]
    pub temperature: f64,
    /// Number of most likely tokens to choose from.
    #[arg(long)]
    pub top_k: Option<usize>,
    /// Least total probability of the tokens to choose from.
    #[arg(long)]
    pub top_p: Option<f64>,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct BenchArguments {
    /// The model.
    #[arg(required_unless_present = "shape")]
    pub model: Option<PathBuf>,
    /// Random weights in this shape, in place of a model.
    #[arg(long, value_enum, conflicts_with = "model")]
    pub shape: Option<ModelShape>,
    /// The weights of the shape in blocks of `Q4_K`.
    #[arg(long, requires = "shape")]
    pub q4_k: bool,
    /// Number of tokens of the prompt.
    #[arg(long, default_value_t = 512)]
    pub prompt_tokens: usize,
    /// Number of tokens that are decoded after the prompt.
    #[arg(long, default_value_t = 64)]
    pub decode_tokens: usize,
    /// Number of sequences that are decoded together.
    #[arg(long, default_value_t = 1)]
    pub sequences: usize,
    /// Element type of keys and values in the cache; that of activations without it.
    #[arg(long, value_enum)]
    pub cache_dtype: Option<CacheType>,
    /// Dequantizes the weights of a GGUF file to `f32`.
    #[arg(long)]
    pub dequantize: bool,
    /// Number of measurements; the median is printed.
    #[arg(long, default_value_t = 3)]
    pub repeat: usize,
}

#[derive(Debug, Args)]
pub struct PerplexityArguments {
    /// The model.
    pub model: PathBuf,
    /// File with the text.
    pub text: PathBuf,
    /// Number of tokens of a window.
    #[arg(long, default_value_t = 512)]
    pub window: usize,
    /// Largest number of tokens of the text.
    #[arg(long)]
    pub tokens: Option<usize>,
    /// Element type of keys and values in the cache; that of activations without it.
    #[arg(long, value_enum)]
    pub cache_dtype: Option<CacheType>,
}

#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The model.
    #[arg(long)]
    pub model: PathBuf,
    /// Address and port; port 0 is any that is free.
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Key that clients send; may be given several times. Also read from the variable `BURN_LM_API_KEY`.
    #[arg(long)]
    pub api_key: Vec<String>,
    /// Positions of the cache, of all sequences together.
    #[arg(long, default_value_t = 8192)]
    pub cache: usize,
    /// Element type of keys and values in the cache; that of activations without it.
    #[arg(long, value_enum)]
    pub cache_dtype: Option<CacheType>,
    /// Largest number of sequences that are decoded together.
    #[arg(long, default_value_t = 16)]
    pub sequences: usize,
    /// Largest number of requests at a time.
    #[arg(long, default_value_t = 64)]
    pub requests: usize,
    /// Largest body of a request, in bytes.
    #[arg(long, default_value_t = 1 << 20)]
    pub max_body: usize,
}

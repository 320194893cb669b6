use crate::LmError;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::normalizer::SplitDelimiterBehavior;

/// How byte-level BPE splits a text into words, by the name in `tokenizer.ggml.pre`.
pub struct WordSplit {
    pub pre_tokenizer: PreTokenizerWrapper,
    /// Whether a word that is a token is not built by merges.
    pub ignore_merges: bool,
    /// Whether the text is composed (NFC) first.
    pub composes: bool,
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The pattern of Llama 3 and Qwen 2, which differ in the length of numbers.
fn llama3(digits: &str) -> String {
    format!(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}

const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

pub fn word_split(file: &str, name: &str) -> Result<WordSplit, LmError> {
    let (pattern, digits, ignore_merges, composes) = match name {
        "default" | "gpt-2" | "gpt2" | "phi-2" => (GPT2.to_string(), false, false, false),
        "smollm" => (GPT2.to_string(), true, false, false),
        "llama-bpe" | "llama3" | "llama-v3" | "smaug-bpe" => (llama3("{1,3}"), false, true, false),
        "qwen2" | "deepseek-r1-qwen" => (llama3(""), false, false, true),
        "tekken" => (TEKKEN.to_string(), false, true, false),
        other => {
            let shown: String = other.chars().take(60).collect();
            let known = "default, gpt-2, phi-2, smollm, llama-bpe, qwen2 or tekken";
            return Err(LmError::tokenizer(
                file,
                format!("`tokenizer.ggml.pre`: expected {known}, got `{shown}`"),
            ));
        }
    };
    let split = Split::new(SplitPattern::Regex(pattern), SplitDelimiterBehavior::Isolated, false);
    let split = split.map_err(|cause| LmError::tokenizer(file, cause))?;
    let mut steps: Vec<PreTokenizerWrapper> = Vec::new();
    if digits {
        steps.push(Digits::new(true).into());
    }
    steps.push(split.into());
    // The words are split already: this spells their bytes as characters.
    steps.push(ByteLevel::new(false, true, false).into());
    Ok(WordSplit { pre_tokenizer: Sequence::new(steps).into(), ignore_merges, composes })
}

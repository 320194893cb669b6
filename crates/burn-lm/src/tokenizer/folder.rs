//! `tokenizer.json` and the files beside it.

use super::chat_template::ChatTemplate;
use super::text_tokenizer::Tokenizer;
use super::token_bytes::Spelling;
use crate::LmError;
use crate::load::read_json;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use tokenizers::DecoderWrapper;

/// Largest `tokenizer.json`, and of the files beside it.
const MOST_BYTES: u64 = 256 << 20;
const MOST_OPTIONS: u64 = 16 << 20;

impl Tokenizer {
    /// Reads `tokenizer.json` of a folder, and, where they are there, `tokenizer_config.json`,
    /// `chat_template.jinja`, `generation_config.json` and `config.json` for the end tokens and the chat
    /// template.
    ///
    /// # Errors
    /// A file cannot be read, or is damaged.
    pub fn from_folder(path: impl AsRef<Path>) -> Result<Self, LmError> {
        read(path.as_ref())
    }
}

fn read(folder: &Path) -> Result<Tokenizer, LmError> {
    let path = folder.join("tokenizer.json");
    let file = path.display().to_string();
    let size = fs::metadata(&path)
        .map_err(|cause| LmError::File { path: file.clone(), cause: cause.to_string() })?;
    if size.len() > MOST_BYTES {
        return Err(LmError::tokenizer(
            &file,
            format!("expected at most {MOST_BYTES} bytes, got {}", size.len()),
        ));
    }
    let bytes = burn_io::read_file(&path)
        .map_err(|cause| LmError::File { path: file.clone(), cause: cause.to_string() })?;
    let inner = parse(&bytes).map_err(|cause| LmError::tokenizer(&file, cause))?;
    let optional = |name: &str| -> Result<Value, LmError> {
        let path = folder.join(name);
        if path.is_file() { read_json(&path, MOST_OPTIONS) } else { Ok(Value::Null) }
    };
    let options = optional("tokenizer_config.json")?;
    let spelling = match inner.get_decoder() {
        Some(decoder) if is_byte_level(decoder) => Spelling::ByteLevel,
        _ => Spelling::SentencePiece,
    };
    let special = inner.get_added_tokens_decoder();
    let special = special.into_iter().filter(|(_, token)| token.special);
    let special = special.map(|(id, token)| (id, token.content)).collect();
    let mut end_tokens = BTreeSet::new();
    for json in [optional("generation_config.json")?, optional("config.json")?] {
        end_tokens.extend(numbers(json.get("eos_token_id")));
    }
    let text = |name: &str| -> String {
        let value = options.get(name);
        let value = value.and_then(|value| value.as_str().or(value.get("content").and_then(Value::as_str)));
        value.unwrap_or_default().to_string()
    };
    let (begin, end) = (text("bos_token"), text("eos_token"));
    end_tokens.extend(inner.token_to_id(&end));
    let template = folder.join("chat_template.jinja");
    let template = match template.is_file() {
        true => {
            let fail = |cause: std::io::Error| LmError::File {
                path: template.display().to_string(),
                cause: cause.to_string(),
            };
            Some(fs::read_to_string(&template).map_err(fail)?)
        }
        false => options.get("chat_template").and_then(Value::as_str).map(str::to_string),
    };
    let template = template.map(|template| ChatTemplate::new(&template, &begin, &end)).transpose()?;
    let vocabulary_size = inner.get_vocab(true).into_values().max().map_or(0, |most| most as usize + 1);
    Ok(Tokenizer {
        inner,
        file,
        spelling,
        prefix: Vec::new(),
        adds_special: true,
        end_tokens,
        special,
        template,
        vocabulary_size,
    })
}

/// Parses a `tokenizer.json`. The crate `tokenizers` panics on some content that is not JSON, and on some
/// normalizers of another form than its own.
fn parse(bytes: &[u8]) -> Result<tokenizers::Tokenizer, String> {
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(|cause| cause.to_string())?;
    match catch_unwind(|| tokenizers::Tokenizer::from_bytes(bytes)) {
        Ok(tokenizer) => tokenizer.map_err(|cause| cause.to_string()),
        Err(_) => {
            Err("expected a tokenizer of the crate `tokenizers`, got one that it cannot read".to_string())
        }
    }
}

fn is_byte_level(decoder: &DecoderWrapper) -> bool {
    match decoder {
        DecoderWrapper::ByteLevel(_) => true,
        DecoderWrapper::Sequence(steps) => steps.get_decoders().iter().any(is_byte_level),
        _ => false,
    }
}

/// A number, or a list of numbers.
fn numbers(value: Option<&Value>) -> Vec<u32> {
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(number).collect(),
        Some(value) => number(value).into_iter().collect(),
        None => Vec::new(),
    }
}

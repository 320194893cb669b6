//! The vocabulary in the metadata of a GGUF file.

use super::chat_template::ChatTemplate;
use super::split_pattern::word_split;
use super::text_tokenizer::Tokenizer;
use super::token_bytes::Spelling;
use crate::LmError;
use burn_core::weights::TensorSource;
use burn_import::gguf::{GgufFile, MetadataArray, MetadataValue};
use std::collections::HashMap;
use std::path::Path;
use tokenizers::models::bpe::{BPE, Merges, Vocab};
use tokenizers::models::unigram::Unigram;
use tokenizers::normalizers::{NFC, NormalizerWrapper, Prepend, Replace, Sequence};
use tokenizers::{AddedToken, ModelWrapper};

/// Kinds of tokens, by their numbers in the format.
const CONTROL: i64 = 3;
const USER_DEFINED: i64 = 4;

/// The tokens by which models end a turn, where the file does not name them.
const TURN_ENDS: [&str; 6] =
    ["<|eot_id|>", "<|im_end|>", "<end_of_turn>", "<|end|>", "<|endoftext|>", "<|end_of_text|>"];

impl Tokenizer {
    /// Builds the tokenizer of a GGUF file from its vocabulary: byte-level BPE, and SentencePiece's BPE and
    /// unigram models with bytes for unknown characters.
    ///
    /// # Errors
    /// The file cannot be read, or its vocabulary is missing, damaged or of another kind.
    pub fn from_gguf(path: impl AsRef<Path>) -> Result<Self, LmError> {
        Self::from_gguf_file(&GgufFile::open(path.as_ref())?)
    }

    pub(crate) fn from_gguf_file(file: &GgufFile) -> Result<Self, LmError> {
        read(file)
    }
}

fn read(file: &GgufFile) -> Result<Tokenizer, LmError> {
    Vocabulary::new(file)?.tokenizer()
}

struct Vocabulary<'a> {
    file: &'a GgufFile,
    name: String,
    tokens: &'a [String],
    kinds: Vec<i64>,
}

impl<'a> Vocabulary<'a> {
    fn new(file: &'a GgufFile) -> Result<Self, LmError> {
        let name = file.name();
        let Some(MetadataValue::Array(MetadataArray::Text(tokens))) = file.get("tokenizer.ggml.tokens")
        else {
            return Err(LmError::tokenizer(
                &name,
                "`tokenizer.ggml.tokens` is missing; expected a list of texts",
            ));
        };
        let kinds = match file.get("tokenizer.ggml.token_type") {
            Some(MetadataValue::Array(MetadataArray::Int(kinds))) => kinds.clone(),
            Some(MetadataValue::Array(MetadataArray::UInt(kinds))) => {
                kinds.iter().map(|kind| *kind as i64).collect()
            }
            _ => vec![1; tokens.len()],
        };
        if kinds.len() != tokens.len() {
            let cause = format!("expected {} kinds of tokens, got {}", tokens.len(), kinds.len());
            return Err(LmError::tokenizer(&name, cause));
        }
        Ok(Vocabulary { file, name, tokens, kinds })
    }

    fn tokenizer(&self) -> Result<Tokenizer, LmError> {
        let model = self.text("tokenizer.ggml.model").unwrap_or_default();
        let (inner, spelling) = match model {
            "gpt2" => (self.byte_level()?, Spelling::ByteLevel),
            "llama" => (self.sentence_piece(self.pair_model()?)?, Spelling::SentencePiece),
            "t5" => (self.sentence_piece(self.unigram()?)?, Spelling::SentencePiece),
            other => {
                let shown: String = other.chars().take(60).collect();
                let cause = format!("`tokenizer.ggml.model`: expected gpt2, llama or t5, got `{shown}`");
                return Err(LmError::tokenizer(&self.name, cause));
            }
        };
        let mut tokenizer = Tokenizer {
            inner,
            file: self.name.clone(),
            spelling,
            prefix: Vec::new(),
            adds_special: false,
            end_tokens: Default::default(),
            special: HashMap::new(),
            template: None,
            vocabulary_size: self.tokens.len(),
        };
        self.add_special_tokens(&mut tokenizer)?;
        let begin = self.token_id("tokenizer.ggml.bos_token_id")?;
        // SentencePiece's models begin with the token unless they say otherwise.
        let begins = self.flag("tokenizer.ggml.add_bos_token").unwrap_or(model == "llama");
        tokenizer.prefix = begin.filter(|_| begins).into_iter().collect();
        for key in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"] {
            tokenizer.end_tokens.extend(self.token_id(key)?);
        }
        let named = TURN_ENDS.iter().filter_map(|name| tokenizer.token(name));
        let controls: Vec<u32> = named.filter(|token| tokenizer.special.contains_key(token)).collect();
        tokenizer.end_tokens.extend(controls);
        if let Some(template) = self.text("tokenizer.chat_template") {
            let spelled = |token: Option<u32>| token.map_or("", |token| self.tokens[token as usize].as_str());
            let end = self.token_id("tokenizer.ggml.eos_token_id")?;
            tokenizer.template = Some(ChatTemplate::new(template, spelled(begin), spelled(end))?);
        }
        Ok(tokenizer)
    }

    fn add_special_tokens(&self, tokenizer: &mut Tokenizer) -> Result<(), LmError> {
        let mut added = Vec::new();
        for (index, (text, kind)) in self.tokens.iter().zip(&self.kinds).enumerate() {
            if text.is_empty() || !matches!(*kind, CONTROL | USER_DEFINED) {
                continue;
            }
            let special = *kind == CONTROL;
            if special {
                tokenizer.special.insert(index as u32, text.clone());
            }
            added.push(AddedToken::from(text.clone(), special).normalized(false));
        }
        tokenizer.inner.add_tokens(added).map_err(|cause| LmError::tokenizer(&self.name, cause))?;
        Ok(())
    }

    fn byte_level(&self) -> Result<tokenizers::Tokenizer, LmError> {
        let Some(MetadataValue::Array(MetadataArray::Text(lines))) = self.file.get("tokenizer.ggml.merges")
        else {
            let cause = "`tokenizer.ggml.merges` is missing; expected a list of texts";
            return Err(LmError::tokenizer(&self.name, cause));
        };
        let split = word_split(&self.name, self.text("tokenizer.ggml.pre").unwrap_or("default"))?;
        let mut merges = Merges::with_capacity(lines.len());
        for line in lines {
            let Some((left, right)) = line.split_once(' ') else {
                let shown: String = line.chars().take(60).collect();
                let cause =
                    format!("`tokenizer.ggml.merges`: expected two tokens with a space, got `{shown}`");
                return Err(LmError::tokenizer(&self.name, cause));
            };
            merges.push((left.to_string(), right.to_string()));
        }
        let builder =
            BPE::builder().vocab_and_merges(self.vocab(), merges).ignore_merges(split.ignore_merges);
        let model = builder.build().map_err(|cause| LmError::tokenizer(&self.name, cause))?;
        let mut tokenizer = tokenizers::Tokenizer::new(model);
        tokenizer.with_pre_tokenizer(Some(split.pre_tokenizer));
        if split.composes {
            self.normalize(&mut tokenizer, NFC.into())?;
        }
        Ok(tokenizer)
    }

    /// SentencePiece's BPE joins the neighbours whose joint piece has the best score, so the merges are all
    /// pairs whose joint piece is in the vocabulary, in the order of its score.
    fn pair_model(&self) -> Result<ModelWrapper, LmError> {
        let scores = self.scores()?;
        let vocab: Vocab = self.vocab();
        let mut merges: Vec<(f64, u32, u32, u32)> = Vec::new();
        for (index, piece) in self.tokens.iter().enumerate() {
            if matches!(self.kinds[index], CONTROL | USER_DEFINED)
                || vocab.get(piece) != Some(&(index as u32))
            {
                continue;
            }
            for (cut, _) in piece.char_indices().skip(1) {
                if let (Some(left), Some(right)) = (vocab.get(&piece[..cut]), vocab.get(&piece[cut..])) {
                    merges.push((scores[index], index as u32, *left, *right));
                }
            }
        }
        merges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        let text = |token: u32| self.tokens[token as usize].clone();
        let merges: Merges =
            merges.into_iter().map(|(_, _, left, right)| (text(left), text(right))).collect();
        let mut builder = BPE::builder().vocab_and_merges(vocab, merges).byte_fallback(true).fuse_unk(true);
        if let Some(unknown) = self.token_id("tokenizer.ggml.unknown_token_id")? {
            builder = builder.unk_token(text(unknown));
        }
        Ok(builder.build().map_err(|cause| LmError::tokenizer(&self.name, cause))?.into())
    }

    fn unigram(&self) -> Result<ModelWrapper, LmError> {
        let scores = self.scores()?;
        let vocab = self.tokens.iter().cloned().zip(scores).collect();
        let unknown = self.token_id("tokenizer.ggml.unknown_token_id")?.map(|token| token as usize);
        let has_bytes = self.tokens.iter().any(|token| token == "<0x00>");
        let model = Unigram::from(vocab, unknown.or(Some(0)), has_bytes);
        Ok(model.map_err(|cause| LmError::tokenizer(&self.name, cause))?.into())
    }

    fn sentence_piece(&self, model: ModelWrapper) -> Result<tokenizers::Tokenizer, LmError> {
        let mut tokenizer = tokenizers::Tokenizer::new(model);
        let spaces = Replace::new(" ", "▁").map_err(|cause| LmError::tokenizer(&self.name, cause))?;
        let mut steps: Vec<NormalizerWrapper> = Vec::new();
        if self.flag("tokenizer.ggml.add_space_prefix").unwrap_or(true) {
            steps.push(Prepend::new("▁".to_string()).into());
        }
        steps.push(spaces.into());
        self.normalize(&mut tokenizer, Sequence::new(steps).into())?;
        Ok(tokenizer)
    }

    fn normalize(
        &self,
        tokenizer: &mut tokenizers::Tokenizer,
        normalizer: NormalizerWrapper,
    ) -> Result<(), LmError> {
        let result = tokenizer.with_normalizer(Some(normalizer));
        result.map(drop).map_err(|cause| LmError::tokenizer(&self.name, cause))
    }

    /// The tokens with their numbers; the first counts where two are the same.
    fn vocab(&self) -> Vocab {
        let tokens = self.tokens.iter().enumerate().rev();
        tokens.map(|(index, token)| (token.clone(), index as u32)).collect()
    }

    fn scores(&self) -> Result<Vec<f64>, LmError> {
        match self.file.get("tokenizer.ggml.scores") {
            Some(MetadataValue::Array(MetadataArray::Float(scores))) if scores.len() == self.tokens.len() => {
                Ok(scores.clone())
            }
            _ => {
                let cause = format!("`tokenizer.ggml.scores`: expected {} numbers", self.tokens.len());
                Err(LmError::tokenizer(&self.name, cause))
            }
        }
    }

    fn token_id(&self, key: &str) -> Result<Option<u32>, LmError> {
        match self.file.get(key) {
            None => Ok(None),
            Some(MetadataValue::UInt(token)) if (*token as usize) < self.tokens.len() => {
                Ok(Some(*token as u32))
            }
            Some(other) => {
                let found: String = format!("{other:?}").chars().take(60).collect();
                let cause = format!("`{key}`: expected a token below {}, got {found}", self.tokens.len());
                Err(LmError::tokenizer(&self.name, cause))
            }
        }
    }

    fn flag(&self, key: &str) -> Option<bool> {
        match self.file.get(key) {
            Some(MetadataValue::Bool(flag)) => Some(*flag),
            _ => None,
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        match self.file.get(key) {
            Some(MetadataValue::Text(text)) => Some(text),
            _ => None,
        }
    }
}

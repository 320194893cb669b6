use super::chat_template::{ChatMessage, ChatTemplate};
use super::token_bytes::{Spelling, spelled};
use crate::LmError;
use std::collections::{BTreeSet, HashMap};

/// Cuts text into tokens and puts tokens together, with the vocabulary of a model.
///
/// ```no_run
/// use burn::lm::Tokenizer;
///
/// let tokenizer = Tokenizer::from_gguf("model.gguf")?;
/// let tokens = tokenizer.encode("The capital of France is", true)?;
/// assert_eq!(tokenizer.decode(&tokens[1..]), "The capital of France is");
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tokenizer {
    pub(super) inner: tokenizers::Tokenizer,
    /// Where the vocabulary is from, for errors.
    pub(super) file: String,
    pub(super) spelling: Spelling,
    /// Tokens in front of every text, where `inner` does not add them itself.
    pub(super) prefix: Vec<u32>,
    /// Whether `inner` adds special tokens itself.
    pub(super) adds_special: bool,
    pub(super) end_tokens: BTreeSet<u32>,
    /// Tokens that have no text: control tokens.
    pub(super) special: HashMap<u32, String>,
    pub(super) template: Option<ChatTemplate>,
    pub(super) vocabulary_size: usize,
}

impl Tokenizer {
    /// Cuts `text` into tokens. With `add_special` they begin with the token of the beginning, if the model
    /// was trained so. Special tokens that the text spells out are taken as such.
    ///
    /// # Errors
    /// A character cannot be represented by the vocabulary.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<u32>, LmError> {
        let mut tokens = if add_special { self.prefix.clone() } else { Vec::new() };
        let encoding = self.inner.encode_fast(text, add_special && self.adds_special);
        let encoding = encoding.map_err(|cause| LmError::tokenizer(&self.file, cause))?;
        tokens.extend_from_slice(encoding.get_ids());
        Ok(tokens)
    }

    /// Puts tokens together. Special tokens have no text; bytes that are no UTF-8 become U+FFFD.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.token_bytes(*token)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the bytes that a token stands for: none for special tokens and those that do not exist.
    pub fn token_bytes(&self, token: u32) -> Vec<u8> {
        if self.special.contains_key(&token) {
            return Vec::new();
        }
        self.inner.id_to_token(token).map_or_else(Vec::new, |text| {
            let added = self.inner.get_added_vocabulary().simple_id_to_token(token).is_some();
            if added { text.into_bytes() } else { spelled(&text, self.spelling) }
        })
    }

    /// Returns the number of a token with this spelling in the vocabulary: `<eos>`.
    pub fn token(&self, spelling: &str) -> Option<u32> {
        self.inner.token_to_id(spelling)
    }

    /// Returns whether a token ends the text of a model.
    pub fn is_end(&self, token: u32) -> bool {
        self.end_tokens.contains(&token)
    }

    /// Returns the tokens that end the text of a model.
    pub fn end_tokens(&self) -> impl Iterator<Item = u32> {
        self.end_tokens.iter().copied()
    }

    /// Returns the number of tokens.
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// Returns the chat template of the model, if it has one.
    pub fn chat_template(&self) -> Option<&ChatTemplate> {
        self.template.as_ref()
    }

    /// Writes messages as the prompt of a model, by its chat template, and cuts it into tokens.
    ///
    /// # Errors
    /// The model has no chat template, or the template fails.
    pub fn encode_chat(&self, messages: &[ChatMessage]) -> Result<Vec<u32>, LmError> {
        let Some(template) = &self.template else {
            return Err(LmError::Template {
                cause: "the model has none; expected one, or a completion".into(),
            });
        };
        // The template writes the token of the beginning itself where it knows it.
        let text = template.render(messages, true)?;
        let tokens = self.encode(&text, false)?;
        match self.prefix.first() {
            Some(first) if tokens.first() != Some(first) => {
                Ok(self.prefix.iter().copied().chain(tokens).collect())
            }
            _ => Ok(tokens),
        }
    }
}

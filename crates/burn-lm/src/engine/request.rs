use crate::LmError;
use crate::sampling::{SamplingOptions, TokenLogProbs};

/// Name of a request to a [`GenerationEngine`](super::GenerationEngine).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub(crate) u64);

/// A text to continue.
#[derive(Clone, Debug)]
pub struct GenerationRequest {
    /// Tokens of the prompt.
    pub prompt: Vec<u32>,
    /// Largest number of tokens to generate.
    pub max_tokens: usize,
    /// Options of the choice of tokens.
    pub sampling: SamplingOptions,
    /// Texts that end the generation; they are not part of what is returned.
    pub stop: Vec<String>,
    /// Whether the end tokens of the model are tokens like others.
    pub ignore_end: bool,
    /// JSON schema of the text; the tokens that do not fit it are not chosen.
    #[cfg(feature = "json-schema")]
    pub json_schema: Option<serde_json::Value>,
}

impl GenerationRequest {
    /// Creates a request for at most `max_tokens` of the most likely tokens.
    pub fn new(prompt: Vec<u32>, max_tokens: usize) -> Self {
        GenerationRequest {
            prompt,
            max_tokens,
            sampling: SamplingOptions::new(),
            stop: Vec::new(),
            ignore_end: false,
            #[cfg(feature = "json-schema")]
            json_schema: None,
        }
    }

    /// Sets the options of the choice of tokens.
    #[must_use]
    pub fn with_sampling(mut self, sampling: SamplingOptions) -> Self {
        self.sampling = sampling;
        self
    }

    /// Sets the texts that end the generation.
    #[must_use]
    pub fn with_stop(mut self, stop: Vec<String>) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the JSON schema of the text. Feature `json-schema`.
    #[cfg(feature = "json-schema")]
    #[must_use]
    pub fn with_json_schema(mut self, json_schema: serde_json::Value) -> Self {
        self.json_schema = Some(json_schema);
        self
    }

    /// Sets whether the end tokens of the model are tokens like others.
    #[must_use]
    pub fn with_ignore_end(mut self, ignore_end: bool) -> Self {
        self.ignore_end = ignore_end;
        self
    }
}

/// A token that was generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its number in the vocabulary.
    pub id: u32,
    /// Text that is complete with this token. Bytes of a character that is not complete, and what may be the
    /// beginning of a stop string, come with a later one.
    pub text: String,
    /// Its log probability, if the request asked for it.
    pub log_probs: Option<TokenLogProbs>,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model ended the text, or it had a stop string.
    Stop,
    /// The largest number of tokens was reached.
    Length,
    /// The request was cancelled.
    Cancelled,
}

/// Numbers of tokens of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Those of them whose keys and values were in the cache.
    pub cached_tokens: usize,
    /// Tokens that were generated.
    pub generated_tokens: usize,
}

/// Event of a request in one step of the engine.
#[derive(Clone, Debug)]
pub enum GenerationEvent {
    /// A token was generated.
    Token(Token),
    /// The request has ended; `text` is the text that was held back for stop strings.
    Finished { reason: FinishReason, text: String, usage: Usage },
    /// The request has failed.
    Failed(LmError),
}

//! Subwords, found by byte-pair encoding in the training text.

use std::path::Path;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{
    DecoderWrapper, Model, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerBuilder,
    TokenizerImpl,
};

type Subwords =
    TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Cuts any text into tokens without a loss, and puts tokens together again: byte-level byte-pair encoding,
/// as GPT-2 has it.
#[derive(Clone, Debug)]
pub struct SubwordTokenizer(Subwords);

impl SubwordTokenizer {
    /// Finds at most `vocabulary` subwords in a text, beside the 256 bytes.
    ///
    /// # Errors
    /// If the training of the tokenizer fails.
    pub fn train(text: &str, vocabulary: usize) -> tokenizers::Result<Self> {
        let mut trainer = BpeTrainer::builder()
            .vocab_size(vocabulary)
            .min_frequency(2)
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .show_progress(false)
            .build();
        let bytes = ByteLevel::default().add_prefix_space(false);
        let mut tokenizer: Subwords = TokenizerBuilder::default()
            .with_model(BPE::default())
            .with_normalizer(None)
            .with_pre_tokenizer(Some(PreTokenizerWrapper::from(bytes)))
            .with_post_processor(None)
            .with_decoder(Some(DecoderWrapper::from(bytes)))
            .build()?;
        tokenizer.train(&mut trainer, text.split_inclusive("\n\n").map(str::to_owned))?;
        Ok(Self(tokenizer))
    }

    /// Loads a tokenizer that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the file is missing or is no tokenizer.
    pub fn load(path: &Path) -> tokenizers::Result<Self> {
        TokenizerImpl::from_file(path).map(Self)
    }

    /// Saves the tokenizer as `tokenizer.json`, a format that Python's `tokenizers` reads too.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> tokenizers::Result<()> {
        self.0.save(path, false).map(drop)
    }

    /// The tokens of a text.
    ///
    /// # Errors
    /// If the tokenizer was loaded from a file that lacks bytes.
    pub fn encode(&self, text: &str) -> tokenizers::Result<Vec<usize>> {
        let encoding = self.0.encode(text, false)?;
        Ok(encoding.get_ids().iter().map(|&id| id as usize).collect())
    }

    /// The text of tokens.
    ///
    /// # Errors
    /// If the tokenizer was loaded from a file with another decoder.
    pub fn decode(&self, tokens: &[usize]) -> tokenizers::Result<String> {
        let ids: Vec<u32> = tokens.iter().map(|&token| token as u32).collect();
        self.0.decode(&ids, false)
    }

    /// The size of the vocabulary.
    pub fn vocabulary(&self) -> usize {
        self.0.get_model().get_vocab_size()
    }
}

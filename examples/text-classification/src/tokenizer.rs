//! Subwords, found by byte-pair encoding in the training texts.

use burn::data::dataset::Dataset;
use burn::data::dataset::text::Article;
use std::path::Path;
use std::sync::Arc;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::normalizers::Lowercase;
use tokenizers::pre_tokenizers::whitespace::Whitespace;
use tokenizers::{AddedToken, Model, TokenizerBuilder};
use tokenizers::{
    DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl,
};

/// The token after the end of a text.
pub const PAD: usize = 0;

const PAD_TOKEN: &str = "[PAD]";
const UNKNOWN_TOKEN: &str = "[UNK]";

type Subwords =
    TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Cuts texts into subwords (Sennrich et al. 2016): frequent words are one token, rare ones several.
#[derive(Clone, Debug)]
pub struct SubwordTokenizer(Subwords);

impl SubwordTokenizer {
    /// Finds at most `vocabulary` subwords in texts, in lower case.
    ///
    /// # Errors
    /// If the training of the tokenizer fails.
    pub fn train(texts: &Arc<dyn Dataset<Article>>, vocabulary: usize) -> tokenizers::Result<Self> {
        let special = [PAD_TOKEN, UNKNOWN_TOKEN].map(|token| AddedToken::from(token, true));
        let mut trainer = BpeTrainer::builder()
            .vocab_size(vocabulary)
            .min_frequency(2)
            .special_tokens(special.to_vec())
            .show_progress(false)
            .build();
        let mut tokenizer: Subwords = TokenizerBuilder::default()
            .with_model(BPE::builder().unk_token(UNKNOWN_TOKEN.to_owned()).build()?)
            .with_normalizer(Some(NormalizerWrapper::from(Lowercase)))
            .with_pre_tokenizer(Some(PreTokenizerWrapper::from(Whitespace {})))
            .with_post_processor(None)
            .with_decoder(None)
            .build()?;
        tokenizer.train(&mut trainer, texts.iter().map(|article| joined(&article.title, &article.text)))?;
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

    /// The tokens of a text, at most `longest` of them.
    pub fn encode(&self, title: &str, text: &str, longest: usize) -> Vec<usize> {
        let encoding = self.0.encode(joined(title, text), false);
        let ids = encoding.map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default();
        ids.into_iter().take(longest).map(|id| id as usize).collect()
    }

    /// The size of the vocabulary.
    pub fn vocabulary(&self) -> usize {
        self.0.get_model().get_vocab_size()
    }
}

fn joined(title: &str, text: &str) -> String {
    format!("{title}: {text}")
}

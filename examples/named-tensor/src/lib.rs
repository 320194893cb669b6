//! Attention over a few words, written with tensors whose dimensions have names.
//!
//! No dimension is a number here: what would multiply or add the wrong ones does not compile.

use burn::prelude::*;
use burn::tensor::named::NamedTensor;
use burn::tensor::named_dims;

named_dims!(
    /// Batch dimension: sentences.
    pub Batch,
    /// Words of a sentence as queries.
    pub Query,
    /// Words of a sentence as keys and values.
    pub Key,
    /// Embedding dimension of a word.
    pub Feature,
    /// Topics of a sentence.
    pub Topic,
);

/// Words of some sentences.
pub type Words<B> = NamedTensor<B, (Batch, Query, Feature)>;

/// Computes self-attention: each word as a mean of the words of its sentence, weighted by similarity.
pub fn attend<B: Backend>(words: Words<B>) -> Words<B> {
    let size = words.size::<Feature, _>() as f64;
    let others = words.clone().rename::<Query, Key, _>();
    let scores = words.matmul::<_, (Batch, Query, Key)>(others.clone()) / size.sqrt();
    scores.softmax::<Key, _>().matmul(others)
}

/// Computes the probability of each topic for each sentence.
pub fn topics<B: Backend>(
    words: Words<B>,
    weight: NamedTensor<B, (Feature, Topic)>,
    bias: NamedTensor<B, (Topic,)>,
) -> NamedTensor<B, (Batch, Topic)> {
    let sentences = attend(words).mean::<Query, _>();
    (sentences.matmul(weight) + bias.align()).softmax::<Topic, _>()
}

/// Classifies two sentences of three words about two topics.
pub fn run<B: Backend>(device: &B::Device) -> NamedTensor<B, (Topic, Batch)> {
    let words = Tensor::<B, 3>::from_data(
        [[[1.0, 0.0], [0.9, 0.1], [0.8, 0.0]], [[0.0, 1.0], [0.2, 0.7], [0.0, 0.9]]],
        device,
    );
    let weight = Tensor::<B, 2>::from_data([[4.0, -4.0], [-4.0, 4.0]], device);
    let bias = Tensor::<B, 1>::from_data([0.1, -0.1], device);
    topics(words.into(), weight.into(), bias.into()).permute()
}

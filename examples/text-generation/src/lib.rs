//! A language model: a decoder-only transformer that is trained from nothing and continues texts.
//!
//! [`corpus`] has the text, [`tokenizer`] cuts it into subwords, [`sequence`] makes batches of it, [`model`]
//! is the network, [`training`] the run, [`ngram`] what the run is compared with, [`sampling`] writes.

pub mod corpus;
pub mod model;
pub mod ngram;
pub mod sampling;
pub mod sequence;
pub mod tokenizer;
pub mod training;

//! Classification of texts by a transformer encoder that is trained from nothing.
//!
//! [`corpus`] has the texts, [`tokenizer`] cuts them into subwords, [`batch`] pads them, [`model`] is the
//! network, [`training`] the run and the test after it, [`inference`] reads what a run left and classifies
//! other texts.

pub mod batch;
pub mod corpus;
pub mod inference;
pub mod model;
pub mod tokenizer;
pub mod training;

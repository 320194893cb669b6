//! GPT-2's architecture (Radford et al. 2019), trained from nothing.
//!
//! [`model_size`] names sizes of `burn::lm`'s model, which is the one that decodes and serves; [`corpus`] has
//! the tokens and [`batch`] takes sequences out of them; [`trainer`] makes steps and [`checkpoint`] saves
//! them; [`training`] is the run, [`sample`] writes with the model.

pub mod batch;
pub mod checkpoint;
pub mod corpus;
pub mod model_size;
pub mod sample;
pub mod throughput;
pub mod trainer;
pub mod training;
pub mod training_config;

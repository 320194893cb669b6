//! Datasets and loaders.

#[cfg(feature = "dataframe")]
mod dataframe;
mod dataloader;
#[cfg(feature = "huggingface")]
mod hub_example;
#[cfg(feature = "huggingface")]
mod huggingface;
#[cfg(feature = "csv")]
mod published;
mod spec;
#[cfg(all(feature = "audio", feature = "csv", feature = "json", feature = "sqlite", feature = "vision"))]
mod worker_errors;

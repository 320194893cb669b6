//! Datasets and loaders.

mod dataloader;
mod spec;

//! Datasets of the Hugging Face hub, from the hub or from a folder.

mod cell;
mod columns;
mod csv_rows;
mod data_files;
mod database;
mod hub;
mod json_rows;
mod loader;
mod parquet_rows;
mod rows;
mod split_name;

pub use loader::HuggingfaceDatasetLoader;

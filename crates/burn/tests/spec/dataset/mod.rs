//! Datasets and batches.

mod batches;
mod sources;
mod sqlite;
mod transforms;

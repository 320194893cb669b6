//! Recorders of files of other frameworks.

use crate::LoadArgs;
use burn_core::record::{Record, RecordError, RecordMismatch};
use burn_core::tensor::Backend;
use burn_core::weights::{LoadReport, Weights};
use std::collections::BTreeSet;

/// The record that `weights` are of, and what of the file was not used.
pub fn load_record<B: Backend, R: Record<B>>(
    weights: &Weights,
    args: &LoadArgs,
    device: &B::Device,
) -> Result<(R, LoadReport), RecordError> {
    let record = weights.load_record::<B, R>(device)?;
    let unused = weights.unused();
    let left: BTreeSet<&str> = unused.iter().map(String::as_str).collect();
    let loaded = weights.tensors().iter().filter(|tensor| !left.contains(weights.original_name(tensor)));
    let loaded = loaded.map(|tensor| tensor.name().to_string()).collect();
    let mut mismatch = RecordMismatch::default();
    mismatch.unexpected = unused;
    let report = LoadReport { loaded, mismatch };
    if args.is_strict() && !report.is_complete() {
        return Err(RecordError::from(report.mismatch).in_file(weights.source_name()));
    }
    Ok((record, report))
}

//! Recorders of files of other frameworks.

use crate::LoadArgs;
use burn_core::record::{
    FullPrecisionSettings, Node, PrecisionSettings, Record, RecordError, RecordMismatch, Recorder,
};
use burn_core::tensor::Backend;
use burn_core::weights::{LoadReport, Weights};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::marker::PhantomData;

/// Format of the files that a [`FileRecorder`] loads, and saves where it can.
pub trait RecorderFormat: Clone + Debug + Default + Send + Sync + 'static {
    /// Opens the file that `args` name.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    fn open(args: LoadArgs) -> Result<Weights, RecordError>;

    /// Writes a record to the path of `args`.
    ///
    /// # Errors
    /// The format is not written, the file cannot be, or the record holds something else than tensors.
    fn save(record: Node, args: &LoadArgs) -> Result<(), RecordError>;
}

/// Loads records from files of the format `F`: see `pytorch::PyTorchFileRecorder` and
/// `safetensors::SafetensorsFileRecorder`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRecorder<F, S = FullPrecisionSettings>(PhantomData<(F, S)>);

impl<F: RecorderFormat, S: PrecisionSettings> FileRecorder<F, S> {
    /// Returns the recorder.
    pub fn new() -> Self {
        FileRecorder(PhantomData)
    }

    /// Loads a record, and says which tensors of the file were used.
    ///
    /// # Errors
    /// As [`Recorder::load`].
    pub fn load_with_report<B: Backend, R: Record<B>>(
        &self,
        args: impl Into<LoadArgs>,
        device: &B::Device,
    ) -> Result<(R, LoadReport), RecordError> {
        let args = args.into();
        load_record(&F::open(args.clone())?, &args, device)
    }
}

impl<B: Backend, F: RecorderFormat, S: PrecisionSettings> Recorder<B> for FileRecorder<F, S> {
    type Settings = S;
    type RecordArgs = LoadArgs;
    type RecordOutput = ();
    type LoadArgs = LoadArgs;

    fn save_node(&self, node: Node, args: LoadArgs) -> Result<(), RecordError> {
        F::save(node, &args)
    }

    /// All tensors under their names and in the layouts of the file.
    fn load_node(&self, args: LoadArgs) -> Result<Node, RecordError> {
        F::open(args)?.read_all()
    }

    fn describe(args: &LoadArgs) -> Option<String> {
        Some(args.path().display().to_string())
    }

    fn load<R: Record<B>>(&self, args: LoadArgs, device: &B::Device) -> Result<R, RecordError> {
        self.load_with_report::<B, R>(args, device).map(|(record, _)| record)
    }
}

/// The record that `weights` are of, and what of the file was not used.
fn load_record<B: Backend, R: Record<B>>(
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

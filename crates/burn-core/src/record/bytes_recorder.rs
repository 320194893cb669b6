use super::{
    FullPrecisionSettings, IntoNode, KeyPath, Node, PrecisionSettings, Record, RecordError, Recorder, binary,
    budget, envelope, precision,
};
use crate::tensor::Backend;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// Recorder of the binary layout in memory, without files: for programs without an operating system, and for
/// models that are compiled into the program with `include_bytes!`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
///
/// let recorder = BinBytesRecorder::<FullPrecisionSettings>::default();
/// let bytes = recorder.record(vec![1.5_f64, 2.0], ()).unwrap();
/// let back: Vec<f64> = Recorder::<NdArray>::load(&recorder, bytes, &Default::default()).unwrap();
/// assert_eq!(back, [1.5, 2.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BinBytesRecorder<S = FullPrecisionSettings>(PhantomData<S>);

impl<S: PrecisionSettings> BinBytesRecorder<S> {
    /// Creates the recorder.
    pub fn new() -> Self {
        BinBytesRecorder(PhantomData)
    }

    /// [`Recorder::record`], which no backend has to be named for.
    ///
    /// # Errors
    /// As [`Recorder::record`].
    pub fn record<R: IntoNode>(&self, record: R, _args: ()) -> Result<Vec<u8>, RecordError> {
        encoded(precision::rounded::<S, R>(record)?)
    }

    /// Loads a record from bytes that stay where they are, as those of `include_bytes!` in the flash of a
    /// microcontroller: [`Recorder::load`] without a copy of them.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::record::{BinBytesRecorder, FullPrecisionSettings};
    ///
    /// let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    /// let bytes = recorder.record(vec![1.5_f64, 2.0], ()).unwrap();
    /// let back: Vec<f64> = recorder.load_slice::<NdArray, _>(&bytes, &Default::default()).unwrap();
    /// assert_eq!(back, [1.5, 2.0]);
    /// ```
    ///
    /// # Errors
    /// As [`Recorder::load`].
    pub fn load_slice<B: Backend, R: Record<B>>(
        &self,
        bytes: &[u8],
        device: &B::Device,
    ) -> Result<R, RecordError> {
        R::from_node(decoded(bytes)?, &KeyPath::ROOT, device)
    }
}

fn encoded(node: Node) -> Result<Vec<u8>, RecordError> {
    budget::check(&node).map_err(error)?;
    let mut bytes = Vec::new();
    binary::encode(&envelope::wrap(node, false), &mut |part| bytes.extend_from_slice(part));
    Ok(bytes)
}

fn decoded(bytes: &[u8]) -> Result<Node, RecordError> {
    let item = binary::decode(bytes).and_then(|tree| envelope::unwrap(tree, false, false));
    item.map_err(error)
}

impl<B: Backend, S: PrecisionSettings> Recorder<B> for BinBytesRecorder<S> {
    type Settings = S;
    type RecordArgs = ();
    type RecordOutput = Vec<u8>;
    type LoadArgs = Vec<u8>;

    fn save_node(&self, node: Node, _args: ()) -> Result<Vec<u8>, RecordError> {
        encoded(node)
    }
    fn load_node(&self, bytes: Vec<u8>) -> Result<Node, RecordError> {
        decoded(&bytes)
    }
}

fn error(cause: String) -> RecordError {
    RecordError::Format { recorder: "BinBytesRecorder", cause }
}

//! The recorders of the file formats.

use super::file_format::{self, FileFormat};
use super::{
    FileRecorder, FullPrecisionSettings, HalfPrecisionSettings, IntoNode, Node, PrecisionSettings,
    RecordError, Recorder, precision,
};
use crate::tensor::Backend;
use core::marker::PhantomData;
use std::path::PathBuf;

macro_rules! recorders {
    ($($(#[$doc:meta])* $name:ident: $format:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name<S = FullPrecisionSettings>(PhantomData<S>);

        impl<S: PrecisionSettings> $name<S> {
            /// Creates the recorder. Paths are given without the extension.
            pub fn new() -> Self {
                $name(PhantomData)
            }

            /// [`Recorder::record`], which no backend has to be named for: the state of an optimizer is a
            /// record on all of them.
            ///
            /// # Errors
            /// As [`Recorder::record`].
            pub fn record<R: IntoNode>(&self, record: R, path: PathBuf) -> Result<(), RecordError> {
                Self::format().save(precision::rounded::<S, R>(record)?, &path)
            }

            fn format() -> &'static FileFormat {
                &file_format::$format
            }
        }

        impl<B: Backend, S: PrecisionSettings> Recorder<B> for $name<S> {
            type Settings = S;
            type RecordArgs = PathBuf;
            type RecordOutput = ();
            type LoadArgs = PathBuf;

            fn save_node(&self, node: Node, path: PathBuf) -> Result<(), RecordError> {
                Self::format().save(node, &path)
            }
            fn load_node(&self, path: PathBuf) -> Result<Node, RecordError> {
                Self::format().load(&path)
            }
            fn describe(path: &PathBuf) -> Option<String> {
                Some(Self::format().file(path).display().to_string())
            }
        }

        impl<B: Backend, S: PrecisionSettings> FileRecorder<B> for $name<S> {
            fn file_extension() -> &'static str {
                Self::format().extension
            }
        }
    )*};
}

recorders! {
    /// Named MessagePack, `.mpk`: compact, and every field has its name. With a checksum.
    NamedMpkFileRecorder: NAMED_MPK;
    /// Named MessagePack in gzip, `.mpk.gz`.
    NamedMpkGzFileRecorder: NAMED_MPK_GZ;
    /// The binary layout, `.bin`: the fastest. It may change with a version of Burn; the error then says so.
    BinFileRecorder: BIN;
    /// The binary layout in gzip, `.bin.gz`.
    BinGzFileRecorder: BIN_GZ;
    /// JSON in gzip, `.json.gz`.
    JsonGzFileRecorder: JSON_GZ;
    /// JSON for people to read, `.json`: a field a line, tensors as numbers. Its checksum refuses edited
    /// files.
    PrettyJsonFileRecorder: PRETTY_JSON;
}

/// Default recorder: named MessagePack.
pub type DefaultFileRecorder<S = FullPrecisionSettings> = NamedMpkFileRecorder<S>;

/// Recorder of half the size: named MessagePack with two-byte numbers.
pub type CompactRecorder = NamedMpkFileRecorder<HalfPrecisionSettings>;

use burn_core::record::{
    BinBytesRecorder, BinFileRecorder, FullPrecisionSettings, HalfPrecisionSettings, NamedMpkFileRecorder,
    NamedMpkGzFileRecorder, Node, PrettyJsonFileRecorder, RecordError,
};
use std::path::Path;

/// Format of the record file with the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordType {
    /// Named MessagePack in gzip, `.mpk.gz`.
    NamedMpkGz,
    /// Named MessagePack, `.mpk`.
    #[default]
    NamedMpk,
    /// JSON for people to read, `.json`.
    PrettyJson,
    /// The binary layout, `.bin`, which can be embedded into a program.
    Bincode,
}

impl RecordType {
    /// Name of the recorder that reads the file.
    pub(super) fn recorder(self) -> &'static str {
        match self {
            RecordType::NamedMpkGz => "NamedMpkGzFileRecorder",
            RecordType::NamedMpk => "NamedMpkFileRecorder",
            RecordType::PrettyJson => "PrettyJsonFileRecorder",
            RecordType::Bincode => "BinFileRecorder",
        }
    }

    /// Extension of the file.
    pub(super) fn extension(self) -> &'static str {
        match self {
            RecordType::NamedMpkGz => "mpk.gz",
            RecordType::NamedMpk => "mpk",
            RecordType::PrettyJson => "json",
            RecordType::Bincode => "bin",
        }
    }

    /// Writes the record to `path`, which gets the extension of the format.
    pub(super) fn write(self, node: Node, path: &Path, half: bool) -> Result<(), RecordError> {
        type Half = HalfPrecisionSettings;
        type Full = FullPrecisionSettings;
        let path = path.to_path_buf();
        match (self, half) {
            (RecordType::NamedMpkGz, false) => NamedMpkGzFileRecorder::<Full>::new().record(node, path),
            (RecordType::NamedMpkGz, true) => NamedMpkGzFileRecorder::<Half>::new().record(node, path),
            (RecordType::NamedMpk, false) => NamedMpkFileRecorder::<Full>::new().record(node, path),
            (RecordType::NamedMpk, true) => NamedMpkFileRecorder::<Half>::new().record(node, path),
            (RecordType::PrettyJson, false) => PrettyJsonFileRecorder::<Full>::new().record(node, path),
            (RecordType::PrettyJson, true) => PrettyJsonFileRecorder::<Half>::new().record(node, path),
            (RecordType::Bincode, false) => BinFileRecorder::<Full>::new().record(node, path),
            (RecordType::Bincode, true) => BinFileRecorder::<Half>::new().record(node, path),
        }
    }
}

/// The binary layout in memory, as it is embedded.
pub(super) fn embedded(node: Node, half: bool) -> Result<Vec<u8>, RecordError> {
    if half {
        BinBytesRecorder::<HalfPrecisionSettings>::new().record(node, ())
    } else {
        BinBytesRecorder::<FullPrecisionSettings>::new().record(node, ())
    }
}

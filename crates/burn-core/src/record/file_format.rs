//! The file formats, none of which knows what it holds.

use super::{Node, RecordError, binary, envelope, json, mpk, write_atomic};
use alloc::format;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// How the files of one recorder are written.
#[derive(Debug)]
pub struct FileFormat {
    /// The recorder, for messages.
    pub recorder: &'static str,
    pub extension: &'static str,
    pub encoding: Encoding,
    pub gzip: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Mpk,
    Binary,
    Json,
    PrettyJson,
}

pub static NAMED_MPK: FileFormat =
    FileFormat { recorder: "NamedMpkFileRecorder", extension: "mpk", encoding: Encoding::Mpk, gzip: false };
pub static NAMED_MPK_GZ: FileFormat = FileFormat {
    recorder: "NamedMpkGzFileRecorder",
    extension: "mpk.gz",
    encoding: Encoding::Mpk,
    gzip: true,
};
pub static BIN: FileFormat =
    FileFormat { recorder: "BinFileRecorder", extension: "bin", encoding: Encoding::Binary, gzip: false };
pub static BIN_GZ: FileFormat =
    FileFormat { recorder: "BinGzFileRecorder", extension: "bin.gz", encoding: Encoding::Binary, gzip: true };
pub static JSON_GZ: FileFormat =
    FileFormat { recorder: "JsonGzFileRecorder", extension: "json.gz", encoding: Encoding::Json, gzip: true };
pub static PRETTY_JSON: FileFormat = FileFormat {
    recorder: "PrettyJsonFileRecorder",
    extension: "json",
    encoding: Encoding::PrettyJson,
    gzip: false,
};

static ALL: [&FileFormat; 6] = [&NAMED_MPK, &NAMED_MPK_GZ, &BIN, &BIN_GZ, &JSON_GZ, &PRETTY_JSON];

impl FileFormat {
    /// `path` with the extension, unless it has it.
    pub fn file(&self, path: &Path) -> PathBuf {
        let name = path.as_os_str().to_string_lossy();
        if name.ends_with(&format!(".{}", self.extension)) {
            return path.to_path_buf();
        }
        let mut file = OsString::from(path.as_os_str());
        file.push(".");
        file.push(self.extension);
        file.into()
    }

    pub fn save(&self, item: Node, path: &Path) -> Result<(), RecordError> {
        let file = self.file(path);
        let tree = envelope::wrap(item, self.has_checksum());
        if self.encoding == Encoding::Mpk {
            mpk::check(&tree).map_err(|cause| self.error(cause).in_file(name(&file)))?;
        }
        write_atomic(&file, &mut |out| self.write(&tree, out))
            .map_err(|error| RecordError::File { path: name(&file), cause: error.to_string() })
    }

    fn write(&self, tree: &Node, out: &mut dyn Write) -> io::Result<()> {
        if !self.gzip {
            return self.encode(tree, out);
        }
        let mut gzip = GzEncoder::new(out, Compression::default());
        self.encode(tree, &mut gzip)?;
        gzip.finish().map(|_| ())
    }

    fn encode(&self, tree: &Node, out: &mut dyn Write) -> io::Result<()> {
        match self.encoding {
            Encoding::Mpk => mpk::encode(tree, out),
            Encoding::Binary => encode_binary(tree, out),
            Encoding::Json => json::encode(tree, false, out),
            Encoding::PrettyJson => json::encode(tree, true, out),
        }
    }

    pub fn load(&self, path: &Path) -> Result<Node, RecordError> {
        let file = self.file(path);
        let bytes = fs::read(&file).map_err(|error| RecordError::File {
            path: name(&file),
            cause: match error.kind() {
                ErrorKind::NotFound => format!("{error}{}", self.other_files(path)),
                _ => error.to_string(),
            },
        })?;
        self.decode(&bytes).map_err(|cause| {
            let hint = recorder_of(&bytes).filter(|recorder| *recorder != self.recorder);
            let hint =
                hint.map(|recorder| format!("; the file looks like one of {recorder}")).unwrap_or_default();
            self.error(cause + &hint).in_file(name(&file))
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Node, String> {
        let tree = if self.gzip { self.parse(&unzip(bytes)?) } else { self.parse(bytes) }?;
        envelope::unwrap(tree, self.has_checksum())
    }

    fn parse(&self, bytes: &[u8]) -> Result<Node, String> {
        match self.encoding {
            Encoding::Mpk => mpk::decode(bytes),
            Encoding::Binary => binary::decode(bytes),
            Encoding::Json | Encoding::PrettyJson => json::decode(bytes),
        }
    }

    /// gzip and the binary layout have one of their own.
    fn has_checksum(&self) -> bool {
        !self.gzip && self.encoding != Encoding::Binary
    }

    fn error(&self, cause: String) -> RecordError {
        RecordError::Format { recorder: self.recorder, cause }
    }

    /// Which recorder would find a file at `path`.
    fn other_files(&self, path: &Path) -> String {
        let found =
            ALL.iter().filter(|format| format.extension != self.extension && format.file(path).exists());
        found
            .map(|format| format!("; `{}` is there, for {}", name(&format.file(path)), format.recorder))
            .collect()
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// The whole content. `flate2` compares length and checksum at the end.
fn unzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (mut content, mut rest) = (Vec::new(), bytes);
    GzDecoder::new(&mut rest).read_to_end(&mut content).map_err(|error| format!("gzip: {error}"))?;
    if rest.is_empty() { Ok(content) } else { Err(format!("gzip: {} bytes follow the end", rest.len())) }
}

/// The recorder whose files begin like `bytes`.
fn recorder_of(bytes: &[u8]) -> Option<&'static str> {
    let is = |encoding: Encoding, bytes: &[u8]| match encoding {
        Encoding::Binary => bytes.starts_with(binary::MAGIC),
        Encoding::Json | Encoding::PrettyJson => bytes.trim_ascii_start().starts_with(b"{"),
        // A map of the few fields of the envelope.
        Encoding::Mpk => matches!(bytes.first(), Some(0x82 | 0x83)),
    };
    let mut start = [0; 16];
    let (gzip, start) = if bytes.starts_with(&[0x1f, 0x8b]) {
        let count = GzDecoder::new(bytes).read(&mut start).ok()?;
        (true, &start[..count])
    } else {
        (false, bytes)
    };
    ALL.iter().find(|format| format.gzip == gzip && is(format.encoding, start)).map(|format| format.recorder)
}

/// The first error is kept, since the encoder, which is not only for files, does not know of any.
fn encode_binary(tree: &Node, out: &mut dyn Write) -> io::Result<()> {
    let mut result = Ok(());
    binary::encode(tree, &mut |part| {
        if result.is_ok() {
            result = out.write_all(part);
        }
    });
    result
}

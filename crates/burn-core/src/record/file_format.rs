//! The file formats, none of which knows what it holds.

use super::blocks::{self, Verdict};
use super::{Node, RecordError, binary, budget, envelope, json, mpk, write_atomic};
use alloc::format;
use burn_io::{Bounded, GZIP_RATIO, available_memory, read_file};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::ffi::OsString;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// File format of one recorder.
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
    /// Adds the extension to `path`, unless it has it.
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
        let mut fits = budget::check(&tree);
        if self.encoding == Encoding::Mpk {
            fits = fits.and_then(|()| mpk::check(&tree));
        }
        fits.map_err(|cause| self.error(cause).in_file(name(&file)))?;
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
            Encoding::Mpk => match tree {
                Node::Map(fields) if self.has_blocks() => mpk::encode_with_blocks(fields, out),
                other => mpk::encode(other, out),
            },
            Encoding::Binary => encode_binary(tree, out),
            Encoding::Json => json::encode(tree, false, out),
            Encoding::PrettyJson => json::encode(tree, true, out),
        }
    }

    pub fn load(&self, path: &Path) -> Result<Node, RecordError> {
        let file = self.file(path);
        let bytes = read_file(&file).map_err(|error| RecordError::File {
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
        let tree = if self.gzip { self.unzip(bytes) } else { self.parse(bytes) };
        let item = tree.and_then(|tree| envelope::unwrap(tree, self.has_checksum(), self.has_blocks()));
        item.map_err(|cause| match self.has_blocks().then(|| blocks::verify(bytes)) {
            Some(Verdict::Damaged(block)) => format!(
                "the file is damaged between byte {} and byte {}: their checksum is wrong ({cause})",
                block.start,
                block.end - 1
            ),
            Some(Verdict::Whole | Verdict::Unknown) | None => cause,
        })
    }

    fn parse(&self, bytes: &[u8]) -> Result<Node, String> {
        match self.encoding {
            Encoding::Mpk => {
                let mut source = Bounded::new(bytes, u64::MAX);
                mpk::decode(&mut source).map_err(|cause| format!("{cause}, at byte {}", source.position()))
            }
            Encoding::Binary => binary::decode(bytes),
            Encoding::Json | Encoding::PrettyJson => json::decode(bytes),
        }
    }

    /// Reads a compressed file as it is unpacked, so that what is refused is not unpacked first.
    fn unzip(&self, bytes: &[u8]) -> Result<Node, String> {
        let mut rest = bytes;
        let mut source = BufReader::new(Bounded::new(Gzip(GzDecoder::new(&mut rest)), unpacked_limit(bytes)));
        let tree = match self.encoding {
            Encoding::Mpk => mpk::decode(&mut source),
            Encoding::Binary => binary::decode_stream(&mut source),
            Encoding::Json | Encoding::PrettyJson => json::decode_stream(&mut source),
        }?;
        drop(source);
        if rest.is_empty() { Ok(tree) } else { Err(format!("gzip: {} bytes follow the end", rest.len())) }
    }

    /// Returns whether blocks have checksums: uncompressed MessagePack.
    fn has_blocks(&self) -> bool {
        !self.gzip && self.encoding == Encoding::Mpk
    }

    /// Returns whether the tree carries a checksum; gzip and the binary layout have their own.
    fn has_checksum(&self) -> bool {
        !self.gzip && self.encoding != Encoding::Binary
    }

    fn error(&self, cause: String) -> RecordError {
        RecordError::Format { recorder: self.recorder, cause }
    }

    /// Returns a hint at the recorder that would find a file at `path`.
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

/// Returns the limit of unpacked bytes; a tree and the value read last are in memory at the same time.
fn unpacked_limit(compressed: &[u8]) -> u64 {
    /// Size in bytes up to which available memory is not checked.
    const SMALL: u64 = 64 << 20;
    let most = GZIP_RATIO.saturating_mul(compressed.len() as u64);
    let available = if most > SMALL { available_memory() } else { None };
    available.map_or(most, |available| most.min(available / 2))
}

/// Reader that marks errors as decompression errors. `flate2` compares length and checksum at the end.
struct Gzip<R>(R);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0
            .read(buffer)
            .map_err(|error| io::Error::other(format!("gzip: the file is truncated or damaged ({error})")))
    }
}

/// Returns the recorder whose files begin like `bytes`.
fn recorder_of(bytes: &[u8]) -> Option<&'static str> {
    let is = |encoding: Encoding, bytes: &[u8]| match encoding {
        Encoding::Binary => bytes.starts_with(binary::MAGIC),
        Encoding::Json | Encoding::PrettyJson => bytes.trim_ascii_start().starts_with(b"{"),
        // A map of the few fields of the envelope.
        Encoding::Mpk => matches!(bytes.first(), Some(0x82..=0x84)),
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

/// Encodes a tree to a file, keeping the first I/O error, which the encoder itself cannot return.
fn encode_binary(tree: &Node, out: &mut dyn Write) -> io::Result<()> {
    let mut result = Ok(());
    binary::encode(tree, &mut |part| {
        if result.is_ok() {
            result = out.write_all(part);
        }
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::TensorData;
    use std::fs::File;

    fn tree() -> Node {
        let tensor = TensorData::new(vec![0.5_f32; 100_000], [100_000]);
        Node::Map(vec![("weight".into(), Node::Tensor(tensor))])
    }

    /// A device that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named_by_every_recorder() {
        for format in ALL {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let tree = envelope::wrap(tree(), format.has_checksum());
            let error = burn_io::write_through(full, &mut |out| format.write(&tree, out)).unwrap_err();
            assert!(error.to_string().contains("No space left on device"), "{}: {error}", format.recorder);
        }
    }

    #[test]
    fn content_that_unpacks_to_more_than_its_limit_is_refused() {
        let zeros = vec![0_u8; 10 << 20];
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&zeros).unwrap();
        let compressed = gzip.finish().unwrap();
        // The ratio of the format is the most that there can be.
        assert!(unpacked_limit(&compressed) >= 10 << 20);
        let mut source = Bounded::new(Gzip(GzDecoder::new(&compressed[..])), 1 << 20);
        let error = source.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }
}

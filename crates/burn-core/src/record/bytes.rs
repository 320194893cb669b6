//! Reading and writing bytes without trusting them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Where bytes go.
pub trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for crc32fast::Hasher {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// How deep trees may be. Deeper ones in a file are damage, or meant to exhaust the stack.
pub const MAX_DEPTH: usize = 128;

/// Bytes that are not read yet.
#[derive(Debug)]
pub struct Source<'a> {
    all: usize,
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Source { all: bytes.len(), rest: bytes }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(format!("truncated: {count} more bytes were to follow at byte {}", self.position())),
        }
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn byte(&mut self) -> Result<u8, String> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn text(&mut self, length: usize) -> Result<String, String> {
        let at = self.position();
        let bytes = self.take(length)?;
        core::str::from_utf8(bytes)
            .map(ToString::to_string)
            .map_err(|_| format!("no UTF-8 text at byte {at}"))
    }

    /// How many items there may be: no more than bytes are left, since each takes at least one.
    pub fn count(&self, count: u64) -> Result<usize, String> {
        match usize::try_from(count) {
            Ok(count) if count <= self.rest.len() => Ok(count),
            _ => Err(format!("truncated: {count} items were to follow at byte {}", self.position())),
        }
    }

    pub fn position(&self) -> usize {
        self.all - self.rest.len()
    }

    pub fn finish(self) -> Result<(), String> {
        match self.rest.len() {
            0 => Ok(()),
            count => Err(format!("{count} bytes follow the end of the record")),
        }
    }
}

pub fn too_deep() -> String {
    format!("the record is nested more than {MAX_DEPTH} levels deep")
}

//! Checksums of the blocks of a file, which say where it is damaged.
//!
//! A named MessagePack file is a map; its last field is `blocks`, with the CRC-32 of each 64 KiB before that
//! field, little-endian. It has one size, so that it is found from the end of a file whose beginning cannot
//! be read.

use std::io::{self, Write};
use std::ops::Range;
use std::vec::Vec;

const BLOCK: usize = 1 << 16;

/// `blocks` as MessagePack, and the mark of bytes with a length of 32 bits.
const HEAD: &[u8] = b"\xa6blocks\xc6";
const HEAD_AND_LENGTH: usize = HEAD.len() + 4;

/// Writer that passes bytes on and computes the checksum of each block.
pub struct BlockWriter<'a> {
    out: &'a mut dyn Write,
    hasher: crc32fast::Hasher,
    /// The bytes of the block that is begun.
    begun: usize,
    sums: Vec<u8>,
}

impl<'a> BlockWriter<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        BlockWriter { out, hasher: crc32fast::Hasher::new(), begun: 0, sums: Vec::new() }
    }

    /// Writes the field.
    pub fn finish(mut self) -> io::Result<()> {
        if self.begun > 0 {
            self.end_block();
        }
        let length = u32::try_from(self.sums.len()).map_err(io::Error::other)?;
        self.out.write_all(HEAD)?;
        self.out.write_all(&length.to_be_bytes())?;
        self.out.write_all(&self.sums)
    }

    fn end_block(&mut self) {
        let sum = std::mem::take(&mut self.hasher).finalize();
        self.sums.extend_from_slice(&sum.to_le_bytes());
        self.begun = 0;
    }
}

impl Write for BlockWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(&bytes[..bytes.len().min(BLOCK - self.begun)])?;
        self.hasher.update(&bytes[..written]);
        self.begun += written;
        if self.begun == BLOCK {
            self.end_block();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Result of checking the checksums at the end of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All blocks match their checksums.
    Whole,
    /// Byte range of the first block whose checksum differs.
    Damaged(Range<usize>),
    /// No checksums: the file has an older format, or is truncated.
    Unknown,
}

pub fn verify(file: &[u8]) -> Verdict {
    verify_field(file).unwrap_or(Verdict::Unknown)
}

fn verify_field(file: &[u8]) -> Option<Verdict> {
    let with_sums = file.len().checked_sub(HEAD_AND_LENGTH)?;
    let count = with_sums.div_ceil(BLOCK + 4);
    let (content, field) = file.split_at_checked(with_sums.checked_sub(4 * count)?)?;
    let (length, sums) = field.strip_prefix(HEAD)?.split_first_chunk()?;
    if u32::from_be_bytes(*length) as usize != sums.len() {
        return None;
    }
    let blocks = content.chunks(BLOCK).zip(sums.chunks_exact(4)).enumerate();
    let damaged = |(_, (block, sum)): &(usize, (&[u8], &[u8]))| crc32fast::hash(block).to_le_bytes() != **sum;
    Some(match blocks.into_iter().find(damaged) {
        Some((index, (block, _))) => Verdict::Damaged(index * BLOCK..index * BLOCK + block.len()),
        None => Verdict::Whole,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(length: usize) -> Vec<u8> {
        let mut file = Vec::new();
        let mut out = BlockWriter::new(&mut file);
        out.write_all(&(0..length).map(|byte| (byte * 7 % 251) as u8).collect::<Vec<_>>()).unwrap();
        out.finish().unwrap();
        file
    }

    #[test]
    fn the_block_of_a_flipped_bit_is_found() {
        for length in [1, 4, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 5] {
            let whole = file(length);
            assert_eq!(verify(&whole), Verdict::Whole, "{length}");
            for at in [0, length / 2, length - 1] {
                let mut damaged = whole.clone();
                damaged[at] ^= 4;
                let begin = at / BLOCK * BLOCK;
                assert_eq!(
                    verify(&damaged),
                    Verdict::Damaged(begin..length.min(begin + BLOCK)),
                    "{length} {at}"
                );
            }
        }
    }

    #[test]
    fn a_file_without_its_end_has_no_checksums() {
        let whole = file(BLOCK + 9);
        for length in [0, 1, 11, BLOCK, whole.len() - 1] {
            assert_eq!(verify(&whole[..length]), Verdict::Unknown, "{length}");
        }
    }
}

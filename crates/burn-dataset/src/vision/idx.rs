use std::cmp::Ordering;
use std::fmt::Display;
use std::io::{BufRead, Read};

use flate2::bufread::GzDecoder;

/// The most that one byte of a gzip file can unfold to.
const DEFLATE_LIMIT: u64 = 1032;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The items of an IDX file: a four-byte magic number, big-endian dims, then one byte an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Idx {
    pub(super) count: usize,
    pub(super) values: Vec<u8>,
}

/// Reads items of `item_shape` from a plain or gzip file of `file_size` bytes.
///
/// No more is allocated than about twice what the file really holds, whatever its header says.
///
/// # Errors
/// If the file is not one of such items, whole and nothing else; the text says what was expected and found.
pub(super) fn read_idx(file: &mut dyn BufRead, file_size: u64, item_shape: &[usize]) -> Result<Idx, String> {
    if file.fill_buf().map_err(unreadable)?.starts_with(&GZIP_MAGIC) {
        read_plain(&mut GzDecoder::new(file), file_size.saturating_mul(DEFLATE_LIMIT), item_shape)
    } else {
        read_plain(file, file_size, item_shape)
    }
}

fn read_plain(file: &mut dyn Read, most: u64, item_shape: &[usize]) -> Result<Idx, String> {
    let (found, expected) = (read_u32(file, "magic number")?, 0x0801 + item_shape.len() as u32);
    if found != expected {
        return Err(format!(
            "the magic number is {found:#010x}, not {expected:#010x} (unsigned bytes, {} dims)",
            item_shape.len() + 1
        ));
    }
    let count = read_u32(file, "number of items")? as usize;
    for &expected in item_shape {
        let found = read_u32(file, "dims")?;
        if found as usize != expected {
            return Err(format!("an item has {found} elements along one dim, not {expected}"));
        }
    }
    let size = item_shape.iter().fold(count as u64, |size, &dim| size.saturating_mul(dim as u64));
    if size > most {
        return Err(format!("the header announces {count} items, more than the file can hold"));
    }
    let values = read_exactly(file, size, count)?;
    Ok(Idx { count, values })
}

fn read_u32(file: &mut dyn Read, what: &str) -> Result<u32, String> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes).map_err(|error| format!("the file ends in the {what} ({error})"))?;
    Ok(u32::from_be_bytes(bytes))
}

fn read_exactly(file: &mut dyn Read, size: u64, count: usize) -> Result<Vec<u8>, String> {
    let mut values = Vec::new();
    let read = file.take(size.saturating_add(1)).read_to_end(&mut values);
    let found = values.len() as u64;
    read.map_err(|error| {
        format!("{count} items take {size} bytes; after {found} of them the file is broken ({error})")
    })?;
    match found.cmp(&size) {
        Ordering::Less => Err(format!("{count} items take {size} bytes, but the file ends after {found}")),
        Ordering::Greater => Err(format!("{count} items take {size} bytes, but the file goes on")),
        Ordering::Equal => Ok(values),
    }
}

fn unreadable(error: impl Display) -> String {
    format!("it cannot be read ({error})")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::random::Generator;

    fn idx(magic: u32, dims: &[u32], values: &[u8]) -> Vec<u8> {
        let words = [magic].into_iter().chain(dims.iter().copied());
        words.flat_map(u32::to_be_bytes).chain(values.iter().copied()).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8], item_shape: &[usize]) -> Result<Idx, String> {
        read_idx(&mut &bytes[..], bytes.len() as u64, item_shape)
    }

    fn images() -> Vec<u8> {
        idx(0x803, &[2, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    }

    #[test]
    fn plain_and_gzip_files_are_read() {
        let expected = Ok(Idx { count: 2, values: (1..=12).collect() });
        assert_eq!(read(&images(), &[2, 3]), expected);
        assert_eq!(read(&gzip(&images()), &[2, 3]), expected);
        assert_eq!(read(&idx(0x801, &[0], &[]), &[]), Ok(Idx { count: 0, values: vec![] }));
    }

    #[test]
    fn errors_say_what_was_found() {
        let check = |bytes: &[u8], expected: &str| {
            let error = read(bytes, &[2, 3]).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(b"<html>not here</html>", "0x3c68746d, not 0x00000803");
        check(&idx(0x801, &[12], &[0; 12]), "0x00000801, not 0x00000803");
        check(&idx(0x803, &[2, 3, 2], &[0; 12]), "3 elements along one dim, not 2");
        check(&idx(0x803, &[2, 2, 3], &[0; 11]), "take 12 bytes, but the file ends after 11");
        check(&gzip(&idx(0x803, &[2, 2, 3], &[0; 11])), "take 12 bytes, but the file ends after 11");
        check(&idx(0x803, &[2, 2, 3], &[0; 13]), "the file goes on");
        check(&idx(0x803, &[u32::MAX, 2, 3], &[0; 12]), "4294967295 items, more than the file can hold");
        check(&gzip(&idx(0x803, &[u32::MAX, 2, 3], &[0; 12])), "4294967295 items, more than");
        check(&[], "ends in the magic number");
    }

    #[test]
    fn every_truncation_is_an_error() {
        for bytes in [images(), gzip(&images())] {
            for len in 0..bytes.len() {
                assert!(read(&bytes[..len], &[2, 3]).is_err(), "{len} of {} bytes", bytes.len());
            }
        }
    }

    #[test]
    fn no_flipped_bit_of_gzip_content_changes_a_value() {
        let bytes = gzip(&images());
        let whole = read(&bytes, &[2, 3]);
        // The ten bytes of the gzip header hold a time and a system, which are ignored.
        for bit in 80..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // A few bits only fill up the last byte of the compressed data.
            let read = read(&damaged, &[2, 3]);
            assert!(read.is_err() || read == whole, "bit {bit}: {read:?}");
        }
    }

    #[test]
    fn random_bytes_never_panic() {
        let mut random = Generator::new(1);
        for round in 0..20_000 {
            let mut bytes: Vec<u8> = (0..random.below(60)).map(|_| random.next_u64() as u8).collect();
            // Most rounds get past the first checks.
            let prefix = match round % 4 {
                0 => vec![],
                1 => GZIP_MAGIC.to_vec(),
                2 => idx(0x803, &[], &[]),
                _ => idx(0x803, &[random.next_u64() as u32, 2, 3], &[]),
            };
            bytes.splice(0..0, prefix);
            let _ = read(&bytes, &[2, 3]);
            let _ = read(&gzip(&bytes), &[2, 3]);
        }
    }
}

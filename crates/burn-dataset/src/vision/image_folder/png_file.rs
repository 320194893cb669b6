use std::fs::File;
use std::io::BufReader;

use burn_io::GZIP_RATIO;
use png::{BitDepth, ColorType, Decoder, Transformations};

use super::item::Pixels;

/// The most bytes of the pixels of an image.
const MOST_BYTES: u64 = 512 << 20;

/// The bytes that a PNG file begins with.
pub(super) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Pixels that one byte of a PNG file can stand for: eight in a byte, which DEFLATE packs 1032 to one.
const MOST_PIXELS_A_BYTE: u64 = 8 * GZIP_RATIO;

/// The content of a PNG file.
pub(super) struct Png {
    pub(super) pixels: Pixels,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
    /// Red, green and blue of the values of a file with a palette that is not expanded.
    pub(super) palette: Option<Vec<[u8; 3]>>,
}

/// How the values of a file become pixels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Colors of a palette, and grey of fewer than 8 bits as grey of 8.
    Colors,
    /// Positions in a palette, and grey of fewer than 8 bits, as they are.
    Raw,
}

/// Reads a PNG file of `size` bytes; colour profiles and texts, which unpack to any size, are passed over.
///
/// # Errors
/// Defect that was put into the file.
pub(super) fn decode_png(file: File, size: u64, values: Values) -> Result<Png, String> {
    let mut decoder = Decoder::new(BufReader::new(file));
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(match values {
        Values::Colors => Transformations::EXPAND,
        Values::Raw => Transformations::IDENTITY,
    });
    let (width, height) = decoder.read_header_info().map_err(|error| error.to_string())?.size();
    if u64::from(width) * u64::from(height) > size.saturating_mul(MOST_PIXELS_A_BYTE) {
        return Err(format!("it says it has {width} x {height} pixels, more than {size} bytes can hold"));
    }
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let bytes = reader.output_buffer_size().filter(|bytes| *bytes as u64 <= MOST_BYTES);
    let bytes = bytes
        .ok_or_else(|| format!("its {width} x {height} pixels take more than {} MiB", MOST_BYTES >> 20))?;
    let mut content = Vec::new();
    content.try_reserve_exact(bytes).map_err(|_| format!("no memory is left for {bytes} bytes of pixels"))?;
    content.resize(bytes, 0);
    let frame = reader.next_frame(&mut content).map_err(|error| error.to_string())?;
    content.truncate(frame.buffer_size());
    let (width, height) = (width as usize, height as usize);
    let palette = match (frame.color_type, &reader.info().palette) {
        (ColorType::Indexed, Some(palette)) => Some(palette.as_chunks().0.to_vec()),
        _ => None,
    };
    let channels = frame.color_type.samples();
    let pixels = match frame.bit_depth {
        BitDepth::Sixteen => Pixels::U16(big_endian(&content)),
        BitDepth::Eight => Pixels::U8(content),
        depth => Pixels::U8(unpack(&content, depth as usize, width, frame.line_size)),
    };
    Ok(Png { pixels, height, width, channels, palette })
}

fn big_endian(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
}

/// Values of 1, 2 or 4 bits, the first in the highest bits of a byte; rows begin at bytes.
fn unpack(bytes: &[u8], bits: usize, width: usize, line: usize) -> Vec<u8> {
    let (per_byte, mask) = (8 / bits, (1 << bits) - 1);
    let row = |row: &[u8]| -> Vec<u8> {
        let value = |at: usize| (row[at / per_byte] >> (8 - bits * (at % per_byte + 1))) & mask;
        (0..width).map(value).collect()
    };
    bytes.chunks_exact(line.max(1)).flat_map(row).collect()
}

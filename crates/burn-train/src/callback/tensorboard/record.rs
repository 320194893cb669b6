//! TFRecord framing: length, checksum of the length, bytes, checksum of the bytes; all numbers in
//! little-endian order.

/// Returns the record of `bytes`.
pub(super) fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u64).to_le_bytes();
    let mut record = Vec::with_capacity(bytes.len() + 16);
    record.extend(length);
    record.extend(masked_crc(&length).to_le_bytes());
    record.extend(bytes);
    record.extend(masked_crc(bytes).to_le_bytes());
    record
}

/// CRC-32C, rotated and offset so that a checksum of a checksum is not weak (TensorFlow,
/// `core/lib/hash/crc32c.h`).
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record of the event that TensorFlow writes first, with its time set to 1.
    #[test]
    fn the_first_record_is_that_of_tensorboard() {
        let fixture = include_bytes!("fixture.tfevents");
        let length = u64::from_le_bytes(fixture[..8].try_into().unwrap()) as usize;
        assert_eq!(frame(&fixture[12..12 + length]), fixture[..length + 16]);
    }
}

//! Features of a file: its first and last bytes.

/// Bytes at the beginning and at the end that the network sees.
const SIZE: usize = 1024;
/// Bytes at the beginning and at the end in which those are looked for.
const BLOCK: usize = 4096;
/// Stands where a file has no more bytes.
const PADDING: i32 = 256;

/// Returns the 2048 features of a content: its first 1024 bytes without leading white space, padded at the
/// end, then its last 1024 bytes without trailing white space, padded at the front.
pub fn features(content: &[u8]) -> Vec<i32> {
    let block = content.len().min(BLOCK);
    let start = trimmed_start(&content[..block]);
    let end = trimmed_end(&content[content.len() - block..]);
    let (start, end) = (&start[..start.len().min(SIZE)], &end[end.len().saturating_sub(SIZE)..]);
    let mut features = Vec::with_capacity(2 * SIZE);
    features.extend(start.iter().map(|&byte| i32::from(byte)));
    features.resize(2 * SIZE - end.len(), PADDING);
    features.extend(end.iter().map(|&byte| i32::from(byte)));
    features
}

/// White space as Python's `bytes.strip` has it.
fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

fn trimmed_start(content: &[u8]) -> &[u8] {
    &content[content.iter().position(|byte| !is_space(byte)).unwrap_or(content.len())..]
}

fn trimmed_end(content: &[u8]) -> &[u8] {
    &content[..content.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_content_is_padded_in_the_middle() {
        let features = features(b" \x0bab \n");
        assert_eq!(features.len(), 2048);
        assert_eq!(features[..4], [97, 98, 32, 10]);
        assert_eq!(features[4..1024], [256; 1020]);
        assert_eq!(features[1024..2044], [256; 1020]);
        assert_eq!(features[2044..], [32, 11, 97, 98]);
    }
}

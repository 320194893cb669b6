//! Number of values in MessagePack data, counted without decoding.

/// Returns whether `bytes` hold at most `limit` values, keys included. Invalid MessagePack is left to the
/// decoder to reject.
pub fn are_at_most(limit: usize, bytes: &[u8]) -> bool {
    let (mut rest, mut count) = (bytes, 0);
    while let Some((marker, behind)) = rest.split_first() {
        count += 1;
        if count > limit {
            return false;
        }
        let skipped = content(*marker, behind);
        match behind.get(skipped..) {
            Some(behind) => rest = behind,
            None => return true,
        }
    }
    true
}

/// Returns the number of bytes after a marker that belong to its value, without the items of lists and maps.
fn content(marker: u8, behind: &[u8]) -> usize {
    let length = |size: usize| {
        let bytes = behind.get(..size).unwrap_or_default();
        size.saturating_add(bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    };
    match marker {
        0xa0..=0xbf => usize::from(marker & 0x1f),
        // Bytes and texts, and extensions with a byte for their type.
        0xc4 | 0xd9 => length(1),
        0xc5 | 0xda => length(2),
        0xc6 | 0xdb => length(4),
        0xc7 => length(1).saturating_add(1),
        0xc8 => length(2).saturating_add(1),
        0xc9 => length(4).saturating_add(1),
        0xd4..=0xd8 => 1 + (1 << (marker - 0xd4)),
        0xcc | 0xd0 => 1,
        // Also the number of items of a list or a map.
        0xcd | 0xd1 | 0xdc | 0xde => 2,
        0xca | 0xce | 0xd2 | 0xdd | 0xdf => 4,
        0xcb | 0xcf | 0xd3 => 8,
        0x00..=0x9f | 0xc0..=0xc3 | 0xe0..=0xff => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    fn count(value: impl Serialize) -> usize {
        let bytes = rmp_serde::to_vec_named(&value).unwrap();
        (0..).find(|limit| are_at_most(*limit, &bytes)).unwrap()
    }

    #[test]
    fn every_kind_of_value_counts_as_one() {
        assert_eq!(count(()), 1);
        assert_eq!(count([1_u64, 200, 70_000, 1 << 40, u64::MAX]), 6);
        assert_eq!(count([-1_i64, -100, -1000, -70_000, i64::MIN]), 6);
        assert_eq!(count((1.5_f32, 2.5_f64, true)), 4);
        for length in [0, 5, 40, 300, 70_000] {
            assert_eq!(count(("x".repeat(length), 7)), 3, "{length}");
            assert_eq!(count(vec![false; length]), length + 1);
        }
        let map: std::collections::BTreeMap<u32, &str> = [(1, "a"), (2, "b")].into();
        assert_eq!(count(map), 5);
    }

    #[test]
    fn lengths_that_are_not_there_end_the_count() {
        for bytes in [&[0xc6, 0xff, 0xff, 0xff, 0xff][..], &[0xdb], &[0xa5, 1], &[0xcf, 0]] {
            assert!(are_at_most(1, bytes));
        }
    }
}

//! Size limits of configs: parsed values take many times the memory of the JSON text.

use alloc::format;
use alloc::string::String;

/// Maximum bytes of a config, enough for a vocabulary inside of it.
pub const BYTES: usize = 64 << 20;
const VALUES: usize = 1 << 20;

/// Checks that a config may be read from `text`, which need not be JSON.
pub fn check(text: &[u8]) -> Result<(), String> {
    check_size(text.len() as u64)?;
    if most_values(text) > VALUES {
        return Err(format!("it has more than {VALUES} values, which is no config"));
    }
    Ok(())
}

/// Checks the size of a config file.
pub fn check_size(bytes: u64) -> Result<(), String> {
    if bytes > BYTES as u64 {
        return Err(format!("it has {bytes} bytes, and a config has at most {} MiB", BYTES >> 20));
    }
    Ok(())
}

/// Returns an upper bound of the number of values: separators and opening brackets outside of strings.
fn most_values(text: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let cases: [(&[u8], usize); 5] = [
            (b"3", 1),
            (b"[1, 2]", 3),
            (b"{\"a,[\": [1]}", 3),
            (b"\"a\\\",\"", 1),
            (b"[{}, \"\\\\\", 2]", 5),
        ];
        for (text, count) in cases {
            assert_eq!(most_values(text), count, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_config_is_neither_large_nor_many_values() {
        assert_eq!(check(b"{\"hidden\": 16}"), Ok(()));
        let error = check(&b"0,".repeat(2 << 20)).unwrap_err();
        assert!(error.contains("1048576 values"), "{error}");
        let error = check_size(1 << 40).unwrap_err();
        assert!(error.contains("64 MiB"), "{error}");
    }
}

use std::io::{self, ErrorKind, Read};

/// The most bytes that one byte of a gzip file can unpack to: the limit of the DEFLATE format.
pub const GZIP_RATIO: u64 = 1032;

/// A reader that counts the bytes it hands out and refuses to hand out more than a limit.
///
/// ```
/// use burn_io::Bounded;
/// use std::io::{ErrorKind, Read};
///
/// let mut text = Vec::new();
/// Bounded::new(&b"abc"[..], 3).read_to_end(&mut text)?;
/// assert_eq!(text, b"abc");
///
/// let error = Bounded::new(&b"abcd"[..], 3).read_to_end(&mut text).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::FileTooLarge);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Bounded<R> {
    inner: R,
    position: u64,
    limit: u64,
}

impl<R: Read> Bounded<R> {
    /// Hands out at most `limit` bytes of `inner`; one byte more is an error of kind
    /// [`ErrorKind::FileTooLarge`].
    pub fn new(inner: R, limit: u64) -> Self {
        Bounded { inner, position: 0, limit }
    }

    /// Returns how many bytes were handed out.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.limit - self.position;
        if left == 0 && !buffer.is_empty() {
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::new(
                    ErrorKind::FileTooLarge,
                    format!("the content is larger than its limit of {} bytes", self.limit),
                )),
            };
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.inner.read(&mut buffer[..most])?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_exact() {
        for (length, fits) in [(0, true), (9, true), (10, true), (11, false), (100, false)] {
            let content = vec![7; length];
            let (mut read, mut bounded) = (Vec::new(), Bounded::new(&content[..], 10));
            let outcome = bounded.read_to_end(&mut read);
            assert_eq!(outcome.is_ok(), fits, "{length}");
            assert_eq!((read.len(), bounded.position()), (length.min(10), length.min(10) as u64));
        }
    }

    #[test]
    fn endless_content_ends_at_the_limit() {
        let mut read = Vec::new();
        let error = Bounded::new(io::repeat(0), 100_000).read_to_end(&mut read).unwrap_err();
        assert!(error.to_string().contains("100000 bytes"), "{error}");
        assert_eq!(read.len(), 100_000);
    }
}

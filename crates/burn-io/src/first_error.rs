use std::io::{self, BufWriter, ErrorKind, IntoInnerError, Write};

/// Writes to `out` through a buffer, and reports the first thing that went wrong with `out` itself.
///
/// Encoders wrap such errors in their own, whose text no longer says that the disk is full.
///
/// # Errors
/// The first error of `out`, else the error of `write`.
pub fn write_through<W: Write>(
    out: W,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<W> {
    let mut out = FirstError { out: BufWriter::new(out), error: None };
    let written = write(&mut out);
    if let Some(error) = out.error {
        // The rest of the buffer is not to be written when it is dropped.
        let _ = out.out.into_parts();
        return Err(error);
    }
    match written {
        Ok(()) => out.out.into_inner().map_err(IntoInnerError::into_error),
        Err(error) => {
            let _ = out.out.into_parts();
            Err(error)
        }
    }
}

struct FirstError<W: Write> {
    out: BufWriter<W>,
    error: Option<io::Error>,
}

impl<W: Write> FirstError<W> {
    fn keep<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &outcome
            && error.kind() != ErrorKind::Interrupted
            && self.error.is_none()
        {
            self.error = Some(match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(error.kind(), error.to_string()),
            });
        }
        outcome
    }
}

impl<W: Write> Write for FirstError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.out.write(bytes);
        self.keep(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.out.flush();
        self.keep(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Disk with room for this many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::from(ErrorKind::StorageFull));
            }
            let written = bytes.len().min(self.0);
            self.0 -= written;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Writes as an encoder does that has errors of its own.
    fn encode(out: &mut dyn Write) -> io::Result<()> {
        (0..100).try_for_each(|_| out.write_all(&[0; 1000])).map_err(|_| io::Error::other("cannot encode"))
    }

    #[test]
    fn a_full_disk_is_reported_wherever_it_is_met() {
        for room in [0, 10, 8192, 50_000, 99_999] {
            let error = write_through(Disk(room), &mut encode).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::StorageFull, "room for {room} bytes: {error}");
        }
        assert_eq!(write_through(Disk(100_000), &mut encode).unwrap().0, 0);
    }

    #[test]
    fn an_error_of_the_encoder_alone_is_its_own() {
        let error = write_through(Disk(10), &mut |_| Err(io::Error::other("no such value"))).map(drop);
        assert_eq!(error.unwrap_err().to_string(), "no such value");
    }
}

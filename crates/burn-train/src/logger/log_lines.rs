use std::io::{self, BufRead, ErrorKind, Read};

/// The lines of a file, none of which is long.
pub(super) struct LogLines<R> {
    file: R,
    line: Vec<u8>,
    read: usize,
}

/// The most bytes of a line, and the most lines of a file: the entries of an epoch take 16 bytes each.
const LONGEST_LINE: usize = 1 << 16;
const MOST_LINES: usize = 16 << 20;

impl<R: BufRead> LogLines<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, line: Vec::new(), read: 0 }
    }

    /// Returns the next line with its end.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut file = self.file.by_ref().take(LONGEST_LINE as u64 + 1);
        if file.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.read += 1;
        if self.line.len() > LONGEST_LINE {
            let cause = format!("line {} has more than {LONGEST_LINE} bytes", self.read);
            return Err(io::Error::new(ErrorKind::InvalidData, cause));
        }
        if self.read > MOST_LINES {
            return Err(io::Error::new(
                ErrorKind::FileTooLarge,
                format!("it has more than {MOST_LINES} lines"),
            ));
        }
        Ok(Some(&self.line))
    }
}

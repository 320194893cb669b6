//! Lines that processes print, with their rank before them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Longest line in bytes that is passed on in one piece.
const MAX_LINE: u64 = 1 << 20;

/// A stream that several threads write whole lines to.
pub type Shared<W> = Arc<Mutex<W>>;

/// Passes on the lines of `from`, each changed by `change`, until its end.
pub fn pass_on<W: Write + Send + 'static>(
    from: impl Read + Send + 'static,
    to: Shared<W>,
    change: impl Fn(&[u8]) -> Vec<u8> + Send + 'static,
) -> JoinHandle<()> {
    thread::spawn(move || {
        // Where the launcher's own output is closed, the program goes on all the same.
        let _ = copy_lines(BufReader::new(from), &to, change);
    })
}

fn copy_lines<W: Write>(
    mut from: impl BufRead,
    to: &Shared<W>,
    change: impl Fn(&[u8]) -> Vec<u8>,
) -> io::Result<()> {
    let mut written = Ok(());
    loop {
        let mut line = Vec::new();
        if from.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return written;
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        // Read on after an error: a process whose pipe is full would wait.
        if written.is_ok() {
            let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
            written = to.write_all(&change(&line)).and_then(|()| to.flush());
        }
    }
}

/// Puts a rank before a line.
pub fn with_rank(rank: usize, line: &[u8]) -> Vec<u8> {
    [format!("[{rank}] ").as_bytes(), line].concat()
}

/// Shortens what Open MPI puts before a line, `[1,RANK]<stdout>:`, to the rank.
pub fn from_open_mpi(line: &[u8]) -> Vec<u8> {
    let found = || {
        let rest = line.strip_prefix(b"[1,")?;
        let end = rest.iter().position(|byte| *byte == b']')?;
        let rank = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
        let rest = rest[end + 1..].strip_prefix(b"<")?;
        let colon = rest.iter().position(|byte| *byte == b':')?;
        Some(with_rank(rank, &rest[colon + 1..]))
    };
    found().unwrap_or_else(|| line.to_vec())
}

#[cfg(test)]
mod tests {
    use super::{copy_lines, from_open_mpi, with_rank};
    use std::sync::{Arc, Mutex};

    #[test]
    fn lines_get_the_rank_and_keep_their_bytes() {
        let to = Arc::new(Mutex::new(Vec::new()));
        copy_lines(&b"first\n\xff second\n\nno end"[..], &to, |line| with_rank(3, line)).unwrap();
        assert_eq!(&to.lock().unwrap()[..], b"[3] first\n[3] \xff second\n[3] \n[3] no end\n");
    }

    #[test]
    fn ranks_of_open_mpi_are_shortened() {
        assert_eq!(from_open_mpi(b"[1,12]<stderr>:a: b\n"), b"[12] a: b\n");
        assert_eq!(from_open_mpi(b"[host:1] of mpirun\n"), b"[host:1] of mpirun\n");
    }
}

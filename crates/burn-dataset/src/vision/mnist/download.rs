use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::DatasetError;
use crate::files::download_bar;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(1800);

/// A file to be downloaded, of known size and checksum.
pub(super) struct Download {
    pub(super) url: String,
    pub(super) size: u64,
    pub(super) sha256: &'static str,
    /// How to get the file otherwise.
    pub(super) advice: String,
}

impl Download {
    /// Downloads the file beside `path`, verifies it and renames it to `path`.
    ///
    /// # Errors
    /// If it cannot be had, is not the expected one or cannot be written; no file remains.
    pub(super) fn save(&self, path: &Path) -> Result<(), DatasetError> {
        let unwritable = |source| DatasetError::Io { path: path.to_owned(), source };
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(unwritable)?;
        let mut failed = None;
        let written = burn_io::write_atomic(path, &mut |out| {
            self.receive(path, out).map_err(|error| {
                failed = Some(error);
                io::Error::other("the download failed")
            })
        });
        match (failed, written) {
            // The first error is the one to report.
            (Some(error), _) => Err(error),
            (None, written) => written.map_err(unwritable),
        }
    }

    fn receive(&self, path: &Path, out: &mut dyn Write) -> Result<(), DatasetError> {
        let unwritable = |source| DatasetError::Io { path: path.to_owned(), source };
        let mut response = self.request()?;
        let mut content = response.body_mut().as_reader().take(self.size + 1);
        let bar = download_bar(&self.url, Some(self.size));

        let mut hash = Sha256::new();
        let mut size = 0;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = match content.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.failed(format!("after {size} bytes: {error}"))),
            };
            hash.update(&buffer[..read]);
            out.write_all(&buffer[..read]).map_err(unwritable)?;
            size += read as u64;
            bar.set_position(size);
        }
        bar.finish_and_clear();
        self.verify(size, &hash.finalize())
    }

    fn request(&self) -> Result<ureq::http::Response<ureq::Body>, DatasetError> {
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(CONNECT_TIMEOUT))
            .timeout_recv_body(Some(TRANSFER_TIMEOUT))
            .build();
        config.new_agent().get(&self.url).call().map_err(|error| self.failed(error.to_string()))
    }

    fn verify(&self, size: u64, hash: &[u8]) -> Result<(), DatasetError> {
        if size != self.size {
            let found = if size > self.size { "more" } else { &*size.to_string() };
            return Err(self.failed(format!("expected {} bytes, got {found}", self.size)));
        }
        let found: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            return Err(self.failed(format!("expected the SHA-256 {}, got {found}", self.sha256)));
        }
        Ok(())
    }

    fn failed(&self, reason: String) -> DatasetError {
        DatasetError::Download { url: self.url.clone(), reason, advice: self.advice.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use super::*;

    /// The SHA-256 of `abc`, from FIPS 180-2.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// Answers one request and returns its first line.
    fn serve(answer: &'static str) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mirror/file.gz", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let first = lines.next().unwrap();
            while lines.next().is_some_and(|line| !line.is_empty()) {}
            stream.write_all(answer.as_bytes()).unwrap();
            first
        });
        (url, server)
    }

    fn download(url: String) -> Download {
        Download { url, size: 3, sha256: ABC, advice: "Ask a friend".to_owned() }
    }

    #[test]
    fn a_good_file_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("file.gz");
        let (url, server) = serve("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");

        download(url).save(&path).unwrap();
        assert_eq!(server.join().unwrap(), "GET /mirror/file.gz HTTP/1.1");
        assert_eq!(fs::read(&path).unwrap(), b"abc");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_bad_answer_is_an_error_and_leaves_nothing() {
        for (answer, expected) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabd",
                "expected the SHA-256 ba78",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab",
                "expected 3 bytes, got 2",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde",
                "expected 3 bytes, got more",
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\na", "after 1 bytes"),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "404"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (url, server) = serve(answer);
            let error = download(url.clone()).save(&folder.path().join("file.gz")).unwrap_err().to_string();
            server.join().unwrap();

            assert!(error.starts_with(&format!("cannot download {url}: ")), "{error}");
            assert!(error.contains(expected) && error.ends_with("Ask a friend"), "{error}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{error}");
        }
    }
}

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

/// Bytes of a line, and of a body, at most.
const LONGEST_LINE: u64 = 16 << 10;
const LONGEST_BODY: u64 = 64 << 20;

/// Request of a browser.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// A file of the page.
    Get { path: PathBuf },
    /// Text that the page sends to a path.
    Post { path: String, text: String },
}

impl Request {
    /// Reads a request of HTTP/1.1.
    ///
    /// # Errors
    /// It is another request, or the connection ends.
    pub fn read(stream: impl Read) -> io::Result<Self> {
        let mut stream = BufReader::new(stream);
        let first = line(&mut stream)?;
        let mut words = first.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut length = 0;
        loop {
            let header = line(&mut stream)?;
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().map_err(|_| invalid("a length that is no number"))?;
            }
        }
        let target = target.split('?').next().unwrap_or_default();
        match method {
            "GET" => Ok(Request::Get { path: file(target)? }),
            "POST" if length <= LONGEST_BODY => {
                let mut body = vec![0; length as usize];
                stream.read_exact(&mut body)?;
                let text = String::from_utf8(body).map_err(|_| invalid("a text that is not UTF-8"))?;
                Ok(Request::Post { path: target.to_string(), text })
            }
            _ => Err(invalid("a request that is neither GET nor a short POST")),
        }
    }
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    stream.take(LONGEST_LINE).read_line(&mut line)?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_string()),
        None => Err(invalid("a line that has no end")),
    }
}

/// The file that is meant, below the folder of the page.
fn file(target: &str) -> io::Result<PathBuf> {
    let path = target.strip_prefix('/').ok_or_else(|| invalid("a path that does not begin with `/`"))?;
    let path = if path.is_empty() { "index.html" } else { path };
    let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if is_inside { Ok(path.into()) } else { Err(invalid("a path that leaves the page")) }
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Threads of a page share memory only where other origins have no part in it.
const ISOLATION: &str =
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n";

/// Writes a response, and says that it is the last of the connection.
///
/// # Errors
/// The connection ends.
pub fn respond(mut stream: impl Write, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n")?;
    write!(stream, "{ISOLATION}Cache-Control: no-store\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::Request;

    fn read(text: &str) -> Option<Request> {
        Request::read(text.as_bytes()).ok()
    }

    #[test]
    fn files_of_the_page_and_nothing_above_it() {
        let get = |path: &str| read(&format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let file = |path: &str| Some(Request::Get { path: path.into() });
        assert_eq!(get("/"), file("index.html"));
        assert_eq!(get("/a/b.js?query=/../x"), file("a/b.js"));
        for outside in ["/../secret", "/a/../../b", "//etc/passwd", "a", ""] {
            assert_eq!(get(outside), None, "{outside}");
        }
    }

    #[test]
    fn bodies_have_the_length_that_is_said() {
        let post =
            |length: &str| read(&format!("POST /report HTTP/1.1\r\ncontent-length: {length}\r\n\r\nabcd"));
        assert_eq!(post("3"), Some(Request::Post { path: "/report".into(), text: "abc".into() }));
        for wrong in ["5", "-1", "99999999999999", "x"] {
            assert_eq!(post(wrong), None, "{wrong}");
        }
        assert_eq!(read("PUT / HTTP/1.1\r\n\r\n"), None);
        assert_eq!(read("GET / HTTP/1.1\r\nHost: a"), None);
    }
}

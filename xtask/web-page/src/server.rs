use crate::request::{Request, respond};
use std::ffi::OsStr;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Text that a page sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Path it was sent to, such as `/report`.
    pub path: String,
    pub text: String,
}

/// Web server for the files of a page, on this machine only.
#[derive(Debug)]
pub struct Server {
    address: String,
    posts: Receiver<Posted>,
}

impl Server {
    /// Serves the files of `folder` on `port`, or on a free one where it is 0, as long as the process lives.
    ///
    /// # Errors
    /// The port is taken.
    pub fn start(folder: &Path, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = format!("http://{}", listener.local_addr()?);
        let (sender, posts) = channel();
        let folder = folder.to_path_buf();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (folder, sender) = (folder.clone(), sender.clone());
                // Browsers open connections that they may need later.
                thread::spawn(move || answer(&stream, &folder, &sender));
            }
        });
        Ok(Server { address, posts })
    }

    /// Returns the address of the page, without a `/` at its end.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns what pages send, in the order they do.
    pub fn posts(&self) -> &Receiver<Posted> {
        &self.posts
    }
}

/// Answers one request. A connection that the client closed early is no error.
fn answer(stream: &TcpStream, folder: &Path, posts: &Sender<Posted>) {
    const TEXT: &str = "text/plain; charset=utf-8";
    _ = match Request::read(stream) {
        Ok(Request::Get { path }) => match std::fs::read(folder.join(&path)) {
            Ok(bytes) => respond(stream, "200 OK", kind(&path), &bytes),
            Err(error) => respond(stream, "404 Not Found", TEXT, error.to_string().as_bytes()),
        },
        Ok(Request::Post { path, text }) => {
            // The receiver may be gone.
            _ = posts.send(Posted { path, text });
            respond(stream, "204 No Content", TEXT, &[])
        }
        Err(error) => respond(stream, "400 Bad Request", TEXT, error.to_string().as_bytes()),
    };
}

/// Media type of a file: browsers compile WebAssembly only where it is named as such.
fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(OsStr::to_str) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("jpg") => "image/jpeg",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{Posted, Server};
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn files_are_served_and_posts_received() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.wasm"), b"\0asm").expect("written");
        let server = Server::start(folder.path(), 0).expect("a free port");
        let ask = |request: &str| {
            let address = server.address().strip_prefix("http://").expect("an address");
            let mut stream = TcpStream::connect(address).expect("it listens");
            stream.write_all(request.as_bytes()).expect("sent");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("answered");
            answer
        };
        // A connection without a request delays no other.
        let _idle = TcpStream::connect(server.address().strip_prefix("http://").expect("an address"));
        let found = ask("GET /a.wasm HTTP/1.1\r\n\r\n");
        assert!(found.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/wasm\r\n"), "{found}");
        assert!(found.ends_with("\r\n\r\n\0asm"), "{found}");
        assert!(ask("GET /b HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
        assert!(ask("nothing\r\n\r\n").starts_with("HTTP/1.1 400 "));
        assert!(ask("POST /report HTTP/1.1\r\nContent-Length: 2\r\n\r\nok").starts_with("HTTP/1.1 204 "));
        assert_eq!(server.posts().recv(), Ok(Posted { path: "/report".into(), text: "ok".into() }));
    }
}

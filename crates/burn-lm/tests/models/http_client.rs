use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// A response: status, and body without the encoding of its parts.
pub struct Response {
    pub status: u16,
    pub body: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The data of server-sent events.
    pub fn events(&self) -> Vec<String> {
        self.body.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_string).collect()
    }
}

/// Sends a request and leaves the connection open.
pub fn send(address: SocketAddr, method: &str, path: &str, key: Option<&str>, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let key = key.map_or(String::new(), |key| format!("authorization: Bearer {key}\r\n"));
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-type: application/json\r\n{key}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses a body may close the connection before all of it is sent.
    drop(stream.write_all(body));
    stream
}

pub fn request(address: SocketAddr, method: &str, path: &str, key: Option<&str>, body: &[u8]) -> Response {
    let mut stream = send(address, method, path, key, body);
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { joined(body) } else { body.to_string() };
    Response { status, body }
}

pub fn post(address: SocketAddr, path: &str, body: &Value) -> Response {
    request(address, "POST", path, None, body.to_string().as_bytes())
}

/// The parts of a chunked body.
fn joined(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > rest.len() {
            break;
        }
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}

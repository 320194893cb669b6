//! A client that says whatever a test wants.

use burn_backend::{Creation, DType, TensorSpec};
use burn_remote::wire::{
    Fault, Frame, Hello, Kind, Refusal, Reply, Request, Welcome, decode, first, parse_answer, put,
};
use std::net::TcpStream;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

pub struct Raw {
    pub socket: WebSocket<TcpStream>,
    next: u64,
}

/// Message received from the server.
#[derive(Debug)]
pub enum Received {
    Replies(Vec<Reply>),
    Data(usize),
    Fault(Fault),
    /// The connection is closed.
    Gone,
}

impl Raw {
    /// Opens a connection without a session.
    pub fn connect(url: &str) -> Self {
        let stream = TcpStream::connect(url.strip_prefix("ws://").expect("without TLS")).expect("it listens");
        let (socket, _response) = client(url, stream).expect("it speaks websocket");
        Raw { socket, next: 0 }
    }

    /// Opens a connection with a session.
    pub fn open(url: &str) -> Self {
        let mut raw = Self::connect(url);
        raw.greet(&Hello { token: None, resume: None }.to_bytes()).expect("a session");
        raw
    }

    pub fn greet(&mut self, hello: &[u8]) -> Result<Welcome, Refusal> {
        self.bytes(hello.to_vec());
        let answer = self.socket.read().expect("an answer").into_data();
        parse_answer(&answer).expect("an answer")
    }

    /// Sends bytes, whether or not they are accepted.
    pub fn bytes(&mut self, bytes: Vec<u8>) {
        let _sent = self.socket.send(Message::Binary(bytes.into()));
    }

    pub fn frame(&mut self, kind: Kind, payload: &[u8]) {
        let frame = Frame { kind, number: self.next, payload };
        self.next += 1;
        self.bytes(frame.to_bytes());
    }

    pub fn requests(&mut self, requests: &[Request]) {
        let payload = requests.iter().fold(Vec::new(), |bytes, request| put(request, bytes));
        self.frame(Kind::Messages, &payload);
    }

    /// Receives the next message other than acknowledgements, and acknowledges it.
    pub fn receive(&mut self) -> Received {
        loop {
            let bytes = match self.socket.read() {
                Ok(Message::Binary(bytes)) => bytes,
                Ok(Message::Close(_)) | Err(_) => return Received::Gone,
                Ok(_) => continue,
            };
            let frame = Frame::parse(&bytes).expect("a frame");
            match frame.kind {
                Kind::Ack => continue,
                Kind::Fault => return Received::Fault(decode(frame.payload).expect("a fault")),
                Kind::Messages | Kind::Data => {
                    let ack = Frame { kind: Kind::Ack, number: frame.number + 1, payload: &[] };
                    self.bytes(ack.to_bytes());
                }
            }
            if frame.kind == Kind::Data {
                return Received::Data(frame.payload.len());
            }
            let (mut payload, mut replies) = (frame.payload, Vec::new());
            while !payload.is_empty() {
                let (reply, rest) = first(payload).expect("a reply");
                replies.push(reply);
                payload = rest;
            }
            return Received::Replies(replies);
        }
    }

    /// Receives the fault that ends the session.
    pub fn fault(&mut self) -> Option<Fault> {
        loop {
            match self.receive() {
                Received::Fault(fault) => return Some(fault),
                Received::Gone => return None,
                Received::Replies(_) | Received::Data(_) => {}
            }
        }
    }

    /// Receives the next reply.
    pub fn reply(&mut self) -> Reply {
        match self.receive() {
            Received::Replies(mut replies) if replies.len() == 1 => replies.remove(0),
            other => panic!("one reply is awaited: {other:?}"),
        }
    }
}

/// Requests a tensor of ones.
pub fn full<const D: usize>(output: u64, shape: [usize; D]) -> Request {
    let spec = TensorSpec::new(shape, DType::F32);
    Request::Create { creation: Creation::Full { spec, value: 1.0.into() }, output }
}

use super::pump::SocketMessage;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// TCP stream, with or without TLS.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

pub type Socket = WebSocketStream<Box<dyn Stream>>;

impl SocketMessage for Message {
    fn binary(bytes: Bytes) -> Self {
        Message::Binary(bytes)
    }
    fn bytes(self) -> Result<Option<Bytes>, String> {
        match self {
            Message::Binary(bytes) => Ok(Some(bytes)),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(None),
            Message::Close(_) => Err("the other end closed the connection".into()),
            Message::Text(_) => Err("the other end sent text".into()),
        }
    }
}

use super::connect_error::ConnectError;
use super::options::RemoteOptions;
use super::pump::SocketMessage;
use super::socket::{Socket, Stream};
use super::tls;
use crate::client::RemoteError;
use crate::wire::{Hello, Resume, Welcome, parse_answer};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

/// Larger frames of a server are refused.
const LARGEST_FRAME: usize = 16 << 20;

/// Opens a connection, and a session or one that goes on.
pub async fn connect(
    options: &RemoteOptions,
    resume: Option<Resume>,
) -> Result<(Socket, Welcome), ConnectError> {
    let mut socket = open(options).await?;
    let hello = Hello { token: options.token().map(Into::into), resume };
    socket
        .send(Message::Binary(hello.to_bytes().into()))
        .await
        .map_err(|error| ConnectError::Now(error.to_string()))?;
    let answer = loop {
        let word = socket.next().await.ok_or_else(|| ConnectError::Now("the server is gone".into()))?;
        let word = word.map_err(|error| ConnectError::Now(error.to_string()))?;
        if let Some(bytes) = word.bytes().map_err(ConnectError::Now)? {
            break bytes;
        }
    };
    let address = || options.address().to_owned();
    match parse_answer(&answer) {
        Ok(Ok(welcome)) => Ok((socket, welcome)),
        Ok(Err(reason)) => Err(ConnectError::For(RemoteError::Refused { address: address(), reason })),
        Err(error) => Err(ConnectError::For(RemoteError::Protocol { address: address(), cause: error.0 })),
    }
}

async fn open(options: &RemoteOptions) -> Result<Socket, ConnectError> {
    let address = options.address();
    let wrong = |cause: &str| {
        ConnectError::For(RemoteError::Address { address: address.into(), cause: cause.into() })
    };
    let uri: Uri = address.parse().map_err(|_| wrong("it has the form ws://host:port"))?;
    let host = uri.host().ok_or_else(|| wrong("it has no host"))?.trim_matches(['[', ']']);
    let (secure, port) = match uri.scheme_str() {
        Some("ws") => (false, 80),
        Some("wss") => (true, 443),
        _ => return Err(wrong("it begins with ws:// or wss://")),
    };
    let port = uri.port_u16().unwrap_or(port);
    let stream =
        TcpStream::connect((host, port)).await.map_err(|error| ConnectError::Now(error.to_string()))?;
    // No Nagle delay: small messages are already batched on our side.
    stream.set_nodelay(true).map_err(|error| ConnectError::Now(error.to_string()))?;
    let stream: Box<dyn Stream> =
        if secure { Box::new(tls::wrap(options, host, stream).await?) } else { Box::new(stream) };
    let config =
        WebSocketConfig::default().max_message_size(Some(LARGEST_FRAME)).max_frame_size(Some(LARGEST_FRAME));
    match client_async_with_config(&uri, stream, Some(config)).await {
        Ok((socket, _response)) => Ok(socket),
        Err(Error::Http(response)) => Err(wrong(&format!("it answers {}", response.status()))),
        Err(error) => Err(ConnectError::Now(error.to_string())),
    }
}

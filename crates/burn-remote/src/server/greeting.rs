//! Handshake from a connection to a session: TLS, HTTP up to the websocket, and the token. Until then the
//! client is unknown, so all of it has one deadline, a slot that a newer connection may take, and a byte
//! limit.

use super::admit::{Admitted, admit};
use super::connection;
use super::guest_stream::GuestStream;
use super::guests::Guest;
use super::sessions::Sessions;
use crate::websocket::{Socket, SocketMessage, Stream};
use crate::wire::{LARGEST_HELLO, Refusal, answer};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::accept_hdr_async_with_config;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Buffers of a connection without a session.
const BUFFER_BYTES: usize = 4 << 10;

/// Serves a connection, if it greets as it should before the deadline.
pub async fn greet(stream: TcpStream, tls: Option<TlsAcceptor>, mut guest: Guest, sessions: Arc<Sessions>) {
    let greeting = timeout(sessions.options().handshake_timeout, greeting(stream, tls, &sessions));
    let greeted = tokio::select! {
        () = guest.is_closed() => None,
        greeted = greeting => greeted.ok().flatten(),
    };
    drop(guest);
    if let Some((socket, admitted)) = greeted {
        connection::serve(socket, admitted, sessions).await;
    }
}

/// Opens a session for the guest; `None` if it does not say what it should. Nothing is awaited after that, so
/// a session never gets lost with a future that is dropped.
async fn greeting(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    sessions: &Arc<Sessions>,
) -> Option<(Socket, Admitted)> {
    stream.set_nodelay(true).ok()?;
    let (stream, limit) = GuestStream::new(stream);
    let stream: Box<dyn Stream> = match tls {
        None => Box::new(stream),
        Some(tls) => Box::new(tls.accept(stream).await.ok()?),
    };
    let mut config = WebSocketConfig::default();
    config.read_buffer_size = BUFFER_BYTES;
    config.write_buffer_size = BUFFER_BYTES;
    config.max_message_size = Some(LARGEST_HELLO);
    config.max_frame_size = Some(LARGEST_HELLO);
    let mut socket = accept_hdr_async_with_config(stream, only_root, Some(config)).await.ok()?;
    let hello = first_words(&mut socket).await?;
    match admit(sessions, &hello) {
        Ok(admitted) => {
            limit.lift();
            Some((socket, admitted))
        }
        Err(refusal) => {
            refuse(&mut socket, refusal).await;
            None
        }
    }
}

#[allow(clippy::result_large_err, reason = "the type of the handshake's callback")]
fn only_root(request: &Request, response: Response) -> Result<Response, ErrorResponse> {
    if request.uri().path() == "/" {
        return Ok(response);
    }
    let mut refused = ErrorResponse::new(None);
    *refused.status_mut() = StatusCode::NOT_FOUND;
    Err(refused)
}

async fn first_words(socket: &mut Socket) -> Option<Bytes> {
    loop {
        let word = socket.next().await?.ok()?;
        if let Some(bytes) = word.bytes().ok()? {
            return Some(bytes);
        }
    }
}

async fn refuse(socket: &mut Socket, refusal: Refusal) {
    // A client that does not read gets no message.
    if socket.send(Message::binary(answer(&Err(refusal)))).await.is_ok() {
        let _closed = socket.close(None).await;
    }
}

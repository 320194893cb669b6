use super::admit::Admitted;
use super::entry::Entry;
use super::sessions::Sessions;
use crate::websocket::{Cut, Pace, Receive, Socket, converse, send_fault};
use crate::wire::{Fault, Frame, answer};
use bytes::Bytes;
use futures_util::SinkExt;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// Longest interval between messages.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Serves a connection of a session, from the welcome to its end.
pub async fn serve(guest: Socket, admitted: Admitted, sessions: Arc<Sessions>) {
    // The same connection with larger buffers. A client says nothing between its first words and their
    // answer, so none is lost.
    let largest = Some(sessions.options().limits.frame_bytes);
    let config = WebSocketConfig::default().max_message_size(largest).max_frame_size(largest);
    let mut socket = WebSocketStream::from_raw_socket(guest.into_inner(), Role::Server, Some(config)).await;
    let words = answer(&Ok(admitted.welcome(&sessions)));
    match timeout(sessions.options().handshake_timeout, socket.send(Message::binary(words))).await {
        Ok(Ok(())) => talk(socket, admitted, sessions).await,
        _ => {
            drop(socket);
            keep(admitted, &sessions).await;
        }
    }
}

async fn talk(socket: Socket, admitted: Admitted, sessions: Arc<Sessions>) {
    let entry = &admitted.entry;
    let pace = Pace { heartbeat: HEARTBEAT, idle: sessions.options().idle_timeout };
    let mut receiver = Input { entry, connection: admitted.attached.connection };
    let (cut, mut sink) = converse(socket, &entry.channel, admitted.attached, pace, &mut receiver).await;
    match cut {
        Cut::Over => {
            send_fault(&mut sink, entry.fault.get(), pace.idle).await;
            if entry.channel.is_over() {
                sessions.remove(entry.id);
            }
        }
        Cut::Broken(fault) => {
            if fault != Fault::Superseded {
                sessions.remove(entry.id);
            }
            send_fault(&mut sink, Some(&fault), pace.idle).await;
        }
        Cut::Reported(_) => sessions.remove(entry.id),
        Cut::Lost(_) => {
            // The socket is closed before the session waits for another one.
            drop(sink);
            keep(admitted, &sessions).await;
        }
    }
}

/// Keeps a session without a connection for a while.
async fn keep(admitted: Admitted, sessions: &Sessions) {
    let (id, connection) = (admitted.entry.id, admitted.attached.connection);
    // A session that ends meanwhile does not wait for this.
    drop(admitted);
    sleep(sessions.options().resume_timeout).await;
    if sessions.find(id).is_ok_and(|entry| entry.channel.is_attached(connection)) {
        sessions.remove(id);
    }
}

/// Hands requests to the thread of the session.
struct Input<'a> {
    entry: &'a Entry,
    connection: u64,
}

impl Receive for Input<'_> {
    async fn receive(&mut self, bytes: Bytes) -> Result<(), Fault> {
        if self.entry.input.is_closed() {
            // The session has ended; what it still says is on the way.
            return pending().await;
        }
        let frame = Frame::parse(&bytes).map_err(|malformed| Fault::Malformed(malformed.0))?;
        self.entry.channel.receive(self.connection, &frame, || {
            // The queue is closed if the session has ended meanwhile; the frame is dropped then.
            let _ended = self.entry.input.send(bytes.clone());
        })
    }
}

use super::admit::{Admitted, admit};
use super::sessions::{Entry, Sessions};
use crate::websocket::{Cut, Hear, Pace, Word, converse, say};
use crate::wire::{Fault, Frame, LARGEST_HELLO, Refusal, answer};
use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Something is said at least so often.
const HEARTBEAT: Duration = Duration::from_secs(5);

impl Word for Message {
    fn binary(bytes: Bytes) -> Self {
        Message::Binary(bytes)
    }
    fn bytes(self) -> Result<Option<Bytes>, String> {
        match self {
            Message::Binary(bytes) => Ok(Some(bytes)),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
            Message::Close(_) => Err("the client closed the connection".into()),
            Message::Text(_) => Err("the client sent text".into()),
        }
    }
}

/// A connection, from the first words to the last.
pub async fn serve(mut socket: WebSocket, sessions: Arc<Sessions>) {
    let patience = sessions.options().handshake_timeout;
    // Who comes when too many have not said anything yet is not waited for.
    let Ok(guest) = sessions.guests().try_acquire() else { return };
    let Ok(Some(hello)) = timeout(patience, first_words(&mut socket)).await else { return };
    drop(guest);
    let admitted = admit(&sessions, &hello);
    let words =
        answer(&admitted.as_ref().map(|admitted| admitted.welcome(&sessions)).map_err(Refusal::clone));
    let answered = timeout(patience, socket.send(Message::binary(words))).await;
    match (admitted, answered) {
        (Err(_refusal), _) => {
            let _closed = timeout(patience, socket.send(Message::Close(None))).await;
        }
        (Ok(admitted), Ok(Ok(()))) => talk(socket, admitted, sessions).await,
        (Ok(admitted), _) => keep(admitted, &sessions).await,
    }
}

async fn first_words(socket: &mut WebSocket) -> Option<Bytes> {
    loop {
        let word = socket.recv().await?.ok()?;
        if let Some(bytes) = Word::bytes(word).ok()? {
            // Nothing beyond it is looked at.
            return Some(bytes.slice(..bytes.len().min(LARGEST_HELLO + 1)));
        }
    }
}

async fn talk(socket: WebSocket, admitted: Admitted, sessions: Arc<Sessions>) {
    let entry = &admitted.entry;
    let pace = Pace { heartbeat: HEARTBEAT, idle: sessions.options().idle_timeout };
    let mut hearer = Input { entry, connection: admitted.attached.connection };
    let (cut, mut sink) = converse(socket, &entry.channel, admitted.attached, pace, &mut hearer).await;
    match cut {
        Cut::Over => {
            say(&mut sink, entry.fault.get(), pace.idle).await;
            if entry.channel.is_over() {
                sessions.remove(entry.id);
            }
        }
        Cut::Broken(fault) => {
            if fault != Fault::Superseded {
                sessions.remove(entry.id);
            }
            say(&mut sink, Some(&fault), pace.idle).await;
        }
        Cut::Told(_) => sessions.remove(entry.id),
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

impl Hear for Input<'_> {
    async fn hear(&mut self, bytes: Bytes) -> Result<(), Fault> {
        let Ok(place) = self.entry.input.reserve().await else {
            // The session has ended; what it still says is on the way.
            return pending().await;
        };
        let frame = Frame::parse(&bytes).map_err(|malformed| Fault::Malformed(malformed.0))?;
        self.entry.channel.hear(self.connection, &frame, || place.send(bytes.clone()))
    }
}

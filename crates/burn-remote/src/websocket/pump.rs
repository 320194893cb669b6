use crate::channel::{Attached, Channel};
use crate::wire::{Fault, Frame, Kind, decode};
use bytes::Bytes;
use futures_util::stream::SplitSink;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::fmt::Display;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Websocket message, independent of the library.
pub trait SocketMessage: Sized + Send {
    fn binary(bytes: Bytes) -> Self;
    /// Returns the payload of a binary message; `None` for a keep-alive message.
    ///
    /// # Errors
    /// When the other end closes the connection, or sends text.
    fn bytes(self) -> Result<Option<Bytes>, String>;
}

/// Receiver of numbered frames.
pub trait Receive: Send {
    /// # Errors
    /// When the frame does not belong here.
    fn receive(&mut self, bytes: Bytes) -> impl Future<Output = Result<(), Fault>> + Send;
}

/// Intervals and time limits of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Longest interval between messages of each end.
    pub heartbeat: Duration,
    /// Idle timeout: a connection is lost after this time of silence, or without a message getting through.
    pub idle: Duration,
}

/// End of a connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Finished: this end has sent everything, or another connection has replaced this one.
    Over,
    /// Lost; another connection may resume the session.
    Lost(String),
    /// The other end violated the protocol.
    Broken(Fault),
    /// The other end reported a fault.
    Reported(Fault),
}

/// Sends and receives until the connection ends. Returns the sink for last messages.
pub async fn converse<S, W, E>(
    socket: S,
    channel: &Channel,
    attached: Attached,
    pace: Pace,
    receiver: &mut impl Receive,
) -> (Cut, SplitSink<S, W>)
where
    S: Stream<Item = Result<W, E>> + Sink<W, Error = E> + Send,
    W: SocketMessage,
    E: Display + Send,
{
    let (mut sink, mut stream) = socket.split();
    let beat = async {
        loop {
            sleep(pace.heartbeat).await;
            channel.report();
        }
    };
    let cut = tokio::select! {
        cut = send(&mut sink, channel, attached.connection, pace.idle) => cut,
        cut = listen(&mut stream, channel, pace.idle, receiver) => cut,
        cut = beat => cut,
    };
    (cut, sink)
}

/// Sends what the channel has to say. Messages are flushed when there are no more.
async fn send<W: SocketMessage, E: Display>(
    sink: &mut (impl Sink<W, Error = E> + Unpin),
    channel: &Channel,
    connection: u64,
    idle: Duration,
) -> Cut {
    loop {
        let ready = poll_fn(|context| Poll::Ready(channel.poll_frame(connection, context))).await;
        let frame = match ready {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                if let Err(cause) = in_time(idle, sink.flush()).await {
                    return Cut::Lost(cause);
                }
                poll_fn(|context| channel.poll_frame(connection, context)).await
            }
        };
        let Some(frame) = frame else { return Cut::Over };
        let bytes = Bytes::from_owner(Whole(frame));
        if let Err(cause) = in_time(idle, sink.feed(W::binary(bytes))).await {
            return Cut::Lost(cause);
        }
    }
}

/// A frame as the owner of its bytes.
struct Whole(crate::channel::SharedFrame);

impl AsRef<[u8]> for Whole {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

async fn in_time<E: Display>(
    idle: Duration,
    sent: impl Future<Output = Result<(), E>>,
) -> Result<(), String> {
    match timeout(idle, sent).await {
        Ok(sent) => sent.map_err(|error| error.to_string()),
        Err(_elapsed) => Err(format!("nothing gets through for {idle:?}")),
    }
}

async fn listen<W: SocketMessage, E: Display>(
    stream: &mut (impl Stream<Item = Result<W, E>> + Unpin),
    channel: &Channel,
    idle: Duration,
    receiver: &mut impl Receive,
) -> Cut {
    loop {
        let word = match timeout(idle, stream.next()).await {
            Err(_elapsed) => return Cut::Lost(format!("silence for {idle:?}")),
            Ok(None) => return Cut::Lost("the other end is gone".into()),
            Ok(Some(Err(error))) => return Cut::Lost(error.to_string()),
            Ok(Some(Ok(word))) => word,
        };
        let bytes = match word.bytes() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(cause) => return Cut::Lost(cause),
        };
        let frame = match Frame::parse(&bytes) {
            Ok(frame) => frame,
            Err(malformed) => return Cut::Broken(Fault::Malformed(malformed.0)),
        };
        let received = match frame.kind {
            Kind::Ack => channel.acknowledge(frame.number),
            Kind::Fault => {
                return Cut::Reported(
                    decode(frame.payload).unwrap_or_else(|error| Fault::Malformed(error.0)),
                );
            }
            Kind::Messages | Kind::Data => receiver.receive(bytes).await,
        };
        if let Err(fault) = received {
            return Cut::Broken(fault);
        }
    }
}

/// Sends a last message, if the other end accepts it.
pub async fn send_fault<W: SocketMessage, E>(
    sink: &mut (impl Sink<W, Error = E> + Unpin),
    fault: Option<&Fault>,
    within: Duration,
) {
    let words = async {
        if let Some(fault) = fault {
            let payload = crate::wire::encode(fault);
            let frame = Frame { kind: Kind::Fault, number: 0, payload: &payload }.to_bytes();
            sink.send(W::binary(frame.into())).await?;
        }
        sink.close().await
    };
    // A peer that does not read them in time does not get them.
    let _heard = timeout(within, words).await;
}

use super::error::RemoteError;
use super::oneshot::{self, Receiver};
use super::replies::{Answer, Expected, Replies};
use crate::channel::Channel;
use crate::wire::{Frame, ReplyId, Request, TensorId};
use burn_backend::{Creation, TensorData, TensorSpec};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::{Context, Poll};

/// Maximum bytes of data inside of a message; larger data is sent in frames of its own.
const INLINE: usize = 64 << 10;

/// Bytes of a data frame: few enough to stay in a cache while they are copied, masked and copied again.
const PIECE: usize = 256 << 10;

/// Client side of a session: requests go into the channel, which a connection task sends.
#[derive(Debug)]
pub struct Client {
    address: String,
    channel: Arc<Channel>,
    ids: AtomicU64,
    replies: Mutex<Replies>,
    /// Held while sending, so that no message comes between the pieces of a tensor.
    order: Mutex<()>,
    failed: OnceLock<RemoteError>,
    /// Bytes of the largest frame that the server takes.
    piece: AtomicU64,
}

impl Client {
    pub fn new(address: String) -> Arc<Self> {
        Arc::new(Client {
            address,
            channel: Arc::default(),
            ids: AtomicU64::new(0),
            replies: Mutex::default(),
            order: Mutex::default(),
            failed: OnceLock::new(),
            piece: AtomicU64::new(PIECE as u64),
        })
    }

    #[cfg(feature = "client")]
    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Returns a new identifier for a tensor or a request.
    pub fn id(&self) -> TensorId {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the error that ended the session, if it has ended.
    pub fn failure(&self) -> Option<&RemoteError> {
        self.failed.get()
    }

    /// Returns whether the session has ended.
    pub fn is_over(&self) -> bool {
        self.channel.is_over()
    }

    /// Sets the largest frame that the server accepts, in bytes.
    #[cfg(feature = "client")]
    pub fn limit_frames(&self, bytes: u64) {
        let piece = bytes.saturating_sub(crate::wire::HEADER as u64).clamp(1, PIECE as u64);
        self.piece.store(piece, Ordering::Relaxed);
    }

    fn order(&self) -> MutexGuard<'_, ()> {
        self.order.lock().expect("no panic while locked")
    }

    fn replies(&self) -> MutexGuard<'_, Replies> {
        self.replies.lock().expect("no panic while locked")
    }

    /// Sends a request; the end of a session shows in the next read.
    pub fn send(&self, request: &Request) {
        let _order = self.order();
        let _ended = self.channel.send(request);
    }

    /// Makes a tensor of host values.
    pub fn upload(&self, data: TensorData, output: TensorId) {
        let bytes = data.as_bytes();
        if bytes.len() <= INLINE {
            return self.send(&Request::Create { creation: Creation::Data(data), output });
        }
        let spec = TensorSpec::new(data.shape.clone(), data.dtype);
        let piece = self.piece.load(Ordering::Relaxed) as usize;
        let _order = self.order();
        let sent = self.channel.send(&Request::Upload { spec, output });
        let _ended =
            sent.and_then(|()| bytes.chunks(piece).try_for_each(|piece| self.channel.send_bytes(piece)));
    }

    /// Says what `request` makes of the name of the answer, and waits for that.
    pub fn ask(&self, expected: Expected, request: impl FnOnce(ReplyId) -> Request) -> Asked {
        let (sender, receiver) = oneshot::channel();
        let id = self.id();
        self.replies().ask(id, expected, sender);
        self.send(&request(id));
        if let Some(error) = self.failure() {
            // The thread that ended the session may not have seen this question.
            let unanswered = self.replies().forget(id);
            if let Some(sender) = unanswered {
                sender.send(Err(error.clone()));
            }
        }
        Asked(receiver)
    }

    /// Handles a frame from the server; each frame arrives once, in order.
    ///
    /// # Errors
    /// When the frame violates the protocol.
    pub fn receive(&self, frame: &Frame<'_>) -> Result<(), RemoteError> {
        let received = self.replies().receive(frame);
        received.map_err(|cause| RemoteError::Protocol { address: self.address.clone(), cause })
    }

    /// Ends the session; the first reason stays.
    pub fn fail(&self, error: RemoteError) {
        let error = self.failed.get_or_init(|| error);
        self.channel.cut();
        for answered in self.replies().take_all() {
            answered.send(Err(error.clone()));
        }
    }

    /// Tells the server to end the session.
    pub fn close(&self) {
        self.send(&Request::Goodbye);
        self.channel.end();
    }
}

/// Future of a reply.
#[derive(Debug)]
pub struct Asked(Receiver<Result<Answer, RemoteError>>);

impl Future for Asked {
    type Output = Result<Answer, RemoteError>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Ending a session answers all questions, so no waiting call hangs.
        let gone = || RemoteError::Lost { address: "the server".into(), cause: "nobody answers".into() };
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or_else(|| Err(gone())))
    }
}

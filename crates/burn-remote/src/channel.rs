use crate::wire::{Fault, Frame, HEADER, Kind, put};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

/// Maximum bytes of unacknowledged frames; a sender with more blocks, and a receiver refuses more.
const WINDOW: usize = 8 << 20;

/// Bytes that a frame counts beside its own, so that the window bounds the number of small frames too.
const FRAME_OVERHEAD: usize = 512;

/// Approximate bytes of a batch of messages.
const BATCH: usize = 64 << 10;

/// Number of frames and bytes after which an acknowledgement is sent.
#[cfg(any(feature = "client", feature = "server"))]
const UNREPORTED: (usize, usize) = (32, 1 << 20);

/// Frames whose memory is kept for the next ones: the system gives memory slowly.
const SPARE: usize = 16;

/// A frame that is kept until it is acknowledged.
pub type SharedFrame = Arc<Vec<u8>>;

/// Error of sending on a closed channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

/// Reliable channel of one end: numbered frames to send and to receive. It outlives connections: frames
/// without acknowledgement are sent again on the next connection, and duplicates are ignored.
#[derive(Debug, Default)]
pub struct Channel {
    state: Mutex<State>,
    space: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Messages that no frame has yet.
    batch: Vec<u8>,
    /// Frames that are not acknowledged, the oldest first.
    frames: VecDeque<SharedFrame>,
    /// Number of the first of them.
    first: u64,
    /// Bytes of all of them, each with its overhead.
    bytes: usize,
    /// Memory of frames of tensors that were acknowledged.
    spare: Vec<Vec<u8>>,
    /// Number of the next frame to send on this connection.
    cursor: u64,
    /// Number of the next frame to receive.
    expects: u64,
    /// Number of the first received frame that is not handled yet. Acknowledgements have this number: who
    /// receives can always take what the window lets through, and so reads the acknowledgements after it,
    /// whatever it waits for.
    handled: u64,
    /// Bytes of the frames from there on, each with its overhead.
    pending: usize,
    /// Frames and bytes handled since the last acknowledgement.
    unreported: (usize, usize),
    report: bool,
    /// Number of the current connection; earlier ones are replaced.
    connection: u64,
    ended: bool,
    waker: Option<Waker>,
}

/// Result of attaching a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attached {
    pub connection: u64,
    /// Number of the frame that this end expects next.
    pub expects: u64,
}

impl Channel {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Waits until there is space.
    fn with_space(&self) -> Result<MutexGuard<'_, State>, Ended> {
        let full = |state: &mut State| !state.ended && state.bytes + state.batch.len() >= WINDOW;
        let state = self.space.wait_while(self.lock(), full).expect("no panic while locked");
        if state.ended { Err(Ended) } else { Ok(state) }
    }

    /// Says a message, soon.
    ///
    /// # Errors
    /// When the channel has ended.
    pub fn send<M: Serialize>(&self, message: &M) -> Result<(), Ended> {
        let mut state = self.with_space()?;
        let batch = std::mem::take(&mut state.batch);
        state.batch = put(message, batch);
        if state.batch.len() >= BATCH {
            state.seal();
        }
        wake(state);
        Ok(())
    }

    /// Says bytes of a tensor.
    ///
    /// # Errors
    /// When the channel has ended.
    pub fn send_bytes(&self, bytes: &[u8]) -> Result<(), Ended> {
        let mut state = self.with_space()?;
        state.seal();
        let number = state.next();
        let memory = state.spare.pop().unwrap_or_default();
        // Copied outside of the lock: one thread at a time says something while a tensor is said, so the
        // number stays.
        drop(state);
        let frame = Frame { kind: Kind::Data, number, payload: bytes }.write_to(memory);
        let mut state = self.lock();
        if state.ended {
            return Err(Ended);
        }
        state.keep(frame);
        wake(state);
        Ok(())
    }

    /// Returns the next frame for `connection`; `None` when it was replaced, or when the channel has ended
    /// and everything is sent.
    pub fn poll_frame(&self, connection: u64, context: &Context<'_>) -> Poll<Option<SharedFrame>> {
        let mut state = self.lock();
        if state.connection != connection {
            return Poll::Ready(None);
        }
        if state.report {
            state.report = false;
            state.unreported = (0, 0);
            let ack = Frame { kind: Kind::Ack, number: state.handled, payload: &[] };
            return Poll::Ready(Some(Arc::new(ack.to_bytes())));
        }
        if state.cursor == state.next() {
            state.seal();
        }
        let at = (state.cursor - state.first) as usize;
        match state.frames.get(at).cloned() {
            Some(frame) => {
                state.cursor += 1;
                Poll::Ready(Some(frame))
            }
            None if state.ended => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Receives a numbered frame: runs `receive` if it is the next one. [`handled`](Self::handled) has to
    /// follow for each that ran.
    ///
    /// # Errors
    /// When the connection is out, a frame is missing before it, or the other end ignores the window.
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn receive(&self, connection: u64, frame: &Frame<'_>, receive: impl FnOnce()) -> Result<(), Fault> {
        let mut state = self.lock();
        if state.connection != connection {
            return Err(Fault::Superseded);
        }
        if frame.number > state.expects {
            return Err(Fault::Order(format!("frame {} instead of {}", frame.number, state.expects)));
        }
        if frame.number < state.expects {
            state.report = true;
            wake(state);
            return Ok(());
        }
        if state.pending >= WINDOW {
            let pending = state.pending;
            return Err(Fault::Order(format!(
                "{pending} bytes without acknowledgement; at most {WINDOW} may be"
            )));
        }
        state.expects += 1;
        state.pending += cost(frame.payload.len());
        receive();
        Ok(())
    }

    /// Notes that the oldest received frame, of a payload of `bytes`, is handled.
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn handled(&self, bytes: usize) {
        let mut state = self.lock();
        state.handled += 1;
        state.pending -= cost(bytes);
        state.unreported = (state.unreported.0 + 1, state.unreported.1 + bytes);
        if state.unreported.0 >= UNREPORTED.0 || state.unreported.1 >= UNREPORTED.1 {
            state.report = true;
            wake(state);
        }
    }

    /// Handles an acknowledgement: the other end has handled everything before frame `expects`.
    ///
    /// # Errors
    /// When it received a frame that was never sent.
    pub fn acknowledge(&self, expects: u64) -> Result<(), Fault> {
        let mut state = self.lock();
        if expects > state.next() {
            return Err(Fault::Order(format!("frame {expects} was never sent")));
        }
        while state.first < expects {
            let frame = state.frames.pop_front().expect("there are frames up to the next one");
            state.bytes -= frame.len() + FRAME_OVERHEAD;
            state.first += 1;
            if frame.len() > BATCH
                && state.spare.len() < SPARE
                && let Ok(memory) = Arc::try_unwrap(frame)
            {
                state.spare.push(memory);
            }
        }
        state.cursor = state.cursor.max(state.first);
        drop(state);
        self.space.notify_all();
        Ok(())
    }

    /// Sends an acknowledgement, which is also a heartbeat.
    #[cfg(any(feature = "client", feature = "server"))]
    pub fn report(&self) {
        let mut state = self.lock();
        state.report = true;
        wake(state);
    }

    /// Returns the number of the frame that this end expects next.
    #[cfg(any(feature = "client", test))]
    pub fn expects(&self) -> u64 {
        self.lock().expects
    }

    /// Attaches a new connection, on which the other end expects frame `expects` next, and replaces earlier
    /// ones.
    ///
    /// # Errors
    /// When that frame was discarded already, or never sent.
    pub fn attach(&self, expects: u64) -> Result<Attached, Fault> {
        let mut state = self.lock();
        if expects < state.first {
            return Err(Fault::Order(format!("frame {expects} was acknowledged")));
        }
        if expects > state.next() {
            return Err(Fault::Order(format!("frame {expects} was never sent")));
        }
        // Frames before it are there, and stay in the window until they are handled.
        state.cursor = expects;
        state.report |= state.handled > 0;
        state.connection += 1;
        let attached = Attached { connection: state.connection, expects: state.expects };
        wake(state);
        Ok(attached)
    }

    /// Returns whether this connection is the current or the last one.
    #[cfg(feature = "server")]
    pub fn is_attached(&self, connection: u64) -> bool {
        self.lock().connection == connection
    }

    /// Returns whether the channel is closed for sending.
    pub fn is_over(&self) -> bool {
        self.lock().ended
    }

    /// Closes the channel for new messages; pending ones are still sent.
    pub fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        wake(state);
        self.space.notify_all();
    }

    /// Closes the channel; pending messages are dropped.
    pub fn cut(&self) {
        let mut state = self.lock();
        state.connection += 1;
        state.frames.clear();
        state.spare.clear();
        state.batch = Vec::new();
        drop(state);
        self.end();
    }
}

/// Bytes that a frame takes of the window.
#[cfg(any(feature = "client", feature = "server"))]
fn cost(payload: usize) -> usize {
    HEADER + payload + FRAME_OVERHEAD
}

/// Wakes the sending task, outside of the lock.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl State {
    /// Number of the next new frame.
    fn next(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    /// Makes a frame of the messages that have none.
    fn seal(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let frame = Frame { kind: Kind::Messages, number: self.next(), payload: &self.batch }.to_bytes();
        self.batch.clear();
        self.keep(frame);
    }

    fn keep(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len() + FRAME_OVERHEAD;
        self.frames.push_back(Arc::new(frame));
    }
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use super::*;
    use crate::wire::first;
    use std::task::Waker;

    fn next(channel: &Channel, connection: u64) -> Option<SharedFrame> {
        match channel.poll_frame(connection, &Context::from_waker(Waker::noop())) {
            Poll::Ready(frame) => frame,
            Poll::Pending => None,
        }
    }

    /// Numbers that look random.
    fn dice(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 40
    }

    #[test]
    fn what_is_said_is_heard_once_and_in_order_over_connections_that_lose_frames() {
        let (sender, receiver) = (Channel::default(), Channel::default());
        let (mut seed, mut sent, mut received, mut repeated) = (11, 0_u64, Vec::new(), 0);
        while received.len() < 5_000 {
            // A new connection, to which each end says what it expects.
            let attached = receiver.attach(sender.expects()).unwrap();
            let to = sender.attach(attached.expects).unwrap();
            for _ in 0..dice(&mut seed) % 40 {
                for _ in 0..dice(&mut seed) % 3 {
                    sender.send(&sent).unwrap();
                    sent += 1;
                }
                let Some(bytes) = next(&sender, to.connection) else { continue };
                if dice(&mut seed).is_multiple_of(20) {
                    // It is lost, and the connection with it.
                    break;
                }
                let frame = Frame::parse(&bytes).unwrap();
                repeated += usize::from(frame.number < receiver.expects());
                let receive = || {
                    let mut payload = frame.payload;
                    while !payload.is_empty() {
                        let (number, rest) = first::<u64>(payload).unwrap();
                        received.push(number);
                        payload = rest;
                    }
                };
                receiver.receive(attached.connection, &frame, receive).unwrap();
                // Acknowledgements are lost as well.
                if let Some(ack) =
                    next(&receiver, attached.connection).filter(|_| dice(&mut seed).is_multiple_of(2))
                {
                    sender.acknowledge(Frame::parse(&ack).unwrap().number).unwrap();
                }
                if dice(&mut seed).is_multiple_of(4) {
                    receiver.report();
                }
            }
        }
        assert!(received.iter().copied().eq(0..received.len() as u64));
        // Frames that the receiver had are not sent again: both sides announced what they expect.
        assert_eq!(repeated, 0);
    }

    #[test]
    fn a_connection_that_is_out_hears_and_says_nothing() {
        let channel = Channel::default();
        let first = channel.attach(0).unwrap();
        channel.send(&7_u64).unwrap();
        let second = channel.attach(0).unwrap();
        assert_eq!(next(&channel, first.connection), None);
        let frame = Frame { kind: Kind::Messages, number: 0, payload: &[] };
        assert_eq!(channel.receive(first.connection, &frame, || panic!("it is out")), Err(Fault::Superseded));
        assert!(next(&channel, second.connection).is_some());
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        let channel = Channel::default();
        let attached = channel.attach(0).unwrap();
        channel.send(&7_u64).unwrap();
        let sent = next(&channel, attached.connection).unwrap();
        assert_eq!(Frame::parse(&sent).unwrap().number, 0);
        assert!(channel.acknowledge(2).is_err());
        channel.acknowledge(1).unwrap();
        assert!(channel.attach(0).is_err(), "it was acknowledged");
        assert!(channel.attach(5).is_err(), "it was never sent");
        let frame = Frame { kind: Kind::Messages, number: 1, payload: &[] };
        assert!(matches!(
            channel.receive(attached.connection, &frame, || panic!("too early")),
            Err(Fault::Order(_))
        ));
    }

    #[test]
    fn who_says_more_than_the_window_waits_until_it_is_heard() {
        let channel = Channel::default();
        let attached = channel.attach(0).unwrap();
        let piece = vec![1; 1 << 20];
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| (0..64).try_for_each(|_| channel.send_bytes(&piece)));
            let (mut frames, mut most) = (0, 0);
            while frames < 64 {
                most = most.max(channel.lock().bytes);
                let Some(frame) = next(&channel, attached.connection) else { continue };
                frames += 1;
                channel.acknowledge(Frame::parse(&frame).unwrap().number + 1).unwrap();
            }
            assert_eq!(sender.join().unwrap(), Ok(()));
            assert!(most <= WINDOW + cost(piece.len()), "{most} bytes");
            // A waiting sender returns when the channel ends.
            let sender = scope.spawn(|| (0..64).try_for_each(|_| channel.send_bytes(&piece)));
            while channel.lock().bytes < WINDOW {
                std::thread::yield_now();
            }
            channel.cut();
            assert_eq!(sender.join().unwrap(), Err(Ended));
        });
    }
}

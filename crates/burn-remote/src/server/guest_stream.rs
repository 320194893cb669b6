use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes of a connection's TLS, HTTP and token together; more are not read before there is a session.
const GREETING_BYTES: usize = 8 << 10;

const UNLIMITED: usize = usize::MAX;

/// Stream of a connection without a session, of which a few bytes are read until the limit is lifted.
pub struct GuestStream {
    stream: TcpStream,
    left: Arc<AtomicUsize>,
}

/// Handle that lifts the read limit of a connection, whatever wraps its stream by then.
pub struct ReadLimit(Arc<AtomicUsize>);

impl ReadLimit {
    /// Lets everything be read.
    pub fn lift(self) {
        self.0.store(UNLIMITED, Ordering::Relaxed);
    }
}

impl GuestStream {
    pub fn new(stream: TcpStream) -> (Self, ReadLimit) {
        let left = Arc::new(AtomicUsize::new(GREETING_BYTES));
        (GuestStream { stream, left: left.clone() }, ReadLimit(left))
    }
}

impl AsyncRead for GuestStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.left.load(Ordering::Relaxed);
        if left == UNLIMITED {
            return Pin::new(&mut self.stream).poll_read(context, buf);
        }
        if left == 0 {
            return Poll::Ready(Err(io::Error::other("the greeting is too long")));
        }
        let room = left.min(buf.remaining());
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(room));
        std::task::ready!(Pin::new(&mut self.stream).poll_read(context, &mut part))?;
        let count = part.filled().len();
        buf.advance(count);
        self.left.store(left - count, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for GuestStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

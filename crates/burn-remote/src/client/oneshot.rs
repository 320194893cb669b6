use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// One value, awaited.
#[derive(Debug)]
struct Shared<T> {
    value: Option<T>,
    waker: Option<Waker>,
    /// Whether the sender is closed.
    closed: bool,
}

#[derive(Debug)]
pub struct Sender<T>(Arc<Mutex<Shared<T>>>);
#[derive(Debug)]
pub struct Receiver<T>(Arc<Mutex<Shared<T>>>);

pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Mutex::new(Shared { value: None, waker: None, closed: false }));
    (Sender(shared.clone()), Receiver(shared))
}

impl<T> Sender<T> {
    pub fn send(self, value: T) {
        self.0.lock().expect("no panic while locked").value = Some(value);
    }
}

impl<T> Drop for Sender<T> {
    /// Wakes the receiver, whether or not a value was sent.
    fn drop(&mut self) {
        let mut shared = self.0.lock().expect("no panic while locked");
        shared.closed = true;
        let waker = shared.waker.take();
        drop(shared);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Receiver<T> {
    /// `None` when the other end went without a word.
    type Output = Option<T>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut shared = self.0.lock().expect("no panic while locked");
        match shared.value.take() {
            Some(value) => Poll::Ready(Some(value)),
            None if shared.closed => Poll::Ready(None),
            None => {
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

use crate::CollectiveError;
use core::fmt;
use std::sync::mpsc::{Receiver, TryRecvError};

type Outcome<S> = Result<S, CollectiveError>;

/// A collective that runs in the background; its result comes with [`wait`](Request::wait).
///
/// Calls of a communicator run in the order in which they were made, whether they wait or not. Requests move
/// values and record no gradients. A request that is dropped still takes part in its collective. PyTorch:
/// `torch.distributed.Work`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{CollectiveError, Local, Reduction};
/// use burn::tensor::Tensor;
///
/// let results = Local::run(2, |communicator| {
///     let device = Default::default();
///     let request = communicator.start_all_reduce(Tensor::<NdArray, 1>::ones([3], &device), Reduction::Sum)?;
///     let meanwhile = Tensor::<NdArray, 1>::ones([3], &device) * 5.0;
///     Ok::<_, CollectiveError>((request.wait()? + meanwhile).into_data().to_f64())
/// })?;
/// assert_eq!(results, [Ok(vec![7.0; 3]), Ok(vec![7.0; 3])]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[must_use = "the result, and whether the collective failed, come with `wait`"]
pub struct Request<T> {
    state: Box<dyn State<T> + Send>,
}

trait State<T> {
    fn poll(&mut self) -> bool;
    fn wait(self: Box<Self>) -> Outcome<T>;
}

struct Running<S, F> {
    receiver: Receiver<Outcome<S>>,
    ready: Option<Outcome<S>>,
    finish: F,
    /// Error where the call ended without a result.
    lost: CollectiveError,
}

impl<S, T, F: FnOnce(S) -> Outcome<T>> State<T> for Running<S, F> {
    fn poll(&mut self) -> bool {
        if self.ready.is_none() {
            self.ready = match self.receiver.try_recv() {
                Ok(outcome) => Some(outcome),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err(self.lost.clone())),
            };
        }
        self.ready.is_some()
    }

    fn wait(self: Box<Self>) -> Outcome<T> {
        let Running { receiver, ready, finish, lost } = *self;
        let outcome = ready.unwrap_or_else(|| receiver.recv().unwrap_or(Err(lost)));
        finish(outcome?)
    }
}

impl<T> Request<T> {
    pub(crate) fn new<S: Send + 'static>(
        receiver: Receiver<Outcome<S>>,
        lost: CollectiveError,
        finish: impl FnOnce(S) -> Outcome<T> + Send + 'static,
    ) -> Self {
        Request { state: Box::new(Running { receiver, ready: None, finish, lost }) }
    }

    /// Returns whether [`wait`](Self::wait) would return at once.
    pub fn is_done(&mut self) -> bool {
        self.state.poll()
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// Those of the collective.
    pub fn wait(self) -> Result<T, CollectiveError> {
        self.state.wait()
    }
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").finish_non_exhaustive()
    }
}

use crate::group::Group;
use crate::launch::Settings;
use crate::worker::Worker;
use crate::{CollectiveError, Engine};
use std::sync::Arc;
use std::time::Duration;

/// Handle of one rank in a group of ranks: moves tensors of any backend between them.
///
/// Every rank calls the same collectives in the same order, with tensors of equal shape and dtype. Where a
/// rank calls another one, gives other arguments, ends, or does not arrive within the timeout, all ranks get
/// an error that names it.
///
/// Under `Autodiff`, [`all_reduce`](Self::all_reduce), [`all_gather`](Self::all_gather),
/// [`reduce_scatter`](Self::reduce_scatter) and [`broadcast`](Self::broadcast) have gradients: those of the
/// sum of the losses of all ranks. The backward pass calls collectives too, so each rank has to run it,
/// through the same collectives.
///
/// Clones are the same rank. PyTorch: `torch.distributed`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::collective::{Local, Reduction};
/// use burn::tensor::Tensor;
///
/// let means = Local::run(2, |communicator| {
///     let loss = Tensor::<NdArray, 1>::full([1], 2.0 * communicator.rank() as f32, &Default::default());
///     communicator.all_reduce(loss, Reduction::Mean).map(Tensor::into_scalar)
/// })?;
/// assert_eq!(means, [Ok(1.0), Ok(1.0)]);
/// # Ok::<(), burn::collective::CollectiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Communicator {
    shared: Arc<Shared>,
}

/// Calls in the background end before the group does.
#[derive(Debug)]
struct Shared {
    worker: Worker,
    group: Arc<Group>,
}

impl Communicator {
    /// Returns the communicator of a rank of `engine`, for transports of your own.
    pub fn from_engine(engine: Arc<dyn Engine>) -> Self {
        Self::from_group(Group::new(engine, Settings::from_environment().unwrap_or_default()))
    }

    /// Returns the transport, which an engine of your own may wrap.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.group().engine
    }

    fn from_group(group: Group) -> Self {
        Communicator { shared: Arc::new(Shared { worker: Worker::default(), group: Arc::new(group) }) }
    }

    /// Returns the rank, below [`world_size`](Self::world_size). PyTorch: `torch.distributed.get_rank`.
    #[doc(alias = "get_rank")]
    pub fn rank(&self) -> usize {
        self.shared.group.rank()
    }

    /// Returns the number of ranks. PyTorch: `torch.distributed.get_world_size`.
    #[doc(alias = "get_world_size")]
    pub fn world_size(&self) -> usize {
        self.shared.group.world_size()
    }

    /// Sets the time that this rank waits for others before a call is an error: the seconds of the variable
    /// `BURN_COLLECTIVE_TIMEOUT`, or 5 minutes. Groups that are [split](Self::split) off later have it too.
    pub fn set_timeout(&self, timeout: Duration) {
        self.shared.group.set_timeout(timeout);
    }

    /// Returns the group when all calls in the background are done.
    pub(crate) fn idle_group(&self) -> &Group {
        self.shared.worker.wait();
        &self.shared.group
    }

    pub(crate) fn group(&self) -> &Arc<Group> {
        &self.shared.group
    }

    pub(crate) fn worker(&self) -> &Worker {
        &self.shared.worker
    }

    /// Makes a group of the ranks that give the same `color`, ordered by `key` and then by their rank; `None`
    /// for a rank that gives none. Called by all ranks. PyTorch: `torch.distributed.new_group`. MPI:
    /// `MPI_Comm_split`.
    ///
    /// ```
    /// use burn::collective::{CollectiveError, Local};
    ///
    /// // Two rows of two ranks each.
    /// let rows = Local::run(4, |communicator| {
    ///     let row = communicator.split(Some(communicator.rank() as u64 / 2), 0)?;
    ///     Ok::<_, CollectiveError>(row.map(|row| (row.rank(), row.world_size())))
    /// })?;
    /// assert_eq!(rows, [0, 1, 0, 1].map(|rank| Ok(Some((rank, 2)))));
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier).
    #[doc(alias = "new_group")]
    pub fn split(&self, color: Option<u64>, key: i64) -> Result<Option<Communicator>, CollectiveError> {
        Ok(self.idle_group().split(color, key)?.map(Communicator::from_group))
    }
}

use super::{DataLoaderError, Progress};

/// Hands out the batches of a dataset, epoch after epoch.
///
/// Epochs count from 1. The batches of an epoch, and their order, depend on the dataset, the seed
/// and the number of the epoch: a run that is resumed in epoch 7 sees what the first run would
/// have seen.
pub trait DataLoader<O>: Send + Sync {
    /// Returns the batches of the next epoch: of epoch 1 at the first call, then of 2, and so on.
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        let epoch = self.next_epoch();
        self.set_next_epoch(epoch + 1);
        self.iter_epoch(epoch)
    }

    /// Returns the batches of a certain epoch, whichever comes next for [`iter`](DataLoader::iter).
    fn iter_epoch<'a>(&'a self, epoch: usize) -> Box<dyn DataLoaderIterator<O> + 'a>;

    /// Returns the number of the epoch that the next call of [`iter`](DataLoader::iter) runs.
    fn next_epoch(&self) -> usize;

    /// Sets the number of the epoch that the next call of [`iter`](DataLoader::iter) runs.
    fn set_next_epoch(&self, epoch: usize);

    /// Returns the number of items of an epoch.
    fn num_items(&self) -> usize;

    /// Returns the number of batches of an epoch, the last and possibly smaller one included.
    fn num_batches(&self) -> usize;

    /// Returns the loader of one of several ranks that train together, which has a part of each batch: each
    /// item goes to one rank, and parts differ by one item at most. Of a last batch with fewer items than
    /// ranks, some ranks have none, and a batch fewer. `None` where the loader cannot be divided; unless
    /// written anew, it cannot.
    fn shard<'a>(&'a self, rank: usize, ranks: usize) -> Option<Box<dyn DataLoader<O> + 'a>> {
        let _ = (rank, ranks);
        None
    }
}

/// The batches of one epoch.
///
/// [`Iterator::next`] panics where [`try_next`](DataLoaderIterator::try_next) returns an error.
pub trait DataLoaderIterator<O>: Iterator<Item = O> {
    /// Returns the next batch, or `None` after the last one and after an error.
    ///
    /// # Errors
    /// If the dataset has no item at an index below its length, if the dataset or the batcher panics, or if
    /// there is no memory for the order of the items. The batches before it are delivered first, for any
    /// number of workers.
    fn try_next(&mut self) -> Result<Option<O>, DataLoaderError>;

    /// Returns the number of items handed out so far.
    fn progress(&self) -> Progress;
}

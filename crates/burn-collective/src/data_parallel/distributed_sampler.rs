use crate::data_layout::even_ranges;
use crate::{CollectiveError, Communicator};
use burn_dataset::DatasetError;
use burn_dataset::random::try_permutation;
use core::ops::Range;

/// Sampler that gives each rank its part of every batch: each item to one rank, none twice.
///
/// Batch `k` of all ranks together has the items that batch `k` of one rank would have, so every rank has the
/// same number of batches. Parts differ by one item at most; in a last batch with fewer items than ranks,
/// some ranks have none. PyTorch: `torch.utils.data.distributed.DistributedSampler`, which repeats items in
/// place of that.
///
/// ```
/// use burn::collective::{CollectiveError, DistributedSampler, Local};
///
/// let batches = Local::run(2, |communicator| {
///     let sampler = DistributedSampler::new(7, 4, &communicator)?;
///     sampler.batches(0)
/// })?;
/// assert_eq!(batches[0].clone()?, [vec![0, 1], vec![4, 5]]);
/// assert_eq!(batches[1].clone()?, [vec![2, 3], vec![6]]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistributedSampler {
    items: usize,
    batch_size: usize,
    rank: usize,
    world_size: usize,
    seed: Option<u64>,
}

impl DistributedSampler {
    /// Shards the indices of `items` items, in batches of `batch_size` over all ranks together.
    ///
    /// # Errors
    /// If there are fewer items than ranks, or a batch has fewer.
    pub fn new(
        items: usize,
        batch_size: usize,
        communicator: &Communicator,
    ) -> Result<Self, CollectiveError> {
        let (rank, world_size) = (communicator.rank(), communicator.world_size());
        for (argument, value) in [("items", items), ("batch_size", batch_size)] {
            if value < world_size {
                let operation = "DistributedSampler::new".to_string();
                let (expected, found) = (format!("one for each of {world_size} ranks"), value.to_string());
                return Err(CollectiveError::Argument { operation, rank, argument, expected, found });
            }
        }
        Ok(DistributedSampler { items, batch_size, rank, world_size, seed: None })
    }

    /// Shuffles the items of each epoch by `seed`, which is the same on every rank.
    #[must_use]
    pub fn with_shuffle(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Returns the indices of this rank, batch by batch.
    ///
    /// # Errors
    /// If there is no memory for the order of the items.
    pub fn batches(&self, epoch: u64) -> Result<Vec<Vec<usize>>, CollectiveError> {
        let order = match self.seed {
            Some(seed) => {
                Some(try_permutation(self.items, seed, epoch).map_err(|error| self.no_memory(&error))?)
            }
            None => None,
        };
        let starts = (0..self.items).step_by(self.batch_size);
        let part = |start: usize| {
            let count = self.batch_size.min(self.items - start);
            let Range { start: from, end } = even_ranges(count, self.world_size)[self.rank].clone();
            let index = |at: usize| order.as_ref().map_or(at, |order| order[at]);
            (start + from..start + end).map(index).collect()
        };
        Ok(starts.map(part).collect())
    }

    fn no_memory(&self, error: &DatasetError) -> CollectiveError {
        let operation = "DistributedSampler::batches".to_string();
        CollectiveError::Library { operation, rank: self.rank, message: error.to_string() }
    }
}

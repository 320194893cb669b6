use std::marker::PhantomData;

use super::epoch::Epoch;
use super::{DataLoaderError, DataLoaderIterator, Progress};

/// Gives the batches of an epoch their type back.
pub(super) struct BatchIterator<O> {
    epoch: Epoch,
    batch: PhantomData<fn() -> O>,
}

impl<O> BatchIterator<O> {
    pub(super) fn new(epoch: Epoch) -> Self {
        Self { epoch, batch: PhantomData }
    }
}

impl<O: 'static> Iterator for BatchIterator<O> {
    type Item = O;

    fn next(&mut self) -> Option<O> {
        self.try_next().unwrap_or_else(|error| panic!("{error}"))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.epoch.remaining(), Some(self.epoch.remaining()))
    }
}

impl<O: 'static> DataLoaderIterator<O> for BatchIterator<O> {
    fn try_next(&mut self) -> Result<Option<O>, DataLoaderError> {
        let batch = self.epoch.next()?;
        Ok(batch.map(|batch| *batch.downcast().expect("a source makes batches of its own type")))
    }

    fn progress(&self) -> Progress {
        self.epoch.progress()
    }
}

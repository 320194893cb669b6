use std::marker::PhantomData;

use super::epoch::Epoch;
use super::{DataLoaderError, DataLoaderIterator, Progress};

/// Gives the batches of an epoch their type back.
pub(super) struct BatchIterator<O> {
    epoch: Result<Epoch, NotStarted>,
    batch: PhantomData<fn() -> O>,
}

/// An epoch that has no batch and an error, which is returned once.
pub(super) struct NotStarted {
    pub(super) error: Option<DataLoaderError>,
    pub(super) items: usize,
}

impl<O> BatchIterator<O> {
    pub(super) fn new(epoch: Result<Epoch, NotStarted>) -> Self {
        Self { epoch, batch: PhantomData }
    }
}

impl<O: 'static> Iterator for BatchIterator<O> {
    type Item = O;

    fn next(&mut self) -> Option<O> {
        self.try_next().unwrap_or_else(|error| panic!("{error}"))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.epoch.as_ref().map_or(0, Epoch::remaining);
        (remaining, Some(remaining))
    }
}

impl<O: 'static> DataLoaderIterator<O> for BatchIterator<O> {
    fn try_next(&mut self) -> Result<Option<O>, DataLoaderError> {
        let batch = match &mut self.epoch {
            Ok(epoch) => epoch.next()?,
            Err(not_started) => return not_started.error.take().map_or(Ok(None), Err),
        };
        Ok(batch.map(|batch| *batch.downcast().expect("a source makes batches of its own type")))
    }

    fn progress(&self) -> Progress {
        match &self.epoch {
            Ok(epoch) => epoch.progress(),
            Err(not_started) => Progress::new(0, not_started.items),
        }
    }
}

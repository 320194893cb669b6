//! Buckets of gradients, which travel as soon as they are full.

use super::accumulated::EarlierGradients;
use super::fixed_order::ChunkSums;
use super::gradients::scaled;
use super::parameters::TrainedParameter;
use crate::differentiable::data;
use crate::group::Group;
use crate::{Collective, CollectiveError, Communicator, Pending, Reduction};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, Scalar, Slice, TypedCalls};
use burn_ir::{Creation, HasSpec, Shape, TensorData, TensorSpec};
use burn_optim::GradientsParams;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

pub const NAME: &str = "DataParallel::backward";

/// Time for which a rank that gives gradients to their owners waits for the bucket before, so that one bucket
/// at most is on its way. Another rank may begin that bucket later, where its backward pass waits for this
/// one.
const BUCKET_WAIT: Duration = Duration::from_secs(2);

/// How the gradients of ranks become one.
#[derive(Debug)]
pub enum Sum {
    /// Over ranks, in one step; each is multiplied by the share of its rank where that is given.
    Ranks { reduction: Reduction, share: Option<f64> },
    /// Over the chunks of all ranks in pairs.
    Chunks(ChunkSums),
}

/// Gradients of a bucket in the memory of the host; those of other owners are `None`.
type Values = Result<Vec<Option<TensorData>>, CollectiveError>;

/// Bucket that travels.
#[derive(Debug)]
enum Started {
    Host(Receiver<Values>, CollectiveError),
    /// It has arrived.
    Done(Values),
    Device(Collective, Box<dyn Pending>),
}

/// How the gradients of a step are reduced.
#[derive(Debug)]
pub struct Plan {
    pub sum: Sum,
    /// Whether this rank has items.
    pub has_items: bool,
    /// Gradients of earlier micro-batches.
    pub earlier: Option<EarlierGradients>,
    /// Rank that gets the gradient, for each parameter; all ranks where there are none.
    pub owners: Option<Vec<usize>>,
}

/// Buckets of one backward pass.
#[derive(Debug)]
pub struct Reducer {
    pub communicator: Communicator,
    pub parameters: Vec<TrainedParameter>,
    plan: Plan,
    buckets: Vec<Vec<usize>>,
    /// Bucket of each parameter.
    bucket_of: Vec<usize>,
    /// Number of gradients of each bucket that are still to come.
    missing: Vec<usize>,
    /// Gradients of buckets that are not full, by parameter.
    grads: Vec<Option<DynamicTensor>>,
    /// Parameters whose gradients came, in the order in which they came.
    pub ready: Vec<usize>,
    started: Vec<Started>,
    /// Error after which no bucket travels; the pass goes on without them.
    error: Option<CollectiveError>,
}

impl Reducer {
    pub fn new(
        communicator: Communicator,
        parameters: Vec<TrainedParameter>,
        plan: Plan,
        buckets: Vec<Vec<usize>>,
    ) -> Self {
        let mut bucket_of = vec![0; parameters.len()];
        for (bucket, indices) in buckets.iter().enumerate() {
            indices.iter().for_each(|index| bucket_of[*index] = bucket);
        }
        let (missing, grads) = (buckets.iter().map(Vec::len).collect(), vec![None; parameters.len()]);
        let (ready, started, error) = (Vec::new(), Vec::new(), None);
        Reducer { communicator, parameters, plan, buckets, bucket_of, missing, grads, ready, started, error }
    }

    /// Returns the number of buckets that were begun.
    pub fn begun(&self) -> usize {
        self.started.len()
    }

    /// Takes a gradient, once, and begins the buckets that are full: in their order, as all ranks do.
    pub fn take(&mut self, index: usize, grad: DynamicTensor) {
        if !self.plan.has_items || self.is_ready(index) {
            return;
        }
        let grad = match &mut self.plan.earlier {
            Some(earlier) => earlier.sum((index, &self.parameters[index]), Some(grad)),
            None => Some(grad),
        };
        if grad.is_some() {
            self.put(index, grad);
        }
    }

    fn put(&mut self, index: usize, grad: Option<DynamicTensor>) {
        self.grads[index] = grad;
        self.ready.push(index);
        self.missing[self.bucket_of[index]] -= 1;
        while self.missing.get(self.started.len()) == Some(&0) && self.error.is_none() {
            self.begin_next();
        }
    }

    fn is_ready(&self, index: usize) -> bool {
        self.grads[index].is_some() || self.ready.contains(&index)
    }

    fn begin_next(&mut self) {
        if let (Some(_), Some(Started::Host(receiver, lost))) = (&self.plan.owners, self.started.last()) {
            let values = match receiver.recv_timeout(BUCKET_WAIT) {
                Ok(values) => Some(values),
                Err(RecvTimeoutError::Disconnected) => Some(Err(lost.clone())),
                Err(RecvTimeoutError::Timeout) => None,
            };
            if let (Some(values), Some(last)) = (values, self.started.last_mut()) {
                *last = Started::Done(values);
            }
        }
        let indices = self.buckets[self.started.len()].clone();
        match self.begin(&indices) {
            Ok(started) => self.started.push(started),
            Err(error) => self.error = Some(error),
        }
    }

    fn begin(&mut self, indices: &[usize]) -> Result<Started, CollectiveError> {
        if let Some(started) = self.begin_on_device(indices)? {
            return Ok(started);
        }
        let values: Result<Vec<TensorData>, _> = indices.iter().map(|index| self.value(*index)).collect();
        let values = values.map_err(|error| self.communicator.idle_group().refuse(NAME, error))?;
        let some = |values: Vec<TensorData>| values.into_iter().map(Some).collect();
        let started = match (&self.plan.sum, &self.plan.owners) {
            (Sum::Ranks { reduction, .. }, Some(owners)) => {
                let (reduction, owners) = (*reduction, indices.iter().map(|index| owners[*index]));
                let owners: Vec<usize> = owners.collect();
                let call = move |group: &Group| group.reduce_to_owners(values, &owners, reduction);
                self.communicator.start(NAME, call)
            }
            (Sum::Ranks { reduction, .. }, None) => {
                let reduction = *reduction;
                let call = move |group: &Group| group.all_reduce_list(values, reduction).map(some);
                self.communicator.start(NAME, call)
            }
            (Sum::Chunks(_), _) => {
                let call = move |group: &Group| group.all_reduce_list_in_pairs(values).map(some);
                self.communicator.start(NAME, call)
            }
        };
        started.map(|(receiver, lost)| Started::Host(receiver, lost))
    }

    /// Begins a bucket without the host, where the engine can: its gradients travel as one tensor.
    fn begin_on_device(&mut self, indices: &[usize]) -> Result<Option<Started>, CollectiveError> {
        let Sum::Ranks { reduction, .. } = self.plan.sum else { return Ok(None) };
        if self.plan.owners.is_some() || self.communicator.group().engine.device_collectives().is_none() {
            return Ok(None);
        }
        let grads: Vec<DynamicTensor> = indices.iter().map(|index| self.gradient(*index)).collect();
        let Some(first) = grads.first() else { return Ok(None) };
        let (device, dtype) = (Dynamic::device(first), first.spec().dtype);
        if grads.iter().any(|grad| Dynamic::device(grad) != device || grad.spec().dtype != dtype) {
            return Ok(None);
        }
        let flat = grads.into_iter().map(|grad| {
            let count = grad.spec().shape.num_elements();
            Dynamic::reshape(grad, Shape::from([count]))
        });
        let flat = Dynamic::cat(flat.collect(), 0);
        let collective = Collective::AllReduce(reduction);
        let pending = self.communicator.idle_group().start_on_device(collective, &flat)?;
        if pending.is_some() {
            indices.iter().for_each(|index| self.grads[*index] = None);
        }
        Ok(pending.map(|pending| Started::Device(collective, pending)))
    }

    /// Returns a weighted gradient on its device, zeros where there is none.
    fn gradient(&self, index: usize) -> DynamicTensor {
        let parameter = &self.parameters[index];
        match (&self.grads[index], &self.plan.sum) {
            (Some(grad), Sum::Ranks { share: Some(share), .. }) => scaled(grad.clone(), *share),
            (Some(grad), _) => grad.clone(),
            (None, _) => {
                let spec = TensorSpec::new(parameter.shape.clone(), parameter.dtype);
                Dynamic::full(spec, Scalar::Int(0), &parameter.device)
            }
        }
    }

    /// Returns what this rank adds to the sum for a parameter.
    fn value(&mut self, index: usize) -> Result<TensorData, CollectiveError> {
        let rank = self.communicator.rank();
        if matches!(self.plan.sum, Sum::Ranks { .. }) {
            let grad = self.gradient(index);
            self.grads[index] = None;
            return data(NAME, rank, grad);
        }
        let (parameter, grad) = (&self.parameters[index], self.grads[index].take());
        match &mut self.plan.sum {
            Sum::Chunks(chunks) => chunks.sum(NAME, rank, parameter, (index, grad)),
            Sum::Ranks { .. } => unreachable!("returned above"),
        }
    }

    /// Waits for a bucket, and returns the gradients of its parameters that this rank gets.
    fn wait(
        &self,
        started: Started,
        indices: &[usize],
    ) -> Result<Vec<Option<DynamicTensor>>, CollectiveError> {
        let place = |(value, index): (Option<TensorData>, &usize)| {
            value.map(|value| Dynamic::create(Creation::Data(value), &self.parameters[*index].device))
        };
        match started {
            Started::Host(receiver, lost) => {
                let values = receiver.recv().unwrap_or(Err(lost))?;
                Ok(values.into_iter().zip(indices).map(place).collect())
            }
            Started::Done(values) => Ok(values?.into_iter().zip(indices).map(place).collect()),
            Started::Device(collective, pending) => {
                let flat = self.communicator.group().finish_on_device(collective, pending)?;
                let mut start = 0;
                let mut part = |index: &usize| {
                    let shape = self.parameters[*index].shape.clone();
                    let end = start + shape.num_elements();
                    let part = Dynamic::slice(flat.clone(), [Slice::from(start..end)].into_iter().collect());
                    start = end;
                    Some(Dynamic::reshape(part, shape))
                };
                Ok(indices.iter().map(&mut part).collect())
            }
        }
    }

    /// Takes the gradients that the hook did not get, and begins the buckets that are left.
    pub fn complete(&mut self, mut grads: GradientsParams) -> Result<(), CollectiveError> {
        for index in 0..self.parameters.len() {
            if let Some(grad) = grads.take(self.parameters[index].id) {
                self.take(index, grad);
            }
            let of = (index, &self.parameters[index]);
            let earlier = self.plan.earlier.as_mut().and_then(|earlier| earlier.sum(of, None));
            if earlier.is_some() {
                self.put(index, earlier);
            }
        }
        if !grads.is_empty() && self.error.is_none() {
            let group = self.communicator.idle_group();
            let found = format!("{} gradients of other parameters", grads.len());
            let error = group.argument(NAME, "grads", "gradients of parameters of the module", found);
            self.error = Some(group.refuse(NAME, error));
        }
        while self.started.len() < self.buckets.len() && self.error.is_none() {
            self.begin_next();
        }
        self.error.take().map_or(Ok(()), Err)
    }

    /// Waits for all buckets, and returns the gradients of this rank, those of parameters that are used.
    pub fn gradients(&mut self, is_used: impl Fn(usize) -> bool) -> Result<GradientsParams, CollectiveError> {
        let mut all = GradientsParams::new();
        let started = std::mem::take(&mut self.started);
        for (started, indices) in started.into_iter().zip(&self.buckets) {
            for (grad, index) in self.wait(started, indices)?.into_iter().zip(indices) {
                if let Some(grad) = grad.filter(|_| is_used(*index)) {
                    all.insert(self.parameters[*index].id, grad);
                }
            }
        }
        Ok(all)
    }

    /// Returns which gradients this rank has.
    pub fn has(&self) -> Vec<bool> {
        let mut has = vec![false; self.parameters.len()];
        self.ready.iter().for_each(|index| has[*index] = true);
        if let Sum::Chunks(chunks) = &self.plan.sum {
            chunks.mark(&mut has);
        }
        has
    }
}

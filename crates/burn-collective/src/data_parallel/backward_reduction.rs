//! Gradients that are reduced while the backward pass computes the others.

use super::DataParallel;
use super::accumulated::EarlierGradients;
use super::bucket_order::BucketOrder;
use super::earlier::Earlier;
use super::fixed_order::ChunkSums;
use super::gradients::{Agreed, ReducedGradients, scaled};
use super::parameters::TrainedParameter;
use crate::differentiable::data;
use crate::frame::CallFields;
use crate::group::Group;
use crate::{Collective, CollectiveError, Communicator, Pending, Reduction};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::gradient_hook::GradientHook;
use burn_backend::{Backend, LeafId, Scalar, Slice, TypedCalls};
use burn_ir::{Creation, HasSpec, Shape, TensorData, TensorSpec};
use burn_optim::GradientsParams;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

pub const NAME: &str = "DataParallel::backward";

/// Reduction of the gradients of one step, which runs beside the backward pass.
///
/// [`DataParallel::begin_backward`] begins it on all ranks. Each backward pass inside of a
/// [`GradientHookScope`](burn_backend::gradient_hook::GradientHookScope) with its [`hook`](Self::hook) gives
/// it the gradients that are complete, and a bucket whose gradients are all there travels at once, in the
/// same order on all ranks. [`finish`](Self::finish) waits for all of them. [`DataParallel::backward`] does
/// this for a loop of your own. PyTorch: what the hooks of `torch.nn.parallel.DistributedDataParallel` do.
#[derive(Debug)]
#[must_use = "the other ranks wait for `finish`"]
pub struct BackwardReduction {
    reducer: Rc<RefCell<Reducer>>,
    order: Arc<Mutex<BucketOrder>>,
}

/// How the gradients of ranks become one.
#[derive(Debug)]
pub enum Sum {
    /// Over ranks, in one step; each is multiplied by the share of its rank where that is given.
    Ranks { reduction: Reduction, share: Option<f64> },
    /// Over the chunks of all ranks in pairs.
    Chunks(ChunkSums),
}

/// Bucket that travels.
#[derive(Debug)]
enum Started {
    Host(Receiver<Result<Vec<TensorData>, CollectiveError>>, CollectiveError),
    Device(Collective, Box<dyn Pending>),
}

/// Buckets of one backward pass.
#[derive(Debug)]
struct Reducer {
    communicator: Communicator,
    parameters: Vec<TrainedParameter>,
    sum: Sum,
    has_items: bool,
    /// Gradients of earlier micro-batches.
    earlier: Option<EarlierGradients>,
    buckets: Vec<Vec<usize>>,
    /// Bucket of each parameter.
    bucket_of: Vec<usize>,
    /// Number of gradients of each bucket that are still to come.
    missing: Vec<usize>,
    /// Gradients of buckets that are not full, by parameter.
    grads: Vec<Option<DynamicTensor>>,
    /// Parameters whose gradients came, in the order in which they came.
    ready: Vec<usize>,
    started: Vec<Started>,
    /// Error after which no bucket travels; the pass goes on without them.
    error: Option<CollectiveError>,
}

impl Reducer {
    fn new(
        communicator: Communicator,
        parameters: Vec<TrainedParameter>,
        plan: (Sum, bool, Option<EarlierGradients>),
        buckets: Vec<Vec<usize>>,
    ) -> Self {
        let mut bucket_of = vec![0; parameters.len()];
        for (bucket, indices) in buckets.iter().enumerate() {
            indices.iter().for_each(|index| bucket_of[*index] = bucket);
        }
        let (missing, grads) = (buckets.iter().map(Vec::len).collect(), vec![None; parameters.len()]);
        let (sum, has_items, earlier) = plan;
        let (ready, started, error) = (Vec::new(), Vec::new(), None);
        Reducer {
            communicator,
            parameters,
            sum,
            has_items,
            earlier,
            buckets,
            bucket_of,
            missing,
            grads,
            ready,
            started,
            error,
        }
    }

    /// Takes a gradient, once, and begins the buckets that are full: in their order, as all ranks do.
    fn take(&mut self, index: usize, grad: DynamicTensor) {
        if !self.has_items || self.is_ready(index) {
            return;
        }
        let grad = match &mut self.earlier {
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
        let started = match self.sum {
            Sum::Ranks { reduction, .. } => {
                self.communicator.start(NAME, move |group: &Group| group.all_reduce_list(values, reduction))
            }
            Sum::Chunks(_) => {
                self.communicator.start(NAME, move |group: &Group| group.all_reduce_list_in_pairs(values))
            }
        };
        started.map(|(receiver, lost)| Started::Host(receiver, lost))
    }

    /// Begins a bucket without the host, where the engine can: its gradients travel as one tensor.
    fn begin_on_device(&mut self, indices: &[usize]) -> Result<Option<Started>, CollectiveError> {
        let Sum::Ranks { reduction, .. } = self.sum else { return Ok(None) };
        if self.communicator.group().engine.device_collectives().is_none() {
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
        match (&self.grads[index], &self.sum) {
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
        if matches!(self.sum, Sum::Ranks { .. }) {
            let grad = self.gradient(index);
            self.grads[index] = None;
            return data(NAME, rank, grad);
        }
        let (parameter, grad) = (&self.parameters[index], self.grads[index].take());
        match &mut self.sum {
            Sum::Chunks(chunks) => chunks.sum(NAME, rank, parameter, (index, grad)),
            Sum::Ranks { .. } => unreachable!("returned above"),
        }
    }

    /// Waits for a bucket, and returns the gradients of its parameters.
    fn wait(&self, started: Started, indices: &[usize]) -> Result<Vec<DynamicTensor>, CollectiveError> {
        match started {
            Started::Host(receiver, lost) => {
                let values = receiver.recv().unwrap_or(Err(lost))?;
                let place = |(value, index): (TensorData, &usize)| {
                    Dynamic::create(Creation::Data(value), &self.parameters[*index].device)
                };
                Ok(values.into_iter().zip(indices).map(place).collect())
            }
            Started::Device(collective, pending) => {
                let flat = self.communicator.group().finish_on_device(collective, pending)?;
                let mut start = 0;
                let mut part = |index: &usize| {
                    let shape = self.parameters[*index].shape.clone();
                    let end = start + shape.num_elements();
                    let part = Dynamic::slice(flat.clone(), [Slice::from(start..end)].into_iter().collect());
                    start = end;
                    Dynamic::reshape(part, shape)
                };
                Ok(indices.iter().map(&mut part).collect())
            }
        }
    }

    /// Takes the gradients that the hook did not get, and begins the buckets that are left.
    fn complete(&mut self, mut grads: GradientsParams) -> Result<(), CollectiveError> {
        for index in 0..self.parameters.len() {
            if let Some(grad) = grads.take(self.parameters[index].id) {
                self.take(index, grad);
            }
            let of = (index, &self.parameters[index]);
            let earlier = self.earlier.as_mut().and_then(|earlier| earlier.sum(of, None));
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
}

impl BackwardReduction {
    /// Returns the hook that backward passes give their gradients.
    pub fn hook(&self) -> GradientHook {
        let reducer = self.reducer.clone();
        let leaves: HashMap<LeafId, usize> = {
            let reducer = reducer.borrow();
            let leaf = |(index, parameter): (usize, &TrainedParameter)| Some((parameter.leaf?, index));
            reducer.parameters.iter().enumerate().filter_map(leaf).collect()
        };
        GradientHook::new(leaves.keys().copied().collect::<Vec<_>>(), move |leaf, grad| {
            if let Some(index) = leaves.get(&leaf) {
                reducer.borrow_mut().take(*index, grad);
            }
        })
    }

    /// Returns the number of buckets whose reduction was begun so far.
    pub fn begun(&self) -> usize {
        self.reducer.borrow().started.len()
    }

    /// Waits for the gradients of all ranks. `grads` are those of this rank: of a parameter whose gradient
    /// the hook got, that one counts; others travel now.
    ///
    /// # Errors
    /// As [`DataParallel::reduce_gradients`].
    pub fn finish(self, grads: GradientsParams) -> Result<ReducedGradients, CollectiveError> {
        let mut reducer = self.reducer.borrow_mut();
        reducer.complete(grads)?;
        let mut has = vec![false; reducer.parameters.len()];
        reducer.ready.iter().for_each(|index| has[*index] = true);
        if let Sum::Chunks(chunks) = &reducer.sum {
            chunks.mark(&mut has);
        }
        let agreed = self.agree(&reducer, has)?;
        let unused = agreed.unused(&reducer.parameters);
        let mut all = GradientsParams::new();
        let started = std::mem::take(&mut reducer.started);
        for (started, indices) in started.into_iter().zip(&reducer.buckets) {
            for (grad, index) in reducer.wait(started, indices)?.into_iter().zip(indices) {
                if agreed.is_used(*index) {
                    all.insert(reducer.parameters[*index].id, grad);
                }
            }
        }
        Ok(ReducedGradients { grads: all, unused })
    }

    /// Agrees on the gradients that each rank has, and, after the first pass, on the order in which rank 0
    /// had them.
    fn agree(&self, reducer: &Reducer, has: Vec<bool>) -> Result<Agreed, CollectiveError> {
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: Vec<u8> = has.iter().copied().map(u8::from).collect();
        if !order.is_measured() && reducer.communicator.rank() == 0 {
            bytes.extend(reducer.ready.iter().flat_map(|index| (*index as u64).to_le_bytes()));
        }
        let count = has.len();
        let group = reducer.communicator.idle_group();
        let fields = Ok(CallFields::new(NAME).with("step", "end"));
        let all = group.call(NAME, fields, |call| call.gather_bytes(&bytes))?;
        if !order.is_measured() {
            let ready = all.first().and_then(|bytes| bytes.get(count..)).unwrap_or_default();
            let index = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) as usize;
            order.measure(ready.as_chunks().0.iter().map(index));
        }
        let flags = |bytes: &Vec<u8>| (0..count).map(|index| bytes.get(index) == Some(&1)).collect();
        Ok(Agreed::of_flags(all.iter().map(flags).collect()))
    }
}

impl DataParallel {
    /// Begins a reduction of gradients, unless no rank has items.
    pub(super) fn begin_reduction(
        &self,
        parameters: Vec<TrainedParameter>,
        items: usize,
        earlier: Earlier,
    ) -> Result<Option<BackwardReduction>, CollectiveError> {
        let communicator = self.background.of(&self.communicator)?;
        let specs: Vec<String> = parameters.iter().map(|x| format!("{} {:?}", x.path, x.shape)).collect();
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order.fit(&specs);
        let fields = CallFields::new(NAME)
            .with("parameters", specs.join(", "))
            .with("chunks", earlier.chunks())
            .with("bucket_bytes", self.bucket_bytes)
            .with("order of buckets", format!("{:?}", order.indices()));
        let buckets = order.buckets(&parameters, self.bucket_bytes);
        drop(order);
        let (earlier_items, micro_batches) = earlier.counts();
        let own_items = items + earlier_items;
        let counts = communicator.idle_group().call(NAME, Ok(fields), |call| {
            let own = [own_items as u64, micro_batches as u64];
            let all = call.gather_bytes(&own.map(u64::to_le_bytes).concat())?;
            let counts = |bytes: &Vec<u8>| match bytes.as_chunks().0 {
                [items, micro_batches] => (u64::from_le_bytes(*items), u64::from_le_bytes(*micro_batches)),
                _ => (0, 0),
            };
            Ok(all.iter().map(counts).collect::<Vec<(u64, u64)>>())
        })?;
        let total: u64 = counts.iter().map(|(items, _)| items).sum();
        if total == 0 {
            return Ok(None);
        }
        // Ranks with earlier micro-batches weight their sums, so all ranks do.
        let is_even =
            counts.iter().all(|(items, micro_batches)| (*items, *micro_batches) == (counts[0].0, 0));
        let share =
            |items: usize| Sum::Ranks { reduction: Reduction::Sum, share: Some(items as f64 / total as f64) };
        let has_items = own_items > 0 || matches!(earlier, Earlier::Chunks(_));
        let (sum, earlier) = match earlier {
            Earlier::Chunks(chunks) => (Sum::Chunks(chunks.sums(&parameters, total as f64)), None),
            Earlier::MicroBatches(earlier) if micro_batches > 0 => {
                let earlier = earlier.last(&parameters, items);
                (share(earlier.unit), Some(earlier))
            }
            Earlier::None | Earlier::MicroBatches(_) if is_even => {
                (Sum::Ranks { reduction: Reduction::Mean, share: None }, None)
            }
            Earlier::None | Earlier::MicroBatches(_) => (share(items), None),
        };
        let plan = (sum, has_items, earlier);
        let reducer = Reducer::new(communicator, parameters, plan, buckets);
        let (reducer, order) = (Rc::new(RefCell::new(reducer)), self.order.clone());
        Ok(Some(BackwardReduction { reducer, order }))
    }

    /// Error of a step in which no rank has items.
    pub(super) fn no_items(&self) -> CollectiveError {
        let group = self.communicator.group();
        group.argument(NAME, "items", "items on one rank at least", "0 on every rank")
    }
}

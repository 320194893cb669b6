//! Gradients that are reduced while the backward pass computes the others.

use super::DataParallel;
use super::accumulated::EarlierGradients;
use super::bucket_order::BucketOrder;
use super::bucket_reducer::{NAME, Plan, Reducer, Sum};
use super::earlier::Earlier;
use super::gradients::{Agreed, ReducedGradients};
use super::parameters::TrainedParameter;
use crate::frame::CallFields;
use crate::{CollectiveError, Reduction};
use burn_backend::LeafId;
use burn_backend::gradient_hook::GradientHook;
use burn_optim::GradientsParams;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

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

impl BackwardReduction {
    /// Returns the hook that backward passes give their gradients, which the gradients that they return are
    /// then without.
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
        .taking()
    }

    /// Returns the number of buckets whose reduction was begun so far.
    pub fn begun(&self) -> usize {
        self.reducer.borrow().begun()
    }

    /// Waits for the gradients of all ranks. `grads` are those of this rank: of a parameter whose gradient
    /// the hook got, that one counts; others travel now.
    ///
    /// # Errors
    /// As [`DataParallel::reduce_gradients`].
    pub fn finish(self, grads: GradientsParams) -> Result<ReducedGradients, CollectiveError> {
        let mut reducer = self.reducer.borrow_mut();
        reducer.complete(grads)?;
        let agreed = self.agree(&reducer, reducer.has())?;
        let unused = agreed.unused(&reducer.parameters);
        let grads = reducer.gradients(|index| agreed.is_used(index))?;
        Ok(ReducedGradients { grads, unused })
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
    /// Begins a reduction of gradients, unless no rank has items. With owners, each gradient goes to that of
    /// its parameter alone.
    pub(crate) fn begin_reduction(
        &self,
        parameters: Vec<TrainedParameter>,
        owners: Option<Vec<usize>>,
        items: usize,
        earlier: Earlier,
    ) -> Result<Option<BackwardReduction>, CollectiveError> {
        let communicator = self.background.of(&self.communicator)?;
        let (fields, buckets) = self.planned(&parameters, earlier.chunks());
        let (earlier_items, micro_batches) = earlier.counts();
        let own_items = items + earlier_items;
        let fields = fields.with("weights", "numbers of items");
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
        let plan = Plan { sum, has_items, earlier, owners };
        Ok(Some(self.reduction(Reducer::new(communicator, parameters, plan, buckets))))
    }

    /// Begins a reduction that adds the gradients of ranks, each weighted by its rank.
    pub(super) fn begin_weighted(
        &self,
        parameters: Vec<TrainedParameter>,
        earlier: GradientsParams,
        weight: Option<f64>,
    ) -> Result<BackwardReduction, CollectiveError> {
        let communicator = self.background.of(&self.communicator)?;
        let (fields, buckets) = self.planned(&parameters, 0);
        let fields = fields.with("weights", "given ones");
        communicator.idle_group().call(NAME, Ok(fields), |_call| Ok(()))?;
        let earlier = Some(EarlierGradients::weighted(earlier, &parameters, weight));
        let sum = Sum::Ranks { reduction: Reduction::Sum, share: None };
        let plan = Plan { sum, has_items: true, earlier, owners: None };
        Ok(self.reduction(Reducer::new(communicator, parameters, plan, buckets)))
    }

    /// Returns what ranks agree on before a reduction, and the parameters of each bucket.
    fn planned(&self, parameters: &[TrainedParameter], chunks: usize) -> (CallFields, Vec<Vec<usize>>) {
        let specs: Vec<String> = parameters.iter().map(|x| format!("{} {:?}", x.path, x.shape)).collect();
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order.fit(&specs);
        let fields = CallFields::new(NAME)
            .with("parameters", specs.join(", "))
            .with("chunks", chunks)
            .with("bucket_bytes", self.bucket_bytes)
            .with("order of buckets", format!("{:?}", order.indices()));
        (fields, order.buckets(parameters, self.bucket_bytes))
    }

    fn reduction(&self, reducer: Reducer) -> BackwardReduction {
        BackwardReduction { reducer: Rc::new(RefCell::new(reducer)), order: self.order.clone() }
    }

    /// Error of a step in which no rank has items.
    pub(super) fn no_items(&self) -> CollectiveError {
        let group = self.communicator.group();
        group.argument(NAME, "items", "items on one rank at least", "0 on every rank")
    }
}

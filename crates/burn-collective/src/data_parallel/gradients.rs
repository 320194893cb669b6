//! Gradients averaged over ranks.

use super::DataParallel;
use super::buckets::{Sized, buckets};
use super::parameters::{TrainedParameter, trained};
use crate::differentiable::data;
use crate::frame::CallFields;
use crate::{CollectiveError, Reduction};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{AutodiffBackend, Backend, TypedCalls};
use burn_core::module::AutodiffModule;
use burn_ir::{Creation, HasSpec, TensorData};
use burn_optim::GradientsParams;

const NAME: &str = "DataParallel::reduce_gradients";

/// Gradients that are the same on every rank.
#[derive(Clone, Debug)]
pub struct ReducedGradients {
    /// Means over all items of all ranks.
    pub grads: GradientsParams,
    /// Parameters without a gradient on some ranks or all.
    pub unused: Vec<UnusedParameter>,
}

/// Parameter that the loss of some ranks does not depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedParameter {
    /// Path in the module, such as `encoder.layers.0.weight`.
    pub path: String,
    /// Ranks without a gradient, in ascending order. Of all ranks: the parameter has none after the reduction either.
    pub ranks: Vec<usize>,
}

impl DataParallel {
    /// Averages the gradients of the parameters of `module` over all ranks, weighted by `items`, the number of items in the batch of
    /// each: where the loss is a mean over its batch, this is the gradient of the mean over the items of all ranks.
    ///
    /// Gradients travel in [buckets](Self::with_bucket_bytes), of which the next is read while the last is moved. A parameter without
    /// a gradient on some ranks counts as zero there and is [named](ReducedGradients::unused); a rank without items gives empty
    /// gradients and 0.
    ///
    /// # Errors
    /// When ranks have different models, no rank has items, or `grads` has gradients of parameters that are not in `module`.
    pub fn reduce_gradients<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        grads: GradientsParams,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        self.reduce(grads, trained::<B, M>(module), items)
    }

    fn reduce(
        &self,
        mut grads: GradientsParams,
        parameters: Vec<TrainedParameter>,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let mut own: Vec<_> = parameters.iter().map(|parameter| grads.take(parameter.id)).collect();
        let left = grads.len();
        if items == 0 {
            own.iter_mut().for_each(|grad| *grad = None);
        }
        let (weights, has) = self.agree(&parameters, &own, left, items)?;
        let rank = self.communicator.rank();
        let is_even = weights.iter().all(|weight| *weight == weights[0]);
        let reduction = if is_even { Reduction::Mean } else { Reduction::Sum };
        let mut unused = Vec::new();
        let mut kept = Vec::new();
        for (index, (parameter, grad)) in parameters.into_iter().zip(own).enumerate() {
            let ranks: Vec<usize> = (0..has.len()).filter(|rank| !has[*rank][index]).collect();
            let is_used = ranks.len() < has.len();
            if !ranks.is_empty() {
                unused.push(UnusedParameter { path: parameter.path.clone(), ranks });
            }
            if is_used {
                let grad = grad.map(|grad| if is_even { grad } else { scaled(grad, weights[rank]) });
                kept.push((parameter, grad));
            }
        }
        let grads = self.reduce_buckets(kept, reduction)?;
        Ok(ReducedGradients { grads, unused })
    }

    /// Returns the share of each rank in all items, and which gradients each rank has.
    fn agree(
        &self,
        parameters: &[TrainedParameter],
        own: &[Option<DynamicTensor>],
        left: usize,
        items: usize,
    ) -> Result<(Vec<f64>, Vec<Vec<bool>>), CollectiveError> {
        let group = self.communicator.idle_group();
        let specs: Vec<String> = parameters.iter().map(|x| format!("{} {:?}", x.path, x.shape)).collect();
        let fields = if left == 0 {
            Ok(CallFields::new(NAME).with("parameters", specs.join(", ")))
        } else {
            let found = format!("{left} gradients of other parameters");
            Err(group.argument(NAME, "grads", "gradients of parameters of the module", found))
        };
        group.call(NAME, fields, |call| {
            let mut bytes = (items as u64).to_le_bytes().to_vec();
            bytes.extend(own.iter().map(|grad| u8::from(grad.is_some())));
            let all = call.gather_bytes(&bytes)?;
            let (mut counts, mut has) = (Vec::new(), Vec::new());
            for bytes in &all {
                let (count, flags) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
                counts.push(u64::from_le_bytes(*count) as f64);
                let flag = |index: usize| flags.get(index) == Some(&1);
                has.push((0..parameters.len()).map(flag).collect());
            }
            let total: f64 = counts.iter().sum();
            if total == 0.0 {
                return Err(group.argument(NAME, "items", "items on one rank at least", "0 on every rank"));
            }
            Ok((counts.into_iter().map(|count| count / total).collect(), has))
        })
    }

    fn reduce_buckets(
        &self,
        list: Vec<(TrainedParameter, Option<DynamicTensor>)>,
        reduction: Reduction,
    ) -> Result<GradientsParams, CollectiveError> {
        let sizes: Vec<Sized> = list
            .iter()
            .map(|(parameter, grad)| {
                let dtype = grad.as_ref().map_or(parameter.dtype, |grad| grad.spec().dtype);
                Sized { bytes: parameter.shape.num_elements() * dtype.size(), dtype }
            })
            .collect();
        let (mut list, mut started) = (list.into_iter(), Vec::new());
        for range in buckets(&sizes, self.bucket_bytes) {
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for (parameter, grad) in list.by_ref().take(range.len()) {
                values.push(self.value(&parameter, grad)?);
                places.push((parameter.id, parameter.device));
            }
            let call = move |group: &crate::group::Group| group.all_reduce_list(values, reduction);
            started.push((places, self.communicator.start(NAME, call)?));
        }
        let mut grads = GradientsParams::new();
        for (places, (receiver, lost)) in started {
            let values = receiver.recv().unwrap_or(Err(lost))?;
            for ((id, device), value) in places.into_iter().zip(values) {
                grads.insert(id, Dynamic::create(Creation::Data(value), &device));
            }
        }
        Ok(grads)
    }

    /// Returns a gradient, zeros where there is none.
    fn value(
        &self,
        parameter: &TrainedParameter,
        grad: Option<DynamicTensor>,
    ) -> Result<TensorData, CollectiveError> {
        let rank = self.communicator.rank();
        let value = match grad {
            Some(grad) => data(NAME, rank, grad),
            None => TensorData::zeroed(parameter.shape.clone(), parameter.dtype)
                .map_err(|source| CollectiveError::Data { operation: NAME.to_string(), rank, source }),
        };
        value.map_err(|error| self.communicator.idle_group().refuse(NAME, error))
    }
}

fn scaled(grad: DynamicTensor, weight: f64) -> DynamicTensor {
    use burn_backend::{BinaryOp, Scalar};
    Dynamic::binary_scalar(BinaryOp::Mul, grad, Scalar::Float(weight))
}

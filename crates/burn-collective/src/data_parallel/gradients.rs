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
use burn_ir::{Creation, TensorData};
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
    /// Ranks without a gradient, in ascending order. Of all ranks: the parameter has none after the reduction
    /// either.
    pub ranks: Vec<usize>,
}

/// Gradients of one rank that are ready to be reduced.
pub(crate) struct Prepared {
    /// Gradients by parameter, multiplied by the share of this rank where the reduction is a sum.
    pub list: Vec<(TrainedParameter, Option<DynamicTensor>)>,
    pub reduction: Reduction,
    pub unused: Vec<UnusedParameter>,
}

/// Numbers of items of all ranks, and which gradients each rank has.
pub(super) struct Agreed {
    counts: Vec<u64>,
    has: Vec<Vec<bool>>,
}

impl Agreed {
    /// Returns which gradients each rank has.
    pub fn of_flags(has: Vec<Vec<bool>>) -> Self {
        Agreed { counts: Vec::new(), has }
    }

    /// Returns the number of items of all ranks.
    pub fn items(&self) -> f64 {
        self.counts.iter().map(|count| *count as f64).sum()
    }

    /// Returns whether any rank has a gradient of this parameter.
    pub fn is_used(&self, index: usize) -> bool {
        self.has.iter().any(|has| has[index])
    }

    pub fn unused(&self, parameters: &[TrainedParameter]) -> Vec<UnusedParameter> {
        let mut unused = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let ranks: Vec<usize> = (0..self.has.len()).filter(|rank| !self.has[*rank][index]).collect();
            if !ranks.is_empty() {
                unused.push(UnusedParameter { path: parameter.path.clone(), ranks });
            }
        }
        unused
    }
}

impl DataParallel {
    /// Averages the gradients of the parameters of `module` over all ranks, weighted by `items`, the number
    /// of items in the batch of each: where the loss is a mean over its batch, this is the gradient of the
    /// mean over the items of all ranks.
    ///
    /// Gradients travel in [buckets](Self::with_bucket_bytes), of which the next is read while the last is
    /// moved. A parameter without a gradient on some ranks counts as zero there and is
    /// [named](ReducedGradients::unused); a rank without items gives empty gradients and 0.
    ///
    /// # Errors
    /// When ranks have different models, no rank has items, or `grads` has gradients of parameters that are
    /// not in `module`.
    pub fn reduce_gradients<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        grads: GradientsParams,
        module: &M,
        items: usize,
    ) -> Result<ReducedGradients, CollectiveError> {
        let Prepared { list, reduction, unused } = self.prepare(grads, trained::<B, M>(module), items)?;
        let grads = self.reduce_buckets(list, reduction)?;
        Ok(ReducedGradients { grads, unused })
    }

    /// Agrees on items and unused parameters.
    pub(crate) fn prepare(
        &self,
        mut grads: GradientsParams,
        parameters: Vec<TrainedParameter>,
        items: usize,
    ) -> Result<Prepared, CollectiveError> {
        let mut own: Vec<_> = parameters.iter().map(|parameter| grads.take(parameter.id)).collect();
        let left = grads.len();
        if items == 0 {
            own.iter_mut().for_each(|grad| *grad = None);
        }
        let has: Vec<bool> = own.iter().map(Option::is_some).collect();
        let agreed = self.agree(&parameters, &has, left, items, 1)?;
        let is_even = agreed.counts.iter().all(|count| *count == agreed.counts[0]);
        let reduction = if is_even { Reduction::Mean } else { Reduction::Sum };
        let share = items as f64 / agreed.items();
        let unused = agreed.unused(&parameters);
        let used = parameters.into_iter().zip(own).enumerate();
        let used = used.filter(|(index, _)| agreed.is_used(*index)).map(|(_, used)| used);
        let weighted = |(parameter, grad): (TrainedParameter, Option<DynamicTensor>)| {
            let grad = grad.map(|grad| if is_even { grad } else { scaled(grad, share) });
            (parameter, grad)
        };
        Ok(Prepared { list: used.map(weighted).collect(), reduction, unused })
    }

    /// Agrees on the numbers of items of all ranks, and on the gradients that each has.
    pub(super) fn agree(
        &self,
        parameters: &[TrainedParameter],
        has: &[bool],
        left: usize,
        items: usize,
        chunks: usize,
    ) -> Result<Agreed, CollectiveError> {
        let group = self.communicator.idle_group();
        let specs: Vec<String> = parameters.iter().map(|x| format!("{} {:?}", x.path, x.shape)).collect();
        let fields = if left == 0 {
            Ok(CallFields::new(NAME).with("parameters", specs.join(", ")).with("chunks", chunks))
        } else {
            let found = format!("{left} gradients of other parameters");
            Err(group.argument(NAME, "grads", "gradients of parameters of the module", found))
        };
        group.call(NAME, fields, |call| {
            let mut bytes = (items as u64).to_le_bytes().to_vec();
            bytes.extend(has.iter().copied().map(u8::from));
            let all = call.gather_bytes(&bytes)?;
            let mut agreed = Agreed { counts: Vec::new(), has: Vec::new() };
            for bytes in &all {
                let (count, flags) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
                agreed.counts.push(u64::from_le_bytes(*count));
                agreed.has.push((0..parameters.len()).map(|index| flags.get(index) == Some(&1)).collect());
            }
            if agreed.counts.iter().all(|count| *count == 0) {
                return Err(group.argument(NAME, "items", "items on one rank at least", "0 on every rank"));
            }
            Ok(agreed)
        })
    }

    fn reduce_buckets(
        &self,
        list: Vec<(TrainedParameter, Option<DynamicTensor>)>,
        reduction: Reduction,
    ) -> Result<GradientsParams, CollectiveError> {
        let sizes: Vec<Sized> = list.iter().map(|(parameter, grad)| parameter.sized(grad.as_ref())).collect();
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
    pub(crate) fn value(
        &self,
        parameter: &TrainedParameter,
        grad: Option<DynamicTensor>,
    ) -> Result<TensorData, CollectiveError> {
        let value = grad_data(NAME, self.communicator.rank(), parameter, grad);
        value.map_err(|error| self.communicator.idle_group().refuse(NAME, error))
    }
}

/// Reads a gradient, zeros where there is none.
pub(super) fn grad_data(
    operation: &str,
    rank: usize,
    parameter: &TrainedParameter,
    grad: Option<DynamicTensor>,
) -> Result<TensorData, CollectiveError> {
    match grad {
        Some(grad) => data(operation, rank, grad),
        None => TensorData::zeroed(parameter.shape.clone(), parameter.dtype)
            .map_err(|source| CollectiveError::Data { operation: operation.to_string(), rank, source }),
    }
}

pub(super) fn scaled(grad: DynamicTensor, weight: f64) -> DynamicTensor {
    use burn_backend::{BinaryOp, Scalar};
    Dynamic::binary_scalar(BinaryOp::Mul, grad, Scalar::Float(weight))
}

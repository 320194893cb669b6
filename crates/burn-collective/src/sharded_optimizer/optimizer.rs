use super::exchange::OwnedTensor;
use super::partition::{OwnedParameter, owners};
use super::record::{merge, rename};
use super::values::{ReadValues, SetValues};
use crate::data_parallel::{Sized, TrainedParameter, all_trained, buckets};
use crate::differentiable::data;
use crate::frame::CallFields;
use crate::{CollectiveError, Communicator, DataParallel, Reduction};
use burn_backend::AutodiffBackend;
use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AutodiffModule, ParamId};
use burn_core::record::{
    BinBytesRecorder, FullPrecisionSettings, IntoNode, KeyPath, Node, Record, RecordError,
};
use burn_ir::TensorData;
use burn_optim::{GradientsParams, LearningRate, Optimizer};
use std::collections::BTreeMap;

pub const NAME: &str = "ShardedOptimizer";

type Outcome<T> = Result<T, CollectiveError>;

/// Optimizer whose state is split over ranks: each rank keeps the state of some parameters, updates these and
/// sends them to the others (Rajbhandari et al. 2020).
///
/// Every rank has the whole model, as in [`DataParallel`]. Parameters are split as wholes, so that any
/// optimizer works, also one that sees a matrix at once as Muon does: the largest first, each to the rank
/// with the least bytes. With `k` tensors of state for each parameter (two for AdamW), a rank keeps `k` times
/// [`shard_bytes`](Self::shard_bytes), at most the mean over ranks and the largest parameter. Steps have the
/// bits of the whole optimizer. [`Sharding::memory`](crate::Sharding::memory) computes the bytes of a rank.
///
/// - *ZeRO-1*: gradients come from [`DataParallel::reduce_gradients`].
/// - *ZeRO-2*: gradients come from [`backward`](Self::backward), which gives each rank only those that it
///   updates, while the backward pass runs; or from [`reduce_gradients`](Self::reduce_gradients), after it.
///   Together with the step it moves as many bytes as data parallel training does.
///
/// The optimizer inside must not clip by the norm of all gradients, of which it sees a part: call
/// [`clip_by_global_norm`](Self::clip_by_global_norm) before the step.
///
/// PyTorch: `torch.distributed.optim.ZeroRedundancyOptimizer`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::collective::{CollectiveError, DataParallel, Local, ShardedOptimizer};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::{AdamWConfig, GradientsParams};
/// use burn::tensor::Tensor;
///
/// type B = Autodiff<NdArray>;
/// let weights = Local::run(2, |communicator| {
///     let device = Default::default();
///     let parallel = DataParallel::new(communicator);
///     let model: Linear<B> = LinearConfig::new(3, 2).init(&device);
///     let mut model = parallel.synchronize(model)?;
///     let mut optimizer = ShardedOptimizer::new(AdamWConfig::new().init(), &parallel, &model)?;
///     for _ in 0..3 {
///         let x = Tensor::<B, 2>::ones([4, 3], &device) * (parallel.communicator().rank() as f32);
///         let loss = model.forward(x).square().mean();
///         let grads = GradientsParams::from_grads(loss.backward(), &model);
///         let grads = optimizer.reduce_gradients(grads, &model, 4)?.grads;
///         // One rank updates the weight, the other the bias.
///         assert_eq!(grads.len(), 1);
///         model = optimizer.step(1e-3, model, grads)?;
///     }
///     Ok::<_, CollectiveError>(model.weight.val().into_data().to_f64())
/// })?;
/// assert_eq!(weights[0], weights[1]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "ZeroRedundancyOptimizer")]
#[derive(Clone, Debug)]
pub struct ShardedOptimizer<O> {
    optimizer: O,
    pub(super) parallel: DataParallel,
    pub(super) parameters: Vec<OwnedParameter>,
}

impl<O> ShardedOptimizer<O> {
    /// Splits the state of `optimizer` for the parameters of `module` that require gradients. Called by all
    /// ranks, with an optimizer without state and the module that is trained.
    ///
    /// # Errors
    /// When ranks have different models.
    pub fn new<B: AutodiffBackend, M: AutodiffModule<B>>(
        optimizer: O,
        parallel: &DataParallel,
        module: &M,
    ) -> Result<Self, CollectiveError> {
        let parameters = agree(parallel.communicator(), all_trained::<B, M>(module))?;
        Ok(ShardedOptimizer { optimizer, parallel: parallel.clone(), parameters })
    }

    pub(super) fn communicator(&self) -> &Communicator {
        self.parallel.communicator()
    }

    fn owned(&self) -> impl Iterator<Item = &TrainedParameter> {
        let rank = self.communicator().rank();
        self.parameters.iter().filter(move |x| x.owner == rank).map(|x| &x.parameter)
    }

    /// Returns the bytes of the parameters that this rank keeps the state of.
    pub fn shard_bytes(&self) -> usize {
        self.owned().map(TrainedParameter::bytes).sum()
    }

    /// Scales the gradients that this rank updates so that the norm of those of all ranks is at most
    /// `max_norm`, and returns the norm before: the factor is `min(max_norm / (norm + 1e-6), 1)`. `grads` are
    /// those of [`reduce_gradients`](Self::reduce_gradients) or of [`DataParallel::reduce_gradients`].
    ///
    /// PyTorch: `torch.nn.utils.clip_grad_norm_`.
    ///
    /// # Errors
    /// Those of [`Communicator::all_reduce`].
    pub fn clip_by_global_norm(
        &self,
        grads: &mut GradientsParams,
        max_norm: f64,
    ) -> Result<f64, CollectiveError> {
        let own = self.take_own(grads);
        // The square of the norm of each rank, summed in the order of ranks.
        let norm = own.global_norm();
        let square = TensorData::new(vec![norm * norm], [1]);
        let sum = self.communicator().idle_group().all_reduce(square, Reduction::Sum)?;
        let norm = sum.to_f64().first().copied().unwrap_or(0.0).sqrt();
        *grads = own;
        // As the optimizer's own clipping; a norm that is NaN makes the gradients of all ranks NaN.
        let factor = max_norm / (norm + 1e-6);
        if factor < 1.0 || factor.is_nan() {
            grads.scale(factor);
        }
        Ok(norm)
    }

    fn take_own(&self, grads: &mut GradientsParams) -> GradientsParams {
        let mut own = GradientsParams::new();
        for parameter in self.owned() {
            if let Some(grad) = grads.take(parameter.id) {
                own.insert(parameter.id, grad);
            }
        }
        own
    }

    pub(super) fn check_parameters(&self, found: &[TrainedParameter]) -> Outcome<()> {
        let is_same = |(found, own): (&TrainedParameter, &OwnedParameter)| {
            found.id == own.parameter.id && found.shape == own.parameter.shape
        };
        if found.len() == self.parameters.len() && found.iter().zip(&self.parameters).all(is_same) {
            return Ok(());
        }
        let group = self.communicator().idle_group();
        let expected =
            format!("the {} trained parameters that the optimizer was made for", self.parameters.len());
        let found = format!("{} other ones; make a new `ShardedOptimizer` for this module", found.len());
        Err(group.refuse(NAME, group.argument(NAME, "module", expected, found)))
    }

    /// Steps the parameters of this rank, and gives all ranks the values of all parameters. Gradients are
    /// equal on all ranks, or those of [`reduce_gradients`](Self::reduce_gradients).
    ///
    /// # Errors
    /// When the module has other parameters than the one that the optimizer was made for, a parameter cannot
    /// be read, or ranks differ in the call.
    pub fn step<B: AutodiffBackend, M: AutodiffModule<B>>(
        &mut self,
        lr: LearningRate,
        mut module: M,
        mut grads: GradientsParams,
    ) -> Result<M, CollectiveError>
    where
        O: Optimizer<M, B>,
    {
        self.check_parameters(&all_trained::<B, M>(&module))?;
        let own = self.take_own(&mut grads);
        if !own.is_empty() {
            module = self.optimizer.step(lr, module, own);
        }
        let ids = self.owned().map(|parameter| parameter.id).collect();
        let mut values = ReadValues { ids, found: BTreeMap::new() };
        module.visit_params(&mut values);
        self.share(values.found, &mut module)?;
        Ok(module)
    }

    /// Gives the values of the parameters of this rank to the others, and those of others to `module`: bucket
    /// by bucket, so that few values are in memory twice.
    fn share<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        mut own: BTreeMap<ParamId, DynamicTensor>,
        module: &mut M,
    ) -> Outcome<()> {
        let group = self.communicator().idle_group();
        let sizes: Vec<Sized> = self.parameters.iter().map(|x| x.parameter.sized(None)).collect();
        for range in buckets(&sizes, self.parallel.bucket_bytes()) {
            let mut list = Vec::with_capacity(range.len());
            for OwnedParameter { parameter, owner, .. } in &self.parameters[range.clone()] {
                let value = own.remove(&parameter.id).map(|x| data(NAME, group.rank(), x)).transpose();
                let value = value.map_err(|error| group.refuse(NAME, error))?;
                let (shape, dtype) = (parameter.shape.clone(), parameter.dtype);
                list.push(OwnedTensor { owner: *owner, shape, dtype, value });
            }
            let values = group.gather_from_owners(&list)?;
            let ids = self.parameters[range].iter().map(|x| x.parameter.id);
            let values = ids.zip(values).filter_map(|(id, value)| Some((id, value?)));
            module.map_params(&mut SetValues(values.collect()));
        }
        Ok(())
    }

    /// Returns the state that this rank keeps, for a checkpoint in which every rank saves its own file.
    /// Identifiers of parameters are those of rank 0, which saves the model.
    ///
    /// # Errors
    /// When the state cannot be written as a record.
    pub fn to_record<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        device: &B::Device,
    ) -> Result<O::Record, CollectiveError>
    where
        O: Optimizer<M, B>,
    {
        let node = self.own_node::<B, M>();
        O::Record::from_node(node, &KeyPath::ROOT, device).map_err(|source| self.record_error(source))
    }

    /// Returns the state of all ranks, on every rank, for a checkpoint that rank 0 saves. Called by all
    /// ranks.
    ///
    /// # Errors
    /// When ranks differ in the call, or the state cannot be written as a record.
    pub fn gather_record<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        device: &B::Device,
    ) -> Result<O::Record, CollectiveError>
    where
        O: Optimizer<M, B>,
    {
        let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
        let bytes = recorder.record(self.own_node::<B, M>(), ());
        let group = self.communicator().idle_group();
        let fields = match &bytes {
            Ok(_) => Ok(CallFields::new("ShardedOptimizer::gather_record")),
            Err(source) => Err(self.record_error(source.clone())),
        };
        let bytes = bytes.unwrap_or_default();
        let parts =
            group.call("ShardedOptimizer::gather_record", fields, |call| call.gather_bytes(&bytes))?;
        let mut all = Node::Null;
        for part in parts {
            let node = recorder.load_slice::<B, Node>(&part, device);
            all = merge(all, node.map_err(|source| self.record_error(source))?);
        }
        O::Record::from_node(all, &KeyPath::ROOT, device).map_err(|source| self.record_error(source))
    }

    /// Returns this optimizer with the state that this rank keeps, out of `records`: the one of
    /// [`gather_record`](Self::gather_record), or those of [`to_record`](Self::to_record) of all ranks of the
    /// run that saved them, whose number may be another; a parameter whose state is in none of them begins
    /// anew. The record of the module is loaded before this optimizer is made, on rank 0 at least.
    ///
    /// # Errors
    /// When a record is of another optimizer or of other parameters.
    pub fn load_records<B: AutodiffBackend, M: AutodiffModule<B>>(
        mut self,
        records: Vec<O::Record>,
        module: &M,
        device: &B::Device,
    ) -> Result<Self, CollectiveError>
    where
        O: Optimizer<M, B>,
    {
        let all = records.into_iter().map(IntoNode::into_node).fold(Node::Null, merge);
        let rank = self.communicator().rank();
        let id = |x: &OwnedParameter| {
            let own = (x.owner == rank).then(|| x.parameter.id.to_string());
            (x.record_id.to_string(), own)
        };
        let ids: BTreeMap<String, Option<String>> = self.parameters.iter().map(id).collect();
        let own = rename(all, &ids);
        let record = O::Record::from_node(own, &KeyPath::ROOT, device);
        let loaded = record.and_then(|record| self.optimizer.clone().try_load_record(record, module));
        self.optimizer = loaded.map_err(|source| self.record_error(source))?;
        Ok(self)
    }

    /// Own state, with the identifiers of rank 0.
    fn own_node<B: AutodiffBackend, M: AutodiffModule<B>>(&self) -> Node
    where
        O: Optimizer<M, B>,
    {
        let id = |x: &OwnedParameter| (x.parameter.id.to_string(), Some(x.record_id.to_string()));
        let ids: BTreeMap<String, Option<String>> = self.parameters.iter().map(id).collect();
        rename(self.optimizer.to_record().into_node(), &ids)
    }

    fn record_error(&self, source: RecordError) -> CollectiveError {
        let rank = self.communicator().rank();
        CollectiveError::Record { operation: NAME.to_string(), rank, source: Box::new(source) }
    }
}

/// Agrees on the owner of each parameter, and on the identifiers of rank 0.
fn agree(communicator: &Communicator, parameters: Vec<TrainedParameter>) -> Outcome<Vec<OwnedParameter>> {
    const NAME: &str = "ShardedOptimizer::new";
    let group = communicator.idle_group();
    let specs: Vec<String> =
        parameters.iter().map(|x| format!("{} {} {:?}", x.path, x.dtype, x.shape)).collect();
    let fields = CallFields::new(NAME).with("parameters", specs.join(", "));
    let ids = group.call(NAME, Ok(fields), |call| {
        let own: Vec<u8> = parameters.iter().flat_map(|x| x.id.value().to_le_bytes()).collect();
        Ok(call.gather_bytes(&own)?.swap_remove(0))
    })?;
    let ids = ids.chunks_exact(8).map(|bytes| bytes.try_into().map_or(0, u64::from_le_bytes));
    let bytes: Vec<usize> = parameters.iter().map(TrainedParameter::bytes).collect();
    let owners = owners(&bytes, communicator.world_size());
    let owned = |((parameter, owner), id): ((TrainedParameter, usize), u64)| OwnedParameter {
        parameter,
        owner,
        record_id: ParamId::from(id),
    };
    Ok(parameters.into_iter().zip(owners).zip(ids).map(owned).collect())
}

//! Gradients whose bits do not depend on the number of ranks.

use super::gradients::{grad_data, scaled};
use super::parameters::{TrainedParameter, trained};
use super::{DataParallel, ReducedGradients, Sized, buckets};
use crate::group::Group;
use crate::reduction::reduce_bytes;
use crate::{CollectiveError, Reduction};
use burn_backend::AutodiffBackend;
use burn_backend::Backend;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_core::module::AutodiffModule;
use burn_ir::{Creation, DataError, TensorData};
use burn_optim::GradientsParams;

const NAME: &str = "DataParallel::reduce_chunks";

/// Gradients of the chunks of this rank for one parameter, until they are summed.
type Chunks = Vec<Option<DynamicTensor>>;

impl DataParallel {
    /// Averages gradients over chunks of the batch in an order that does not depend on the number of ranks:
    /// 1, 2, 4, .. ranks train the same model to the last bit.
    ///
    /// The batch of all ranks is cut into a fixed number of chunks, a power of two, of which each rank has
    /// equally many in a row. Each is given as its gradients and its number of items. They are weighted by
    /// their items and summed in pairs, then pairs of pairs, first on the rank, then across ranks.
    ///
    /// This fixes the sums over chunks. A backward pass over the whole batch at once sums inside of kernels
    /// in another order, so one rank has equal bits where it computes the same chunks; and layers that see
    /// the batch at once, such as a batch norm, see a chunk.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::collective::{CollectiveError, DataParallel, Local};
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    ///
    /// type B = Autodiff<NdArray>;
    /// let device = Default::default();
    /// let model: Linear<B> = LinearConfig::new(1, 1).init(&device);
    /// // The weight's gradient of eight items in four chunks.
    /// let slope = |ranks: usize| {
    ///     Local::run(ranks, |communicator| {
    ///         let own = 4 / ranks;
    ///         let chunks = (0..own).map(|chunk| {
    ///             let first = (communicator.rank() * own + chunk) as f32;
    ///             let x = Tensor::<B, 2>::from_data([[first * 0.7], [first * 0.3]], &device);
    ///             let loss = model.forward(x).square().mean();
    ///             (GradientsParams::from_grads(loss.backward(), &model), 2)
    ///         });
    ///         let chunks = chunks.collect();
    ///         let grads = DataParallel::new(communicator).reduce_chunks(chunks, &model)?.grads;
    ///         let weight = grads.get::<NdArray, 2>(model.weight.id());
    ///         Ok::<_, CollectiveError>(weight.map(|weight| weight.into_scalar().to_bits()))
    ///     })
    /// };
    /// assert_eq!(slope(1)?[0], slope(2)?[1]);
    /// assert_eq!(slope(1)?[0], slope(4)?[3]);
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of ranks, or that of the chunks of a rank, is no power of two, ranks have different
    /// numbers of chunks, and as [`reduce_gradients`](Self::reduce_gradients).
    pub fn reduce_chunks<B: AutodiffBackend, M: AutodiffModule<B>>(
        &self,
        chunks: Vec<(GradientsParams, usize)>,
        module: &M,
    ) -> Result<ReducedGradients, CollectiveError> {
        self.in_fixed_order(chunks, trained::<B, M>(module))
    }

    fn in_fixed_order(
        &self,
        chunks: Vec<(GradientsParams, usize)>,
        parameters: Vec<TrainedParameter>,
    ) -> Result<ReducedGradients, CollectiveError> {
        self.check_chunks(self.communicator.idle_group(), chunks.len())?;
        let items: Vec<usize> = chunks.iter().map(|(_, items)| *items).collect();
        let mut grads: Vec<GradientsParams> = chunks.into_iter().map(|(grads, _)| grads).collect();
        let own: Vec<Chunks> = parameters
            .iter()
            .map(|parameter| grads.iter_mut().map(|grads| grads.take(parameter.id)).collect())
            .collect();
        let left = grads.iter().map(GradientsParams::len).sum();
        let has: Vec<bool> = own.iter().map(|chunks| chunks.iter().any(Option::is_some)).collect();
        let agreed = self.agree(&parameters, &has, left, items.iter().sum(), items.len())?;
        let shares: Vec<f64> = items.iter().map(|items| *items as f64 / agreed.items()).collect();
        let unused = agreed.unused(&parameters);
        let used = parameters.into_iter().zip(own).enumerate();
        let used = used.filter(|(index, _)| agreed.is_used(*index)).map(|(_, used)| used).collect();
        Ok(ReducedGradients { grads: self.sum_in_pairs(used, &shares)?, unused })
    }

    /// Checks that ranks and chunks are powers of two.
    pub(super) fn check_chunks(&self, group: &Group, chunks: usize) -> Result<(), CollectiveError> {
        let ranks = group.world_size();
        let error = if !ranks.is_power_of_two() {
            group.argument(
                NAME,
                "communicator",
                "a number of ranks that is a power of two",
                ranks.to_string(),
            )
        } else if !chunks.is_power_of_two() {
            group.argument(NAME, "chunks", "a number that is a power of two", chunks.to_string())
        } else {
            return Ok(());
        };
        Err(group.refuse(NAME, error))
    }

    fn sum_in_pairs(
        &self,
        used: Vec<(TrainedParameter, Chunks)>,
        shares: &[f64],
    ) -> Result<GradientsParams, CollectiveError> {
        let sizes: Vec<Sized> =
            used.iter().map(|(parameter, chunks)| parameter.sized(chunks.iter().flatten().next())).collect();
        let (mut used, mut grads) = (used.into_iter(), GradientsParams::new());
        for range in buckets(&sizes, self.bucket_bytes) {
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for (parameter, chunks) in used.by_ref().take(range.len()) {
                let sum = sum_of_chunks(NAME, self.communicator.rank(), &parameter, chunks, shares);
                values.push(sum.map_err(|error| self.communicator.idle_group().refuse(NAME, error))?);
                places.push((parameter.id, parameter.device));
            }
            let values = self.communicator.idle_group().all_reduce_list_in_pairs(values)?;
            for ((id, device), value) in places.into_iter().zip(values) {
                grads.insert(id, Dynamic::create(Creation::Data(value), &device));
            }
        }
        Ok(grads)
    }
}

/// Sums the chunks of a rank for one parameter. A chunk without a gradient counts as zero.
fn sum_of_chunks(
    operation: &str,
    rank: usize,
    parameter: &TrainedParameter,
    chunks: Chunks,
    shares: &[f64],
) -> Result<TensorData, CollectiveError> {
    let mut values = Vec::with_capacity(chunks.len());
    for (grad, share) in chunks.into_iter().zip(shares) {
        values.push(grad_data(operation, rank, parameter, grad.map(|grad| scaled(grad, *share)))?);
    }
    let error = |source| CollectiveError::Data { operation: operation.to_string(), rank, source };
    sum_pairs(values).map_err(error)
}

/// Gradients of the chunks of this rank, but for the last, whose backward pass comes next.
#[derive(Debug, Default)]
pub struct EarlierChunks {
    grads: Vec<GradientsParams>,
    /// Numbers of items, that of the last chunk too.
    pub items: Vec<usize>,
}

impl EarlierChunks {
    pub fn push(&mut self, grads: GradientsParams, items: usize) {
        self.grads.push(grads);
        self.items.push(items);
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    /// Returns the sums of these chunks and the last, where all ranks have `total` items.
    pub fn sums(mut self, parameters: &[TrainedParameter], total: f64) -> ChunkSums {
        let chunks = |parameter: &TrainedParameter| -> Chunks {
            self.grads.iter_mut().map(|grads| grads.take(parameter.id)).collect()
        };
        let earlier: Vec<Chunks> = parameters.iter().map(chunks).collect();
        let has = earlier.iter().map(|chunks| chunks.iter().any(Option::is_some)).collect();
        ChunkSums { earlier, has, shares: self.items.iter().map(|items| *items as f64 / total).collect() }
    }
}

/// Sums over the chunks of this rank, by parameter.
#[derive(Debug)]
pub struct ChunkSums {
    earlier: Vec<Chunks>,
    /// Whether an earlier chunk has a gradient of the parameter.
    has: Vec<bool>,
    shares: Vec<f64>,
}

impl ChunkSums {
    /// Sums the chunks for one parameter, once.
    pub fn sum(
        &mut self,
        operation: &str,
        rank: usize,
        parameter: &TrainedParameter,
        (index, last): (usize, Option<DynamicTensor>),
    ) -> Result<TensorData, CollectiveError> {
        let mut chunks = std::mem::take(&mut self.earlier[index]);
        chunks.push(last);
        sum_of_chunks(operation, rank, parameter, chunks, &self.shares)
    }

    /// Marks the parameters that an earlier chunk has a gradient of.
    pub fn mark(&self, has: &mut [bool]) {
        has.iter_mut().zip(&self.has).for_each(|(has, earlier)| *has |= earlier);
    }
}

/// Sums neighbours, then neighbours of the sums, until there is one.
pub fn sum_pairs(mut values: Vec<TensorData>) -> Result<TensorData, DataError> {
    while values.len() > 1 {
        let mut sums = Vec::with_capacity(values.len().div_ceil(2));
        for pair in values.chunks(2) {
            let Some(first) = pair.first() else { continue };
            let mut sum = TensorData::zeroed(first.shape.clone(), first.dtype)?;
            let lists: Vec<&[u8]> = pair.iter().map(TensorData::as_bytes).collect();
            reduce_bytes(Reduction::Sum, first.dtype, &lists, &mut sum);
            sums.push(sum);
        }
        values = sums;
    }
    values.pop().map_or_else(|| TensorData::zeroed([0].into(), burn_ir::DType::F32), Ok)
}

use super::schedule::{Pass, one_forward_one_backward};
use crate::data_layout::even_ranges;
use crate::frame::CallFields;
use crate::tensor_parallel::compute_alone;
use crate::{CollectiveError, Communicator};
use burn_backend::AutodiffBackend;
use burn_core::module::AutodiffModule;
use burn_optim::{GradientsAccumulator, GradientsParams};
use burn_tensor::Tensor;
use core::ops::Range;
use std::collections::VecDeque;

const NAME: &str = "Pipeline";

/// Pipeline parallel training: each rank has some consecutive layers of the model, a stage, and a batch
/// passes the stages in microbatches.
///
/// Stages alternate forward and backward passes (1F1B: Narayanan et al. 2021), by which stage `s` of `p`
/// keeps the activations of `p - s` microbatches at most, however many there are. With `m` microbatches, a
/// stage waits for a share `(p - 1) / (m + p - 1)` of the time. Activations and their gradients go between
/// neighbours only.
///
/// PyTorch: `torch.distributed.pipelining.Schedule1F1B`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::collective::{CollectiveError, Local, Pipeline};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Tensor, activation};
///
/// type B = Autodiff<NdArray>;
/// let losses = Local::run(2, |communicator| {
///     let device = Default::default();
///     let pipeline = Pipeline::new(communicator, 4)?;
///     // One layer on each rank.
///     let layer: Linear<B> = LinearConfig::new(3, 3).init(&device);
///     let output = pipeline.train_step(
///         &layer,
///         &device,
///         // The first stage has no input: it takes the one of the microbatch.
///         |layer, x, microbatch| {
///             let x = x.unwrap_or_else(|| Tensor::<B, 2>::full([2, 3], microbatch as f32, &device));
///             Ok(activation::tanh(layer.forward(x)))
///         },
///         |y, _microbatch| Ok(y.square().mean()),
///     )?;
///     assert_eq!(output.grads.len(), 2);
///     Ok::<_, CollectiveError>(output.loss.is_some())
/// })?;
/// // The last stage has the loss.
/// assert_eq!(losses, [Ok(false), Ok(true)]);
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "Schedule1F1B")]
#[derive(Clone, Debug)]
pub struct Pipeline {
    communicator: Communicator,
    microbatches: usize,
}

/// Result of a step of a stage.
#[derive(Clone, Debug)]
pub struct PipelineOutput<B: AutodiffBackend> {
    /// Gradients of the parameters of this stage: means over the microbatches.
    pub grads: GradientsParams,
    /// Mean of the losses of the microbatches, shape `[1]`, on the last stage.
    pub loss: Option<Tensor<B::InnerBackend, 1>>,
}

/// Microbatch between its forward and its backward pass.
struct Pending<B: AutodiffBackend, const D: usize> {
    input: Option<Tensor<B, D>>,
    output: Output<B, D>,
}

enum Output<B: AutodiffBackend, const D: usize> {
    Activations(Tensor<B, D>),
    Loss(Tensor<B, 1>),
}

impl Pipeline {
    /// Returns a pipeline whose stages are the ranks of `communicator`, with `microbatches` in each step.
    ///
    /// # Errors
    /// When `microbatches` is 0, or another number on some ranks.
    pub fn new(communicator: Communicator, microbatches: usize) -> Result<Self, CollectiveError> {
        const NAME: &str = "Pipeline::new";
        let group = communicator.idle_group();
        let fields = if microbatches == 0 {
            Err(group.argument(NAME, "microbatches", "1 at least", "0"))
        } else {
            Ok(CallFields::new(NAME).with("microbatches", microbatches))
        };
        group.call(NAME, fields, |_call| Ok(()))?;
        Ok(Pipeline { communicator, microbatches })
    }

    /// Returns the communicator, whose ranks are the stages.
    pub fn communicator(&self) -> &Communicator {
        &self.communicator
    }

    /// Returns whether this rank is the first stage, which takes the inputs.
    pub fn is_first(&self) -> bool {
        self.communicator.rank() == 0
    }

    /// Returns whether this rank is the last stage, which computes the loss.
    pub fn is_last(&self) -> bool {
        self.communicator.rank() + 1 == self.communicator.world_size()
    }

    /// Returns the layers of this stage where `count` layers are split evenly.
    ///
    /// # Errors
    /// When there are fewer layers than stages.
    pub fn layers(&self, count: usize) -> Result<Range<usize>, CollectiveError> {
        let stages = self.communicator.world_size();
        if count < stages {
            let group = self.communicator.idle_group();
            let expected = format!("one layer for each of {stages} stages");
            return Err(group.argument("Pipeline::layers", "count", expected, count.to_string()));
        }
        Ok(even_ranges(count, stages).swap_remove(self.communicator.rank()))
    }

    /// Runs the forward and backward passes of all microbatches, and returns the gradients of this stage,
    /// `module`. Called by all stages.
    ///
    /// `forward` computes the activations of this stage from those of the stage before, of the same rank `D`;
    /// on the first stage there are none, and it takes the input of the microbatch by its index. On the last
    /// stage, `loss` computes the loss, shape `[1]`, from the result of `forward`. Microbatches of equal size
    /// make the mean of their losses that of the batch.
    ///
    /// # Errors
    /// Those of `forward` and `loss`, and of [`Communicator::receive`]. A stage that ends in an error ends
    /// the others too.
    pub fn train_step<B: AutodiffBackend, M: AutodiffModule<B>, const D: usize>(
        &self,
        module: &M,
        device: &B::Device,
        forward: impl Fn(&M, Option<Tensor<B, D>>, usize) -> Result<Tensor<B, D>, CollectiveError>,
        loss: impl Fn(Tensor<B, D>, usize) -> Result<Tensor<B, 1>, CollectiveError>,
    ) -> Result<PipelineOutput<B>, CollectiveError> {
        let (stage, stages) = (self.communicator.rank(), self.communicator.world_size());
        let mut pending = VecDeque::new();
        let mut accumulator = GradientsAccumulator::new();
        let mut total: Option<Tensor<B::InnerBackend, 1>> = None;
        for pass in one_forward_one_backward(stage, stages, self.microbatches) {
            match pass {
                Pass::Forward(microbatch) => {
                    let input = self.receive_input(device)?;
                    let y = forward(module, input.clone(), microbatch)?;
                    let output = if self.is_last() {
                        let loss = loss(y, microbatch)? / self.microbatches as f64;
                        let value = loss.clone().inner();
                        total = Some(match total {
                            Some(total) => total + value,
                            None => value,
                        });
                        Output::Loss(loss)
                    } else {
                        self.communicator.send(y.clone().inner(), stage + 1)?;
                        Output::Activations(y)
                    };
                    pending.push_back(Pending { input, output });
                }
                Pass::Backward(_) => {
                    if let Some(pending) = pending.pop_front() {
                        accumulator.accumulate(module, self.backward(module, pending, device)?);
                    }
                }
            }
        }
        Ok(PipelineOutput { grads: accumulator.grads(), loss: total })
    }

    fn receive_input<B: AutodiffBackend, const D: usize>(
        &self,
        device: &B::Device,
    ) -> Result<Option<Tensor<B, D>>, CollectiveError> {
        if self.is_first() {
            return Ok(None);
        }
        let x: Tensor<B::InnerBackend, D> =
            self.communicator.receive(self.communicator.rank() - 1, device)?;
        Ok(Some(Tensor::from_inner(x).require_grad()))
    }

    /// Runs the backward pass of a microbatch, and sends the gradient of its input to the stage before.
    fn backward<B: AutodiffBackend, M: AutodiffModule<B>, const D: usize>(
        &self,
        module: &M,
        pending: Pending<B, D>,
        device: &B::Device,
    ) -> Result<GradientsParams, CollectiveError> {
        let stage = self.communicator.rank();
        let loss = match pending.output {
            Output::Loss(loss) => loss,
            Output::Activations(y) => {
                let grad: Tensor<B::InnerBackend, D> = self.communicator.receive(stage + 1, device)?;
                // The gradient of this sum is that of the loss.
                compute_alone(&self.communicator, NAME, || (y * Tensor::from_inner(grad)).sum())?
            }
        };
        let mut grads = compute_alone(&self.communicator, NAME, || loss.backward())?;
        if let Some(x) = pending.input {
            let grad = x.grad_remove(&mut grads);
            let grad = grad.unwrap_or_else(|| x.inner().zeros_like());
            self.communicator.send(grad, stage - 1)?;
        }
        Ok(GradientsParams::from_grads(grads, module))
    }
}

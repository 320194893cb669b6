use crate::extension::{Backward, Ops, OpsKind};
use crate::rules;
use crate::stop_reason::Ended;
use crate::template::Template;
use crate::{
    Autodiff, AutodiffTensor, CheckpointStrategy, Checkpointer, Gradients, Node, Reason, anomaly, linear_map,
    parts, pause, tape,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::dynamic::{BackendObject, Dynamic, DynamicTensor, object_of};
use burn_backend::*;

impl<B: Backend, C: CheckpointStrategy> Backend for Autodiff<B, C> {
    type Device = B::Device;
    type Tensor = AutodiffTensor<B>;
    type FloatElem = B::FloatElem;
    type IntElem = B::IntElem;

    fn execute(op: Operation<AutodiffTensor<B>>) -> Outputs<AutodiffTensor<B>> {
        #[cfg(feature = "std")]
        if burn_backend::replica::is_active() {
            return on_replica::<B, C>(op);
        }
        let tracks_below = |x: &AutodiffTensor<B>| B::tracks_gradients(&B::device(&x.primitive));
        if rules::is_in_parts(&op, |x| x.node.is_some(), tracks_below) {
            return in_parts::<B, C>(op);
        }
        if burn_backend::anomaly::is_on() {
            return looked_at::<B, C>(op);
        }
        call::<B, C>(op)
    }
    fn run_block(block: Block<AutodiffTensor<B>>) -> Vec<AutodiffTensor<B>> {
        reference::run_block::<Self>(block)
    }
    fn create(creation: Creation, device: &B::Device) -> AutodiffTensor<B> {
        let primitive = match creation {
            Creation::Random { .. } => rng_replay::made(|| B::create(creation, device)),
            Creation::Data(_) | Creation::Full { .. } | Creation::Range { .. } => B::create(creation, device),
        };
        AutodiffTensor::untracked(primitive)
    }
    async fn argwhere(mask: AutodiffTensor<B>, index: DType) -> Result<AutodiffTensor<B>, DataError> {
        B::argwhere(mask.primitive, index).await.map(AutodiffTensor::untracked)
    }
    fn into_data(x: AutodiffTensor<B>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::into_data(x.primitive)
    }
    fn device(x: &AutodiffTensor<B>) -> B::Device {
        B::device(&x.primitive)
    }
    fn to_device(x: AutodiffTensor<B>, device: &B::Device) -> AutodiffTensor<B> {
        let from = B::device(&x.primitive);
        let output = B::to_device(x.primitive, device);
        match ToDevice.prepare::<C>([x.node]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish(from, output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
    fn sync(device: &B::Device) {
        B::sync(device);
    }
    fn seed(seed: u64) {
        B::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn name(device: &B::Device) -> String {
        format!("autodiff<{}>", B::name(device))
    }
    fn has_dtype(device: &B::Device, dtype: DType) -> bool {
        B::has_dtype(device, dtype)
    }
    fn launch_graphs(_device: &B::Device) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &B::Device) -> bool {
        true
    }
    fn set_require_grad(x: AutodiffTensor<B>, require_grad: bool) -> AutodiffTensor<B> {
        match (require_grad, x.node) {
            (true, node) => AutodiffTensor::tracked(x.primitive, Some(node.unwrap_or_else(Node::leaf))),
            (false, Some(_)) => detached(x.primitive),
            (false, None) => AutodiffTensor { node: None, ..x },
        }
    }
    fn is_require_grad(x: &AutodiffTensor<B>) -> bool {
        x.node.as_ref().is_some_and(|node| node.is_leaf())
    }
    fn detach(x: AutodiffTensor<B>) -> AutodiffTensor<B> {
        if x.node.is_some() { detached(x.primitive) } else { x }
    }
    #[cfg(feature = "std")]
    fn checkpoint(
        segment: Segment<AutodiffTensor<B>>,
        inputs: Vec<AutodiffTensor<B>>,
    ) -> Vec<AutodiffTensor<B>> {
        crate::checkpoint_segment::checkpoint(segment, inputs)
    }
    fn linear_map(map: LinearMapRef, x: AutodiffTensor<B>) -> Result<AutodiffTensor<B>, LinearMapError> {
        let spec = x.spec().clone();
        let primitive = B::linear_map(map.clone(), x.primitive)?;
        let node = linear_map::record(map, x.node, spec, pause::inside::<B>());
        Ok(AutodiffTensor { primitive, node, ended: x.ended })
    }
    #[cfg(not(feature = "std"))]
    fn checkpoint(
        segment: Segment<AutodiffTensor<B>>,
        inputs: Vec<AutodiffTensor<B>>,
    ) -> Vec<AutodiffTensor<B>> {
        segment(inputs)
    }
}

/// Detaches a tensor; requesting its gradients later gives an error that names `detach`.
fn detached<B: Backend>(primitive: B::Tensor) -> AutodiffTensor<B> {
    AutodiffTensor { primitive, node: None, ended: Ended::at("detach", Reason::Detached) }
}

#[track_caller]
fn call<B: Backend, C: CheckpointStrategy>(op: Operation<AutodiffTensor<B>>) -> Outputs<AutodiffTensor<B>> {
    let trace = tape::Trace::start::<B, C>(&op);
    // Operands that the rule does not save were not cloned, so they can still be written in place.
    let outputs = B::execute(op.map(|x| x.primitive));
    let (mut node, ended) = trace.finish::<B>(&outputs);
    // Only the first of several results is differentiable.
    outputs.map(|primitive| AutodiffTensor { primitive, node: node.take(), ended: ended.clone() })
}

/// Records a call as the operations that it is made of. These are recorded without the backend's type, so
/// that programs do not compile the code: nodes have no type either.
#[cold]
#[inline(never)]
#[track_caller]
fn in_parts<B: Backend, C: CheckpointStrategy>(
    op: Operation<AutodiffTensor<B>>,
) -> Outputs<AutodiffTensor<B>> {
    without_type::<B>(op, &mut |template, operands| {
        parts::record(template, operands, pause::inside::<B>(), C::RECOMPUTE_MEMORY_BOUND)
    })
}

/// Executes a call of a thread that trains a replica.
#[cfg(feature = "std")]
#[cold]
#[inline(never)]
#[track_caller]
fn on_replica<B: Backend, C: CheckpointStrategy>(
    op: Operation<AutodiffTensor<B>>,
) -> Outputs<AutodiffTensor<B>> {
    without_type::<B>(op, &mut |template, operands| {
        crate::replica::execute(template, operands, C::RECOMPUTE_MEMORY_BOUND)
    })
}

/// Passes a call without the backend's type to `execute`.
#[inline(never)]
#[track_caller]
fn without_type<B: Backend>(
    op: Operation<AutodiffTensor<B>>,
    execute: &mut dyn FnMut(Template, Vec<AutodiffTensor<Dynamic>>) -> Outputs<AutodiffTensor<Dynamic>>,
) -> Outputs<AutodiffTensor<B>> {
    let (template, operands) = untyped::<B>(&op);
    drop(op);
    let outputs = execute(template, operands);
    outputs.map(|x| AutodiffTensor { primitive: x.primitive.into_inner::<B>(), node: x.node, ended: x.ended })
}

/// Returns a call without its operands, and clones of these without the backend's type.
#[inline(never)]
fn untyped<B: Backend>(op: &Operation<AutodiffTensor<B>>) -> (Template, Vec<AutodiffTensor<Dynamic>>) {
    let (template, operands) = Template::new(op);
    let operands = operands.into_iter().map(|x| AutodiffTensor {
        primitive: DynamicTensor::new::<B>(x.primitive.clone()),
        node: x.node.clone(),
        ended: x.ended.clone(),
    });
    (template, operands.collect())
}

/// Executes a call whose results are checked for anomalies; its operands are kept until then.
#[cold]
#[inline(never)]
#[track_caller]
fn looked_at<B: Backend, C: CheckpointStrategy>(
    op: Operation<AutodiffTensor<B>>,
) -> Outputs<AutodiffTensor<B>> {
    let (template, operands) = untyped::<B>(&op);
    let results = call::<B, C>(op);
    let values = results.map_ref(|x| DynamicTensor::new::<B>(x.primitive.clone()));
    anomaly::check_results(template.operation(), &operands, &values, &results.first().node);
    results
}

impl<B: Backend, C: CheckpointStrategy> AutodiffBackend for Autodiff<B, C> {
    type InnerBackend = B;
    type Gradients = Gradients;

    fn backward(x: AutodiffTensor<B>) -> Result<Gradients, BackwardError> {
        match (x.node, x.ended) {
            (Some(node), _) => tape::backward(node, DynamicTensor::new::<B>(x.primitive)),
            (None, Some(ended)) => Err(ended.error()),
            (None, None) => Err(BackwardError::NotTracked),
        }
    }
    fn grad(x: &AutodiffTensor<B>, gradients: &Gradients) -> Option<B::Tensor> {
        gradients.get::<B>(x.node.as_ref()?.id)
    }
    fn grad_remove(x: &AutodiffTensor<B>, gradients: &mut Gradients) -> Option<B::Tensor> {
        gradients.take::<B>(x.node.as_ref()?.id)
    }
    fn grad_replace(x: &AutodiffTensor<B>, gradients: &mut Gradients, gradient: B::Tensor) {
        if let Some(node) = &x.node {
            gradients.take::<B>(node.id);
            gradients.register::<B>(node.id, gradient);
        }
    }
    fn leaf_id(x: &AutodiffTensor<B>) -> Option<LeafId> {
        x.node.as_ref().filter(|node| node.is_leaf()).map(|node| node.id.leaf())
    }
    fn inner(x: AutodiffTensor<B>) -> B::Tensor {
        x.primitive
    }
    fn from_inner(x: B::Tensor) -> AutodiffTensor<B> {
        AutodiffTensor::untracked(x)
    }
}

/// The gradient goes back to the device that the value came from.
#[derive(Debug)]
struct ToDevice;

impl<B: Backend> Backward<B, 1> for ToDevice {
    type State = B::Device;

    fn backward(self, ops: Ops<B::Device, 1>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let grad = grads.consume::<B>(&ops.node);
        if let [Some(parent)] = ops.parents {
            grads.register::<B>(parent.id, B::to_device(grad, &ops.state));
        }
    }
}

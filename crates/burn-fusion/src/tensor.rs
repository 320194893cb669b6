use crate::queue::Queue;
use crate::slot::Slot;
use crate::step::{Inner, QueuedStep, QueuedWork};
use burn_backend::dynamic::{BackendObject, Dynamic, DynamicTensor};
use burn_backend::*;
use std::panic::Location;
use std::sync::Arc;

/// Tensor that may not be computed yet. One type for all backends: the queue knows the backend.
#[derive(Clone, Debug)]
pub struct FusionTensor {
    pub(crate) slot: Arc<Slot>,
    pub(crate) queue: Arc<Queue>,
}

impl HasSpec for FusionTensor {
    fn spec(&self) -> &TensorSpec {
        self.slot.spec()
    }
}

impl FusionTensor {
    pub(crate) fn ready(inner: Inner, value: DynamicTensor) -> Self {
        let queue = Queue::current(inner, &inner.device(&value));
        FusionTensor { slot: Slot::ready(value), queue }
    }

    pub(crate) fn resolve(self) -> DynamicTensor {
        if !self.slot.is_ready() {
            self.queue.flush();
        }
        self.slot.take()
    }
}

/// Queue to add a call to: the queue in which operands wait, or that of this thread. Other queues run first.
#[derive(Default)]
struct Choice<'a> {
    waiting: Option<&'a Arc<Queue>>,
    any: Option<&'a Arc<Queue>>,
}

impl<'a> Choice<'a> {
    fn consider(&mut self, x: &'a FusionTensor) {
        self.any = Some(&x.queue);
        if x.slot.is_ready() {
            return;
        }
        match self.waiting {
            None => self.waiting = Some(&x.queue),
            Some(queue) if Arc::ptr_eq(queue, &x.queue) => {}
            Some(_) => x.queue.flush(),
        }
    }

    fn queue(self) -> Arc<Queue> {
        match self.waiting {
            Some(queue) => queue.clone(),
            None => self.any.expect("an operation has an operand").own(),
        }
    }
}

/// Queues a call. Composites without a kernel were decomposed before.
#[inline(never)]
#[track_caller]
pub fn enqueue(op: Operation<FusionTensor>) -> Outputs<FusionTensor> {
    let specs = output_specs(&op).unwrap_or_else(|error| panic!("{error}"));
    // A reshape to the same shape is no call, so that products stay next to the steps of their blocks.
    if let (Some(x), Outputs::One(spec)) = (op.as_reshape(), &specs)
        && x.spec().shape == spec.shape
    {
        return Outputs::One(x.clone());
    }
    let mut choice = Choice::default();
    op.visit(|x| choice.consider(x));
    let queue = choice.queue();
    // The caller here may be an operation of the tensor that is made of others.
    let at = kernel_error::caller().unwrap_or(Location::caller());
    push(QueuedWork::Call(op.map(|x| x.slot), at), specs, queue)
}

/// Queues a call on tensors of the backend `own`, whose name is `name`. Not generic, so that programs do not
/// compile how operations are mapped.
#[track_caller]
pub fn enqueue_dynamic(
    op: Operation<DynamicTensor>,
    has_kernel: fn(Composite) -> bool,
    own: &'static dyn BackendObject,
    name: &'static str,
) -> Outputs<DynamicTensor> {
    match reference::decompose_normalization::<Dynamic>(op, has_kernel) {
        Ok(results) => results,
        Err(op) => {
            let results = enqueue(op.map(|x| x.into_tensor::<FusionTensor>(name)));
            results.map(|x| DynamicTensor::of(own, x))
        }
    }
}

/// Queues the steps of a block, which will perhaps be another one.
pub fn run_block(block: Block<FusionTensor>) -> Vec<FusionTensor> {
    let Block { head, inputs, steps, outputs, .. } = block;
    let mut values = inputs;
    let head = head.into_iter().flat_map(|head| head.operations(|rows| run_block(rows.into()).remove(0)));
    values.extend(head.map(|op| enqueue(op).one()));
    for step in steps {
        let result = enqueue(step.map(|register| values[usize::from(register)].clone()).into()).one();
        values.push(result);
    }
    outputs.into_iter().map(|output| values[usize::from(output)].clone()).collect()
}

/// As [`run_block`], as [`enqueue_dynamic`].
pub fn run_block_dynamic(
    block: Block<DynamicTensor>,
    own: &'static dyn BackendObject,
    name: &'static str,
) -> Vec<DynamicTensor> {
    let results = run_block(block.map_inputs(|x| x.into_tensor::<FusionTensor>(name)));
    results.into_iter().map(|x| DynamicTensor::of(own, x)).collect()
}

pub fn enqueue_custom(
    inputs: Vec<FusionTensor>,
    outputs: Outputs<TensorSpec>,
    run: impl FnOnce(Vec<DynamicTensor>) -> Outputs<DynamicTensor> + Send + 'static,
) -> Outputs<FusionTensor> {
    let mut choice = Choice::default();
    inputs.iter().for_each(|x| choice.consider(x));
    let queue = choice.queue();
    let slots = inputs.into_iter().map(|x| x.slot).collect();
    push(QueuedWork::Custom(slots, Box::new(run)), outputs, queue)
}

fn push(work: QueuedWork, specs: Outputs<TensorSpec>, queue: Arc<Queue>) -> Outputs<FusionTensor> {
    let slots = specs.map(Slot::pending);
    queue.push(QueuedStep { work, outputs: slots.map_ref(Arc::downgrade) });
    slots.map(|slot| FusionTensor { slot, queue: queue.clone() })
}

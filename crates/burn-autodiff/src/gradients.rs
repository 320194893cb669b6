use crate::NodeId;
use crate::products::{self, Products};
use crate::watch::Watch;
use alloc::boxed::Box;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, HasSpec, Shape, ops};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// Gradients by node. Not generic, so that user code can name it; moves between threads.
#[derive(Debug, Default)]
pub struct Gradients {
    values: HashMap<NodeId, DynamicTensor>,
    /// Gradients that are still products, to be added to the values.
    products: HashMap<NodeId, Products>,
    /// The step that registers gradients now, while anomaly detection is on.
    watch: Option<Box<Watch>>,
}

impl Gradients {
    /// Adds `gradient` to the gradient of `node`.
    pub fn register<B: Backend>(&mut self, node: NodeId, gradient: B::Tensor) {
        self.add(node, DynamicTensor::new::<B>(gradient));
    }

    pub(crate) fn take<B: Backend>(&mut self, node: NodeId) -> Option<B::Tensor> {
        self.remove(node).map(DynamicTensor::into_inner::<B>)
    }

    pub(crate) fn get<B: Backend>(&self, node: NodeId) -> Option<B::Tensor> {
        self.peek(node).cloned().map(DynamicTensor::into_inner::<B>)
    }

    pub(crate) fn add(&mut self, node: NodeId, gradient: DynamicTensor) {
        if let Some(watch) = &self.watch {
            watch.check(&gradient);
        }
        match self.values.entry(node) {
            Entry::Vacant(place) => {
                place.insert(gradient);
            }
            // The sum so far is moved out, so that it is written in place.
            Entry::Occupied(place) => {
                let sum = place.remove();
                self.values.insert(node, ops::add::<Dynamic>(sum, gradient));
            }
        }
    }

    /// Adds `lhs^T grad` to what `node` has, perhaps later.
    pub(crate) fn add_product(&mut self, node: NodeId, lhs: DynamicTensor, grad: DynamicTensor) {
        // Anomaly detection checks each gradient separately.
        if self.watch.is_none() && self.has(node) && products::may_wait(&lhs, &grad) {
            if self.products.entry(node).or_default().push(lhs, grad) {
                self.settle(node);
            }
        } else {
            self.add(node, Dynamic::matmul(ops::transpose::<Dynamic>(lhs), grad));
        }
    }

    fn settle(&mut self, node: NodeId) {
        if let Some(products) = self.products.remove(&node) {
            self.add(node, products.sum());
        }
    }

    /// Adds everything that waits.
    pub(crate) fn settle_all(&mut self) {
        for (node, products) in core::mem::take(&mut self.products) {
            self.add(node, products.sum());
        }
    }

    pub(crate) fn pass_on(&mut self, node: NodeId) -> DynamicTensor {
        self.remove(node).expect("the tape runs a node after it received its gradient")
    }

    pub(crate) fn remove(&mut self, node: NodeId) -> Option<DynamicTensor> {
        self.settle(node);
        self.values.remove(&node)
    }

    /// Returns a gradient that nothing more is added to.
    #[cfg(feature = "std")]
    pub(crate) fn complete(&mut self, node: NodeId) -> Option<DynamicTensor> {
        self.settle(node);
        self.values.get(&node).cloned()
    }

    pub(crate) fn peek(&self, node: NodeId) -> Option<&DynamicTensor> {
        self.values.get(&node)
    }

    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.values.contains_key(&node)
    }

    pub(crate) fn watch(&mut self, watch: Option<Box<Watch>>) {
        self.watch = watch;
    }
}

/// Sums over the broadcast dimensions, so that the gradient has the shape of the operand.
pub fn broadcast_shape<B: Backend>(gradient: B::Tensor, shape: &Shape) -> B::Tensor {
    if gradient.spec().shape == *shape { gradient } else { ops::sum_to::<B>(gradient, shape) }
}

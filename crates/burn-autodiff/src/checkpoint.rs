use crate::NodeId;
use alloc::sync::Arc;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, Operation};
use core::fmt::Debug;
use hashbrown::HashMap;

/// Checkpointing strategy: whether results that are cheap to compute are kept for the backward pass or
/// recomputed.
pub trait CheckpointStrategy: Clone + Debug + Default + Send + Sync + 'static {
    const RECOMPUTE_MEMORY_BOUND: bool;
}

/// Strategy that keeps every value.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCheckpointing;

/// Strategy that keeps results of compute-bound operations, and recomputes memory-bound ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct BalancedCheckpointing;

impl CheckpointStrategy for NoCheckpointing {
    const RECOMPUTE_MEMORY_BOUND: bool = false;
}
impl CheckpointStrategy for BalancedCheckpointing {
    const RECOMPUTE_MEMORY_BOUND: bool = true;
}

/// Tensor saved for the backward pass: the value itself, or a recipe that recomputes it.
#[derive(Clone, Debug)]
pub enum SavedTensor {
    Value(DynamicTensor),
    Recompute(Arc<Recipe>),
}

/// Recipe of a value: the operation that computed it. Replay is [`Backend::execute`]; no operation needs code
/// for it.
#[derive(Debug)]
pub struct Recipe {
    pub op: Operation<SavedTensor>,
    /// Recipes in the longest chain from here down.
    depth: usize,
}

/// Recipes that may hang on each other: replay and drop go down the chain by recursion.
const MAX_DEPTH: usize = 16;

impl Recipe {
    /// Creates a recipe; `None` where the chain of recipes has reached its limit, and this value must be
    /// kept.
    pub fn new(op: Operation<SavedTensor>) -> Option<Self> {
        let mut below = 0;
        op.visit(|source| {
            below = below.max(match source {
                SavedTensor::Value(_) => 0,
                SavedTensor::Recompute(recipe) => recipe.depth,
            });
        });
        (below < MAX_DEPTH).then_some(Recipe { op, depth: below + 1 })
    }
}

/// Values that the backward pass requested.
#[derive(Debug, Default)]
pub struct Checkpointer {
    named: HashMap<NodeId, DynamicTensor>,
    /// Recomputed values by the address of their recipe, which is kept alive beside the value.
    replayed: HashMap<usize, (DynamicTensor, Arc<Recipe>)>,
}

impl Checkpointer {
    pub(crate) fn resolve(&mut self, source: SavedTensor) -> DynamicTensor {
        let recipe = match source {
            SavedTensor::Value(value) => return value,
            SavedTensor::Recompute(recipe) => recipe,
        };
        let key = Arc::as_ptr(&recipe) as usize;
        if let Some((value, _)) = self.replayed.get(&key) {
            return value.clone();
        }
        let op = recipe.op.clone().map(|source| self.resolve(source));
        let value = Dynamic::execute(op).one();
        self.replayed.insert(key, (value.clone(), recipe));
        value
    }

    pub(crate) fn insert(&mut self, id: NodeId, source: SavedTensor) {
        let value = self.resolve(source);
        self.named.insert(id, value);
    }

    /// Returns the value that a custom operation checkpointed under `id`.
    pub fn retrieve_node_output<T: Clone + Send + 'static>(&mut self, id: NodeId) -> T {
        let value = self.named.get(&id).expect("the id comes from `checkpoint`");
        value.downcast_ref::<T>().expect("the type that was checkpointed").clone()
    }
}

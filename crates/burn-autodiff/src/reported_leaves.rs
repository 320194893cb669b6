//! Leaves whose gradients the hook of the thread gets when they are complete.

use crate::node::BackwardStep;
use crate::{Gradients, Node, NodeId};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::gradient_hook::{self, GradientHook};
use hashbrown::{HashMap, HashSet};

/// Counts how many steps still pass a gradient to each leaf. A leaf has the smallest ids, so the order of the
/// walk alone would reach all leaves at its end.
#[derive(Debug)]
pub struct ReportedLeaves {
    hook: GradientHook,
    left: HashMap<NodeId, usize>,
    /// Nodes whose parents are counted.
    counted: HashSet<NodeId>,
}

impl ReportedLeaves {
    /// Returns the leaves of the thread's hook, if it has one.
    pub fn of_thread() -> Option<Self> {
        let hook = gradient_hook::current()?;
        Some(ReportedLeaves { hook, left: HashMap::new(), counted: HashSet::new() })
    }

    fn is_reported(&self, node: NodeId) -> bool {
        self.hook.wants(node.leaf())
    }

    /// Counts the steps that `node` depends on, but for those counted before.
    pub fn count(&mut self, node: &Arc<Node>) {
        let mut pending = vec![node.clone()];
        while let Some(node) = pending.pop() {
            if self.is_reported(node.id) || !self.counted.insert(node.id) {
                continue;
            }
            node.step().parents(&mut |parent| {
                if self.hook.wants(parent.id.leaf()) {
                    *self.left.entry(parent.id).or_default() += 1;
                } else if !self.counted.contains(&parent.id) {
                    pending.push(parent.clone());
                }
            });
        }
    }

    /// Returns the leaves that `step` passes a gradient to, before it runs.
    pub fn passed_by(leaves: Option<&Self>, step: &dyn BackwardStep) -> Vec<NodeId> {
        let mut passed = Vec::new();
        if let Some(leaves) = leaves {
            step.parents(&mut |parent| {
                if leaves.is_reported(parent.id) {
                    passed.push(parent.id);
                }
            });
        }
        passed
    }

    /// Takes note that a step ran, and gives the hook the gradients that are complete by that.
    pub fn pass(&mut self, passed: &[NodeId], gradients: &mut Gradients) {
        for leaf in passed {
            let Some(left) = self.left.get_mut(leaf) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.left.remove(leaf);
                let gradient =
                    if self.hook.takes() { gradients.remove(*leaf) } else { gradients.complete(*leaf) };
                if let Some(gradient) = gradient {
                    self.hook.ready(leaf.leaf(), gradient);
                }
            }
        }
    }
}

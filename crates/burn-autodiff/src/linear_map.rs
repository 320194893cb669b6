//! Linear maps that are no operations: the gradient goes through the transposed map.

use crate::checkpoint::SavedTensor;
use crate::node::{BackwardPass, BackwardStep, Stage};
use crate::{Node, NodeId, NodeRef, pause};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{format, string::ToString};
use burn_backend::dynamic::Dynamic;
use burn_backend::{Backend, BackwardError, HasSpec, LinearMapRef, TensorSpec};

/// Returns the node of the result of `map` for an operand with `parent` and `spec`; `inside` represents
/// results while calls are not recorded.
pub fn record(map: LinearMapRef, parent: NodeRef, spec: TensorSpec, inside: NodeRef) -> NodeRef {
    let parent = Some(parent?);
    if let Some(inside) = &inside {
        pause::capture(inside, &parent);
        return Some(inside.clone());
    }
    Some(Node::result(MapStep { call: Some(LinearMapCall { map, parent: parent?, spec }) }, None))
}

struct LinearMapCall {
    map: LinearMapRef,
    parent: Arc<Node>,
    spec: TensorSpec,
}

struct MapStep {
    call: Option<LinearMapCall>,
}

impl BackwardStep for MapStep {
    fn stage(&self) -> Stage {
        Stage::of(self.call.is_some())
    }

    fn parents(&self, visit: &mut dyn FnMut(&Arc<Node>)) {
        self.call.iter().map(|call| &call.parent).for_each(visit);
    }

    fn run(&mut self, id: NodeId, pass: &mut BackwardPass) -> Result<(), BackwardError> {
        let LinearMapCall { map, parent, spec } = self.call.take().ok_or(BackwardError::Consumed)?;
        let gradient = pass.gradients.pass_on(id);
        let gradient = <Dynamic as Backend>::linear_map(map.transpose(), gradient)
            .map_err(|error| BackwardError::LinearMap(error.to_string()))?;
        if *gradient.spec() != spec {
            let (expected, got) = (&spec, gradient.spec());
            return Err(BackwardError::LinearMap(format!(
                "the transpose of {map:?} has a wrong result; expected shape {:?} of {}, got {:?} of {}",
                expected.shape, expected.dtype, got.shape, got.dtype
            )));
        }
        pass.gradients.add(parent.id, gradient);
        Ok(())
    }

    fn unlink(&mut self, parents: &mut Vec<Arc<Node>>) {
        parents.extend(self.call.take().map(|call| call.parent));
    }

    fn describe(&self) -> (String, Vec<SavedTensor>) {
        let map = self.call.as_ref().map(|call| format!("{:?}", call.map));
        (map.unwrap_or_default(), Vec::new())
    }
}

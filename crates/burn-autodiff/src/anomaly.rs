//! Anomaly detection: checks results and gradients while [`burn_backend::anomaly`] is on.

use crate::checkpoint::SavedTensor;
use crate::node::{BackwardPass, BackwardStep, Stage};
use crate::origin::Origin;
use crate::watch::{Watch, first_anomaly};
use crate::{AutodiffTensor, Node, NodeRef};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{HasSpec, Operation, Outputs, Scalar, TensorSpec};

/// Formats operands as `[2, 3] f32, [3] f32`.
pub fn specs(specs: &[&TensorSpec]) -> String {
    let words: Vec<String> = specs.iter().map(|spec| format!("{:?} {}", spec.shape, spec.dtype)).collect();
    words.join(", ")
}

/// Panics when a call made a NaN or an infinity of finite operands.
#[cold]
#[inline(never)]
pub fn check_results(
    op: &Operation<usize>,
    operands: &[AutodiffTensor<Dynamic>],
    results: &Outputs<DynamicTensor>,
    node: &NodeRef,
) {
    let mut found = None;
    results.visit(|result| found = found.take().or_else(|| first_anomaly(result)));
    let Some(what) = found else { return };
    if has_infinite_number(op) || operands.iter().any(|operand| first_anomaly(&operand.primitive).is_some()) {
        return;
    }
    let operands: Vec<_> = operands.iter().map(|operand| operand.primitive.spec()).collect();
    let place = match node {
        Some(node) => format!("node {} of the tape", node.id),
        None => "not tracked".to_string(),
    };
    let (name, operands, origin) = (op.name(), specs(&operands), Origin::now());
    panic!("anomaly: `{name}` of {operands} made {what} of finite operands ({place}), called at {origin}");
}

/// Whether one of the numbers beside the operands is not finite.
fn has_infinite_number(op: &Operation<usize>) -> bool {
    let infinite = |number: Scalar| !number.to_f64().is_finite();
    op.as_elementwise().is_some_and(|op| op.scalars().any(infinite))
}

/// Returns a watch on a step, or `None` where its gradient or saved values are already not finite.
#[cold]
#[inline(never)]
pub fn watch(node: &Node, step: &dyn BackwardStep, pass: &mut BackwardPass) -> Option<Box<Watch>> {
    if step.stage() != Stage::Result {
        return None;
    }
    let (call, saved) = step.describe();
    let grad = pass.gradients.peek(node.id)?;
    let is_odd = |x: &DynamicTensor| first_anomaly(x).is_some();
    if is_odd(grad) || saved.into_iter().any(|source: SavedTensor| is_odd(&pass.checkpointer.resolve(source)))
    {
        return None;
    }
    let place = match node.observed.as_ref().and_then(|observed| observed.origin.as_ref()) {
        Some(origin) => format!("node {} of the tape, called at {origin}", node.id),
        None => {
            format!("node {} of the tape; detect anomalies in the forward pass too to see the line", node.id)
        }
    };
    Some(Box::new(Watch::new(call, place)))
}

//! Softmax, which looks at a whole dimension.

use super::lowering::Lowering;
use crate::export::graph_writer::int;
use burn_capture::Value;

pub(super) fn softmax(to: &mut Lowering<'_>, operator: &str, x: Value, dim: usize) -> String {
    let name = to.name(x);
    to.op_with(operator, &[&name], vec![int("axis", dim as i64)])
}

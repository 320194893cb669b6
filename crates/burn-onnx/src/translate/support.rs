use crate::error::{OnnxError, UnsupportedOperator};
use crate::graph::{Model, NodeDefinition, Opsets};
use crate::operators::find;
use std::collections::BTreeMap;

/// Looks for operators of the model that are not supported.
///
/// # Errors
/// Names all of them, each with its nodes.
pub fn check_support(model: &Model) -> Result<(), OnnxError> {
    let mut missing: BTreeMap<(String, i64), Vec<String>> = BTreeMap::new();
    look(&model.graph.nodes, &model.opsets, model, &mut missing);
    for function in model.functions.values() {
        look(&function.nodes, &function.opsets, model, &mut missing);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let operators = missing.into_iter();
    let operators =
        operators.map(|((operator, opset), nodes)| UnsupportedOperator { operator, opset, nodes });
    Err(OnnxError::Unsupported(operators.collect()))
}

fn look(
    nodes: &[NodeDefinition],
    opsets: &Opsets,
    model: &Model,
    missing: &mut BTreeMap<(String, i64), Vec<String>>,
) {
    for node in nodes {
        let opset = opsets.get(&node.domain).copied().unwrap_or(1);
        let is_function = model.functions.contains_key(&(node.domain.clone(), node.operator.clone()));
        if !is_function && find(&node.domain, &node.operator, opset).is_none() {
            missing.entry((node.qualified_operator(), opset)).or_default().push(node.name.clone());
        }
        for graph in node.graphs() {
            look(&graph.nodes, opsets, model, missing);
        }
    }
}

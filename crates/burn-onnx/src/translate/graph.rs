use super::{Node, Scope};
use crate::builder::Builder;
use crate::error::{OnnxError, Outcome, Reason, UnsupportedOperator};
use crate::graph::{Attribute, FunctionDefinition, GraphDefinition, NodeDefinition};
use crate::operators::find;
use crate::value::{Expr, OnnxValue};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Translates the nodes of a graph, whose inputs are in the scope, and returns its outputs.
///
/// # Errors
/// Names the node that cannot be translated.
pub fn translate_graph(
    graph: &GraphDefinition,
    scope: &mut Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<OnnxValue>, OnnxError> {
    for constant in &graph.initializers {
        // An input of the same name has the constant as its default.
        if !scope.values.contains_key(&constant.name) {
            scope.set(&constant.name, OnnxValue::Constant(constant.clone()));
        }
    }
    let outputs: Vec<&str> = graph.outputs.iter().map(|output| &output.name[..]).collect();
    translate_nodes(&graph.nodes, &outputs, scope, b)
}

fn translate_nodes(
    nodes: &[NodeDefinition],
    outputs: &[&str],
    scope: &mut Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<OnnxValue>, OnnxError> {
    let most = scope.model.limits.depth;
    if scope.depth > most {
        return Err(OnnxError::Malformed {
            model: scope.model.origin.clone(),
            reason: format!("graphs and functions are nested too deep; expected at most {most} levels"),
        });
    }
    let last_uses = last_uses(nodes, outputs);
    for (place, node) in nodes.iter().enumerate() {
        let values = translate_node(node, scope, b)?;
        for (name, value) in node.outputs.iter().zip(values) {
            if !name.is_empty() {
                if let OnnxValue::Tensor(tensor) = &value {
                    b.name(tensor, name);
                }
                if let Some(charge) = b
                    .budget
                    .charge(&node.operator, value.host_bytes())
                    .map_err(|reason| failed(node, reason))?
                {
                    scope.charges.insert(name.clone(), charge);
                }
                scope.set(name, value);
            }
        }
        // A tensor that no later node needs is given back, and its memory with it.
        for name in last_uses.get(&place).into_iter().flatten() {
            scope.remove(name);
        }
    }
    outputs
        .iter()
        .map(|&name| match scope.get(name) {
            Some(value) => Ok(value.clone()),
            None => Err(OnnxError::Malformed {
                model: scope.model.origin.clone(),
                reason: format!("no node gives the output `{name}`"),
            }),
        })
        .collect()
}

/// Names by the place of the last node that needs them.
fn last_uses<'a>(nodes: &'a [NodeDefinition], outputs: &[&str]) -> HashMap<usize, Vec<&'a str>> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (place, node) in nodes.iter().enumerate() {
        for name in node.inputs.iter().chain(&node.outputs) {
            last.insert(name, place);
        }
        for graph in node.graphs() {
            mark(graph, place, &mut last);
        }
    }
    let outputs: HashSet<&str> = outputs.iter().copied().collect();
    let mut uses: HashMap<usize, Vec<&str>> = HashMap::new();
    for (name, place) in last {
        if !outputs.contains(name) {
            uses.entry(place).or_default().push(name);
        }
    }
    uses
}

fn mark<'a>(graph: &'a GraphDefinition, place: usize, last: &mut HashMap<&'a str, usize>) {
    for node in &graph.nodes {
        for name in &node.inputs {
            last.insert(name, place);
        }
        node.graphs().for_each(|graph| mark(graph, place, last));
    }
    for output in &graph.outputs {
        last.insert(&output.name, place);
    }
}

fn translate_node(
    node: &NodeDefinition,
    scope: &Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<OnnxValue>, OnnxError> {
    let failed = |reason| failed(node, reason);
    let is_running = b.is_executing();
    b.budget.go_on().and_then(|()| b.budget.node(is_running)).map_err(failed)?;
    let opset = scope.opsets.get(&node.domain).copied().unwrap_or(1);
    let attributes = resolved(node, scope);
    let inputs = inputs(node, scope).map_err(failed)?;
    let key = (node.domain.clone(), node.operator.clone());
    if let Some(function) = scope.model.functions.get(&key) {
        return translate_function(function, &attributes, inputs, scope, b);
    }
    let Some(operator) = find(&node.domain, &node.operator, opset) else {
        return Err(OnnxError::Unsupported(vec![UnsupportedOperator {
            operator: node.qualified_operator(),
            opset,
            nodes: vec![node.name.clone()],
        }]));
    };
    let node = Node { definition: node, opset, inputs, scope, attributes: &attributes };
    let values = (operator.translate)(&node, b).map_err(failed)?;
    if values.iter().all(is_small) {
        return Ok(values);
    }
    Err(failed("the expressions of its sizes are too large; expected fewer sizes that are not known".into()))
}

fn failed(node: &NodeDefinition, reason: Reason) -> OnnxError {
    OnnxError::Node { node: node.name.clone(), operator: node.qualified_operator(), reason: reason.0 }
}

/// Whether the numbers of a value of the host are small expressions.
fn is_small(value: &OnnxValue) -> bool {
    match value {
        OnnxValue::Host(host) => host.elements.iter().all(Expr::is_small),
        OnnxValue::Tensor(_) | OnnxValue::Constant(_) | OnnxValue::Sequence(_) | OnnxValue::Optional(_) => {
            true
        }
    }
}

/// Attributes, those of the function that the node is in among them.
fn resolved(node: &NodeDefinition, scope: &Scope<'_>) -> BTreeMap<String, Attribute> {
    let entries = node.attributes.iter().filter_map(|(name, attribute)| match attribute {
        Attribute::Reference(outer) => Some((name.clone(), scope.attributes.get(outer)?.clone())),
        other => Some((name.clone(), other.clone())),
    });
    entries.collect()
}

fn inputs(node: &NodeDefinition, scope: &Scope<'_>) -> Outcome<Vec<Option<OnnxValue>>> {
    node.inputs
        .iter()
        .map(|name| match scope.get(name) {
            _ if name.is_empty() => Ok(None),
            Some(value) => Ok(Some(value.clone())),
            None => Err(Reason(format!("no earlier node gives its input `{name}`: the model is incomplete"))),
        })
        .collect()
}

fn translate_function(
    function: &FunctionDefinition,
    attributes: &BTreeMap<String, Attribute>,
    inputs: Vec<Option<OnnxValue>>,
    scope: &Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<OnnxValue>, OnnxError> {
    let mut given = function.defaults.clone();
    given.extend(attributes.iter().map(|(name, attribute)| (name.clone(), attribute.clone())));
    let mut inner = scope.of_function(function, &given);
    for (name, value) in function.inputs.iter().zip(inputs) {
        if let Some(value) = value {
            inner.set(name, value);
        }
    }
    let outputs: Vec<&str> = function.outputs.iter().map(|name| &name[..]).collect();
    translate_nodes(&function.nodes, &outputs, &mut inner, b)
}

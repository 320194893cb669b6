use super::Node;
use crate::budget::Charge;
use crate::builder::Builder;
use crate::error::{OnnxError, Outcome, Reason, UnsupportedOperator};
use crate::graph::{Attribute, FunctionDefinition, GraphDefinition, Model, NodeDefinition, Opsets};
use crate::operators::find;
use crate::value::{Expr, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Names of values that nodes see: those of a graph, and those of the graphs around it.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The model.
    pub model: &'a Model,
    /// Imported operator sets: those of the model, or of the function that the nodes are in.
    pub opsets: &'a Opsets,
    values: HashMap<String, Value>,
    /// Bytes of the values on the host.
    charges: HashMap<String, Arc<Charge>>,
    outer: Option<&'a Scope<'a>>,
    attributes: &'a BTreeMap<String, Attribute>,
    depth: usize,
}

static NO_ATTRIBUTES: BTreeMap<String, Attribute> = BTreeMap::new();

impl<'a> Scope<'a> {
    /// Creates the scope of the model's own graph.
    pub fn of_model(model: &'a Model) -> Self {
        Scope {
            model,
            opsets: &model.opsets,
            values: HashMap::new(),
            charges: HashMap::new(),
            outer: None,
            attributes: &NO_ATTRIBUTES,
            depth: 0,
        }
    }

    /// Creates the scope of a subgraph of a node.
    pub fn inner(&'a self) -> Self {
        Scope {
            model: self.model,
            opsets: self.opsets,
            values: HashMap::new(),
            charges: HashMap::new(),
            outer: Some(self),
            attributes: self.attributes,
            depth: self.depth + 1,
        }
    }

    /// Gives a value a name.
    pub fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.into(), value);
    }

    /// Removes the value of a name from this graph.
    fn remove(&mut self, name: &str) {
        self.values.remove(name);
        self.charges.remove(name);
    }

    /// Returns the value of a name, in this graph or an enclosing one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.outer.and_then(|outer| outer.get(name)))
    }
}

/// Translates the nodes of a graph, whose inputs are in the scope, and returns its outputs.
///
/// # Errors
/// Names the node that cannot be translated.
pub fn translate_graph(
    graph: &GraphDefinition,
    scope: &mut Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<Value>, OnnxError> {
    for constant in &graph.initializers {
        // An input of the same name has the constant as its default.
        if !scope.values.contains_key(&constant.name) {
            scope.set(&constant.name, Value::Constant(constant.clone()));
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
) -> Result<Vec<Value>, OnnxError> {
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
                if let Value::Tensor(tensor) = &value {
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
) -> Result<Vec<Value>, OnnxError> {
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
fn is_small(value: &Value) -> bool {
    match value {
        Value::Host(host) => host.elements.iter().all(Expr::is_small),
        Value::Tensor(_) | Value::Constant(_) | Value::Sequence(_) | Value::Optional(_) => true,
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

fn inputs(node: &NodeDefinition, scope: &Scope<'_>) -> Outcome<Vec<Option<Value>>> {
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
    inputs: Vec<Option<Value>>,
    scope: &Scope<'_>,
    b: &mut Builder,
) -> Result<Vec<Value>, OnnxError> {
    let mut given = function.defaults.clone();
    given.extend(attributes.iter().map(|(name, attribute)| (name.clone(), attribute.clone())));
    let mut inner = Scope {
        model: scope.model,
        opsets: &function.opsets,
        values: HashMap::new(),
        charges: HashMap::new(),
        outer: None,
        attributes: &given,
        depth: scope.depth + 1,
    };
    for (name, value) in function.inputs.iter().zip(inputs) {
        if let Some(value) = value {
            inner.set(name, value);
        }
    }
    let outputs: Vec<&str> = function.outputs.iter().map(|name| &name[..]).collect();
    translate_nodes(&function.nodes, &outputs, &mut inner, b)
}

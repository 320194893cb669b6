use crate::charge::Charge;
use crate::graph::{Attribute, FunctionDefinition, Model, Opsets};
use crate::value::OnnxValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Names of values that nodes see: those of a graph, and those of the graphs around it.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The model.
    pub model: &'a Model,
    /// Imported operator sets: those of the model, or of the function that the nodes are in.
    pub opsets: &'a Opsets,
    pub(super) values: HashMap<String, OnnxValue>,
    /// Bytes of the values on the host.
    pub(super) charges: HashMap<String, Arc<Charge>>,
    outer: Option<&'a Scope<'a>>,
    pub(super) attributes: &'a BTreeMap<String, Attribute>,
    pub(super) depth: usize,
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

    /// Creates the scope of a function of the model that is called here, whose attributes have these values.
    pub(super) fn of_function<'b>(
        &self,
        function: &'b FunctionDefinition,
        attributes: &'b BTreeMap<String, Attribute>,
    ) -> Scope<'b>
    where
        'a: 'b,
    {
        Scope {
            model: self.model,
            opsets: &function.opsets,
            values: HashMap::new(),
            charges: HashMap::new(),
            outer: None,
            attributes,
            depth: self.depth + 1,
        }
    }

    /// Gives a value a name.
    pub fn set(&mut self, name: &str, value: OnnxValue) {
        self.values.insert(name.into(), value);
    }

    /// Removes the value of a name from this graph.
    pub(super) fn remove(&mut self, name: &str) {
        self.values.remove(name);
        self.charges.remove(name);
    }

    /// Returns the value of a name, in this graph or an enclosing one.
    pub fn get(&self, name: &str) -> Option<&OnnxValue> {
        self.values.get(name).or_else(|| self.outer.and_then(|outer| outer.get(name)))
    }
}

use super::{Constant, ValueInfo};
use crate::Limits;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Versions of the operator sets that a model or a function imports, by domain; the standard domain is `""`.
pub type Opsets = BTreeMap<String, i64>;

/// A model of a file.
#[derive(Clone, Debug)]
pub struct Model {
    /// File of the model, or a name for messages.
    pub origin: String,
    /// Version of the file format.
    pub ir_version: i64,
    /// Program that wrote the model.
    pub producer: String,
    /// Imported operator sets.
    pub opsets: Opsets,
    /// The graph.
    pub graph: Arc<GraphDefinition>,
    /// Functions that the model defines, by domain and name.
    pub functions: HashMap<(String, String), Arc<FunctionDefinition>>,
    /// Budgets that hold when the model is recorded and run.
    pub limits: Limits,
}

impl Model {
    /// Returns the inputs without a default.
    pub fn inputs(&self) -> impl Iterator<Item = &ValueInfo> {
        let constants: HashSet<&str> =
            self.graph.initializers.iter().map(|constant| &constant.name[..]).collect();
        self.graph.inputs.iter().filter(move |input| !constants.contains(&input.name[..]))
    }

    /// Positions of the inputs without a default.
    #[cfg(feature = "run")]
    pub(crate) fn required_inputs(&self) -> Vec<usize> {
        let constants: HashSet<&str> =
            self.graph.initializers.iter().map(|constant| &constant.name[..]).collect();
        let inputs = self.graph.inputs.iter().enumerate();
        let required = inputs.filter(|(_, input)| !constants.contains(&input.name[..]));
        required.map(|(place, _)| place).collect()
    }

    /// Bytes of the initializers.
    pub(crate) fn constant_bytes(&self) -> u64 {
        self.graph.initializers.iter().map(|constant| constant.data.as_bytes().len() as u64).sum()
    }
}

/// A graph: the model's own, or one in an attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDefinition {
    /// Name of the graph.
    pub name: String,
    /// Text that describes it.
    pub documentation: String,
    /// Nodes, each after those that it needs.
    pub nodes: Vec<NodeDefinition>,
    /// Constants, in the order of the file.
    pub initializers: Vec<Constant>,
    /// Inputs. Those with the name of an initializer have it as their default.
    pub inputs: Vec<ValueInfo>,
    /// Outputs.
    pub outputs: Vec<ValueInfo>,
}

/// A call of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeDefinition {
    /// Name in the file, or operator and index in the graph where it has none.
    pub name: String,
    /// Name of the operator.
    pub operator: String,
    /// Domain of the operator; the standard one is `""`.
    pub domain: String,
    /// Names of the inputs; an empty one is missing.
    pub inputs: Vec<String>,
    /// Names of the outputs; an empty one is not wanted.
    pub outputs: Vec<String>,
    /// Attributes by name.
    pub attributes: BTreeMap<String, Attribute>,
}

/// A value of an attribute of a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attribute {
    /// A number with a fraction.
    Float(f32),
    /// An integer.
    Int(i64),
    /// A text, mostly the name of a mode.
    Text(String),
    /// A constant tensor.
    Tensor(Constant),
    /// A graph, such as a branch of `If`.
    Graph(Arc<GraphDefinition>),
    /// Numbers with fractions.
    Floats(Vec<f32>),
    /// Integers.
    Ints(Vec<i64>),
    /// Texts.
    Texts(Vec<String>),
    /// The attribute of this name of the function that the node is in.
    Reference(String),
    /// An attribute of another sort, by its name in the format; no supported operator has one.
    Other(&'static str),
}

/// A function of the model, called like an operator.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Values of attributes that a call does not give.
    pub defaults: BTreeMap<String, Attribute>,
    /// Nodes, each after those that it needs.
    pub nodes: Vec<NodeDefinition>,
    /// Imported operator sets.
    pub opsets: Opsets,
}

impl NodeDefinition {
    /// Returns the operator, with the domain if that is not the standard one.
    pub fn qualified_operator(&self) -> String {
        if self.domain.is_empty() {
            self.operator.clone()
        } else {
            format!("{}.{}", self.domain, self.operator)
        }
    }

    /// Graphs in the attributes.
    pub fn graphs(&self) -> impl Iterator<Item = &Arc<GraphDefinition>> {
        self.attributes.values().filter_map(|attribute| match attribute {
            Attribute::Graph(graph) => Some(graph),
            _ => None,
        })
    }
}

//! One public function, as the tables show it.

use super::counterpart::Counterpart;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operation {
    /// Below the sources, without the extension.
    pub(super) file: String,
    pub(super) area: Area,
    /// As programs write it: `x.sort(..)`, `Tensor::zeros(..)` or `activation::relu(..)` without arguments.
    pub(super) name: String,
    pub(super) counterpart: Option<Counterpart>,
    /// Whether there is a form that gives its error as a value.
    pub(super) is_fallible: bool,
    /// Whether the result is a tensor, or some, which takes memory.
    pub(super) gives_tensors: bool,
    /// Whether gradients flow from the result to an operand.
    pub(super) is_differentiable: bool,
}

/// The tables, in their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Area {
    Creation,
    Every,
    Numeric,
    Float,
    Int,
    Bool,
    Autodiff,
    /// Functions of a public module.
    Module(String),
    /// Methods of a type that is not `Tensor`.
    Type(String),
    /// Functions at the root of the crate.
    Functions,
}

impl Area {
    pub(super) fn title(&self) -> String {
        match self {
            Area::Creation => "Creation".into(),
            Area::Every => "Tensors of every kind".into(),
            Area::Numeric => "Numeric tensors: Float and Int".into(),
            Area::Float => "Float tensors".into(),
            Area::Int => "Int tensors".into(),
            Area::Bool => "Bool tensors".into(),
            Area::Autodiff => "Gradients".into(),
            Area::Module(name) => format!("The module `{name}`"),
            Area::Type(name) => format!("The type `{name}`"),
            Area::Functions => "Functions".into(),
        }
    }
}

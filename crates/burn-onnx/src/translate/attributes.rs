//! Attributes of a node by their types.

use super::Node;
use crate::error::{Outcome, fail, require};
use crate::graph::{Attribute, Constant, GraphDefinition};
use crate::proto::ElementType;
use burn_ir::DType;
use std::sync::Arc;

macro_rules! typed {
    ($($(#[doc = $doc:literal])* $method:ident: $variant:ident($value:ident) => $ty:ty, $result:expr, $what:literal;)*) => {
        impl Node<'_> {$(
            $(#[doc = $doc])*
            ///
            /// # Errors
            /// When the attribute is of another type.
            pub fn $method(&self, name: &str) -> Outcome<Option<$ty>> {
                match self.attributes.get(name) {
                    Some(Attribute::$variant($value)) => Ok(Some($result)),
                    Some(other) => fail!(concat!("attribute `{}` must be ", $what, ", found {:?}"), name, other),
                    None => Ok(None),
                }
            }
        )*}
    };
}

typed! {
    /// An integer.
    optional_int: Int(value) => i64, *value, "an integer";
    /// A number with a fraction.
    optional_float: Float(value) => f64, f64::from(*value), "a number";
    /// A text.
    optional_text: Text(value) => String, value.clone(), "a text";
    /// Integers.
    ints_attribute: Ints(value) => Vec<i64>, value.clone(), "integers";
    /// Numbers with fractions.
    floats_attribute: Floats(value) => Vec<f64>, value.iter().map(|&value| value.into()).collect(), "numbers";
    /// Texts.
    texts_attribute: Texts(value) => Vec<String>, value.clone(), "texts";
    /// A constant tensor.
    tensor_attribute: Tensor(value) => Constant, value.clone(), "a tensor";
    /// A graph.
    graph_attribute: Graph(value) => Arc<GraphDefinition>, value.clone(), "a graph";
}

impl Node<'_> {
    /// Returns an integer, or its default.
    ///
    /// # Errors
    /// When the attribute is of another type.
    pub fn int(&self, name: &str, default: i64) -> Outcome<i64> {
        Ok(self.optional_int(name)?.unwrap_or(default))
    }

    /// Returns a boolean, which is an integer in files, or its default.
    ///
    /// # Errors
    /// When the attribute is of another type.
    pub fn flag(&self, name: &str, default: bool) -> Outcome<bool> {
        Ok(self.optional_int(name)?.map_or(default, |value| value != 0))
    }

    /// Returns a float, or its default.
    ///
    /// # Errors
    /// When the attribute is of another type.
    pub fn float(&self, name: &str, default: f64) -> Outcome<f64> {
        Ok(self.optional_float(name)?.unwrap_or(default))
    }

    /// Returns a string, or its default.
    ///
    /// # Errors
    /// When the attribute is of another type.
    pub fn text(&self, name: &str, default: &str) -> Outcome<String> {
        Ok(self.optional_text(name)?.unwrap_or_else(|| default.into()))
    }

    /// Returns sizes, one for each of `count` dimensions, or `default` for each.
    ///
    /// # Errors
    /// When the attribute is of another type, has another length, or has a negative number.
    pub fn sizes(&self, name: &str, count: usize, default: usize) -> Outcome<Vec<usize>> {
        let Some(values) = self.ints_attribute(name)? else { return Ok(vec![default; count]) };
        require!(values.len() == count, "attribute `{name}` must have {count} numbers, found {values:?}");
        let sizes = values.iter().map(|&value| usize::try_from(value));
        sizes
            .collect::<Result<_, _>>()
            .map_err(|_| format!("attribute `{name}` has a negative number: {values:?}").into())
    }

    /// Returns an element type, or `None` where the attribute is missing.
    ///
    /// # Errors
    /// When tensors have no such elements.
    pub fn dtype(&self, name: &str) -> Outcome<Option<DType>> {
        match self.optional_int(name)? {
            Some(value) => {
                let code = i32::try_from(value).unwrap_or(-1);
                Ok(Some(ElementType(code).dtype()?))
            }
            None => Ok(None),
        }
    }
}

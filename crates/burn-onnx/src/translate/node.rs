use super::Scope;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::graph::{Attribute, NodeDefinition};
use crate::value::{Expr, Host, OnnxValue, Tensor};
use std::collections::BTreeMap;

/// A node with the values of its inputs: what an operator is given.
#[derive(Debug)]
pub struct Node<'a> {
    /// The node of the file.
    pub definition: &'a NodeDefinition,
    /// Version of the operator set of its domain.
    pub opset: i64,
    /// Values of the inputs; a missing one is none.
    pub inputs: Vec<Option<OnnxValue>>,
    /// The graph around it, which graphs in its attributes may refer to.
    pub scope: &'a Scope<'a>,
    pub(super) attributes: &'a BTreeMap<String, Attribute>,
}

/// The most numbers of a constant that operators compute with on the host.
const MOST_FOLDED: usize = 256;

impl Node<'_> {
    /// Returns the number of outputs that the node names.
    pub fn output_count(&self) -> usize {
        self.definition.outputs.len()
    }

    /// Returns whether the output at this position is used.
    pub fn has_output(&self, place: usize) -> bool {
        self.definition.outputs.get(place).is_some_and(|name| !name.is_empty())
    }

    /// Returns whether the input at this position is given.
    pub fn has_input(&self, place: usize) -> bool {
        self.optional(place).is_some()
    }

    /// Returns an optional input.
    pub fn optional(&self, place: usize) -> Option<&OnnxValue> {
        self.inputs.get(place).and_then(Option::as_ref)
    }

    /// Returns an input.
    ///
    /// # Errors
    /// When it is missing.
    pub fn input(&self, place: usize) -> Outcome<&OnnxValue> {
        match self.optional(place) {
            Some(value) => Ok(value),
            None => fail!("input {place} is missing"),
        }
    }

    /// Returns an input as a tensor.
    ///
    /// # Errors
    /// When it is missing or no tensor.
    pub fn tensor(&self, b: &mut Builder, place: usize) -> Outcome<Tensor> {
        b.tensor(self.input(place)?)
    }

    /// Returns an optional input as a tensor.
    ///
    /// # Errors
    /// When it is no tensor.
    pub fn optional_tensor(&self, b: &mut Builder, place: usize) -> Outcome<Option<Tensor>> {
        self.optional(place).map(|value| b.tensor(value)).transpose()
    }

    /// Returns an input as host numbers.
    ///
    /// # Errors
    /// When it is missing, or its number of elements is not known.
    pub fn host(&self, b: &mut Builder, place: usize) -> Outcome<Host> {
        b.host(self.input(place)?)
    }

    /// Returns an input as a list of host integers.
    ///
    /// # Errors
    /// As [`Node::host`].
    pub fn ints(&self, b: &mut Builder, place: usize) -> Outcome<Vec<Expr>> {
        let host = self.host(b, place)?;
        require!(host.dtype.is_int(), "input {place} must be integers, found {}", host.dtype);
        Ok(host.elements)
    }

    /// Returns an optional input as integers that are known before the model runs.
    ///
    /// # Errors
    /// When they are not known.
    pub fn optional_known_ints(&self, b: &mut Builder, place: usize) -> Outcome<Option<Vec<i64>>> {
        match self.optional(place) {
            Some(value) => Ok(Some(b.host(value)?.known_ints(&format!("input {place}"))?)),
            None => Ok(None),
        }
    }

    /// Integers that older operator sets have as an attribute and newer ones as an input.
    ///
    /// # Errors
    /// When they are not known before the model runs.
    pub fn ints_of(&self, b: &mut Builder, attribute: &str, place: usize) -> Outcome<Option<Vec<i64>>> {
        match self.ints_attribute(attribute)? {
            Some(ints) => Ok(Some(ints)),
            None => self.optional_known_ints(b, place),
        }
    }

    /// Returns all inputs as host numbers, if there are some, they are host numbers or small constants, and
    /// none must be read from a device.
    pub fn all_host(&self) -> Option<Vec<Host>> {
        if self.inputs.is_empty() {
            return None;
        }
        self.inputs
            .iter()
            .map(|input| match input {
                Some(OnnxValue::Host(host)) => Some(host.clone()),
                Some(OnnxValue::Constant(constant)) if constant.data.num_elements() <= MOST_FOLDED => {
                    Some(Host::from_data(&constant.data))
                }
                _ => None,
            })
            .collect()
    }

    /// Returns the input as host numbers, under the conditions of [`Node::all_host`].
    pub fn as_host(&self, place: usize) -> Option<Host> {
        match self.optional(place)? {
            OnnxValue::Host(host) => Some(host.clone()),
            OnnxValue::Constant(constant) if constant.data.num_elements() <= MOST_FOLDED => {
                Some(Host::from_data(&constant.data))
            }
            _ => None,
        }
    }

    /// Returns an input that is one host number, with at most `rank` dimensions: it broadcasts to a tensor of
    /// that rank.
    pub fn number(&self, place: usize, rank: usize) -> Option<Expr> {
        let host = self.as_host(place)?;
        (host.elements.len() == 1 && host.dims.len() <= rank).then(|| host.elements[0].clone())
    }

    /// Returns the non-negative dimension; negative ones count from the end.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn axis(&self, axis: i64, rank: usize) -> Outcome<usize> {
        let front = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
        match front.and_then(|axis| usize::try_from(axis).ok()) {
            Some(axis) if axis < rank => Ok(axis),
            _ => fail!("axis {axis} does not exist in rank {rank}"),
        }
    }

    /// Returns the non-negative dimensions in ascending order.
    ///
    /// # Errors
    /// When there is no such dimension, or one is there twice.
    pub fn axes(&self, axes: &[i64], rank: usize) -> Outcome<Vec<usize>> {
        let mut front: Vec<usize> = axes.iter().map(|&axis| self.axis(axis, rank)).collect::<Outcome<_>>()?;
        front.sort_unstable();
        require!(front.windows(2).all(|pair| pair[0] != pair[1]), "an axis of {axes:?} is there twice");
        Ok(front)
    }
}

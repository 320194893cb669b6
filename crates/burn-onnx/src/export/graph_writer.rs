//! Nodes and initializers of the graph that is written.

use crate::proto::{AttributeProto, NodeProto};
use burn_ir::{DType, Scalar, TensorData};
use bytes::Bytes;
use std::collections::{HashMap, HashSet};

/// A graph that grows. Every value has a name of its own.
#[derive(Default)]
pub(super) struct GraphWriter {
    pub nodes: Vec<NodeProto>,
    pub initializers: Vec<(String, TensorData)>,
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
    /// Names of small constants that are used more than once, by element type, shape and bytes.
    constants: HashMap<(DType, Vec<usize>, Vec<u8>), String>,
}

impl GraphWriter {
    /// Takes `wanted` as a name, or the first free one of `wanted_1`, `wanted_2` and so on.
    pub fn name(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.into()) {
            return wanted.into();
        }
        loop {
            let count = self.counts.entry(wanted.into()).or_insert(0);
            *count += 1;
            let name = format!("{wanted}_{count}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Writes a node with one output, and returns the name of that.
    pub fn node(&mut self, operator: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        self.node_of(operator, inputs, attributes, 1).remove(0)
    }

    /// Writes a node, and returns the names of its outputs.
    pub fn node_of(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: Vec<AttributeProto>,
        outputs: usize,
    ) -> Vec<String> {
        let count = self.counts.entry(format!("node {operator}")).or_insert(0);
        let name = format!("{operator}_{count}");
        *count += 1;
        let wanted = operator.to_lowercase();
        let outputs: Vec<String> = (0..outputs).map(|_| self.name(&wanted)).collect();
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&input| input.into()).collect(),
            output: outputs.clone(),
            name,
            op_type: operator.into(),
            attribute: attributes,
            ..NodeProto::default()
        });
        outputs
    }

    /// Adds an initializer under `wanted` or a name like it.
    pub fn initializer(&mut self, wanted: &str, data: TensorData) -> String {
        let name = self.name(wanted);
        self.initializers.push((name.clone(), data));
        name
    }

    /// Adds a small constant, written once.
    pub fn constant(&mut self, data: TensorData) -> String {
        let key = (data.dtype, data.shape.to_vec(), data.as_bytes().to_vec());
        if let Some(name) = self.constants.get(&key) {
            return name.clone();
        }
        let name = self.initializer("constant", data);
        self.constants.insert(key, name.clone());
        name
    }

    /// Adds a list of integers.
    pub fn ints(&mut self, values: &[i64]) -> String {
        self.constant(TensorData::from(values))
    }

    /// Adds a number as a tensor without dimensions.
    pub fn scalar(&mut self, value: Scalar, dtype: DType) -> String {
        self.constant(scalar_data(value, dtype, &[]))
    }

    /// Gives the value of a node another name, if nothing has that.
    pub fn rename(&mut self, from: &str, to: &str) {
        for node in &mut self.nodes {
            for name in node.input.iter_mut().chain(&mut node.output).filter(|name| *name == from) {
                *name = to.into();
            }
        }
    }

    /// Returns whether a node computes the value of this name.
    pub fn is_computed(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| node.output.iter().any(|output| output == name))
    }

    /// Removes the nodes and initializers that no output needs.
    pub fn prune(&mut self, outputs: &[String]) {
        let mut needed: HashSet<String> = outputs.iter().cloned().collect();
        let mut kept = Vec::with_capacity(self.nodes.len());
        for node in std::mem::take(&mut self.nodes).into_iter().rev() {
            if node.output.iter().any(|output| needed.contains(output)) {
                needed.extend(node.input.iter().cloned());
                kept.push(node);
            }
        }
        kept.reverse();
        self.nodes = kept;
        self.initializers.retain(|(name, _)| needed.contains(name));
    }
}

/// One number in every place of a small tensor.
pub(super) fn scalar_data(value: Scalar, dtype: DType, shape: &[usize]) -> TensorData {
    let count = shape.iter().product();
    let data = match value {
        Scalar::Float(value) => TensorData::new(vec![value; count], shape),
        Scalar::Int(value) => TensorData::new(vec![value; count], shape),
        Scalar::UInt(value) => TensorData::new(vec![value; count], shape),
        Scalar::Bool(value) => TensorData::new(vec![value; count], shape),
    };
    data.convert_dtype(dtype)
}

/// An attribute that is an integer.
pub(super) fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), kind: 2, i: Some(value), ..AttributeProto::default() }
}

/// An attribute that is a list of integers.
pub(super) fn ints(name: &str, values: impl IntoIterator<Item = usize>) -> AttributeProto {
    let ints = values.into_iter().map(|value| value as i64).collect();
    AttributeProto { name: name.into(), kind: 7, ints, ..AttributeProto::default() }
}

/// An attribute that is a number with a fraction.
pub(super) fn float(name: &str, value: f64) -> AttributeProto {
    AttributeProto { name: name.into(), kind: 1, f: Some(value as f32), ..AttributeProto::default() }
}

/// An attribute that is a text.
pub(super) fn text(name: &str, value: &str) -> AttributeProto {
    let s = Bytes::copy_from_slice(value.as_bytes());
    AttributeProto { name: name.into(), kind: 3, s, ..AttributeProto::default() }
}

/// An attribute that is a list of texts.
pub(super) fn texts(name: &str, values: &[&str]) -> AttributeProto {
    let strings = values.iter().map(|value| Bytes::copy_from_slice(value.as_bytes())).collect();
    AttributeProto { name: name.into(), kind: 8, strings, ..AttributeProto::default() }
}

/// An attribute that is a tensor.
pub(super) fn tensor(name: &str, data: &TensorData) -> AttributeProto {
    let t = Some(super::file::tensor_proto(name, data));
    AttributeProto { name: name.into(), kind: 4, t, ..AttributeProto::default() }
}

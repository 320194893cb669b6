//! Models of a few nodes, made in memory.

use burn_ndarray::NdArray;
use burn_onnx::graph::{
    Attribute, Constant, Dimension, FunctionDefinition, GraphDefinition, Model, NodeDefinition, ValueInfo,
    ValueType,
};
use burn_onnx::{Graph, Limits, OnnxError, RunValue};
use burn_tensor::{DType, TensorData};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub fn node(
    operator: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: Vec<(&str, Attribute)>,
) -> NodeDefinition {
    let texts = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    NodeDefinition {
        name: format!("{operator}_{}", outputs.first().unwrap_or(&"")),
        operator: operator.into(),
        domain: String::new(),
        inputs: texts(inputs),
        outputs: texts(outputs),
        attributes: attributes.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
    }
}

pub fn constant(name: &str, data: impl Into<TensorData>) -> Constant {
    Constant { name: name.into(), data: Arc::new(data.into()) }
}

pub fn scalar(name: &str, data: impl Into<TensorData>) -> Constant {
    let mut data = data.into();
    data.shape = Vec::<usize>::new().into();
    Constant { name: name.into(), data: Arc::new(data) }
}

/// A value of which nothing is declared.
pub fn info(name: &str) -> ValueInfo {
    ValueInfo { name: name.into(), value_type: ValueType::Undeclared }
}

pub fn tensor(name: &str, dtype: DType, dims: &[Dimension]) -> ValueInfo {
    ValueInfo { name: name.into(), value_type: ValueType::Tensor { dtype, dims: Some(dims.to_vec()) } }
}

pub fn graph(nodes: Vec<NodeDefinition>, initializers: Vec<Constant>, outputs: &[&str]) -> GraphDefinition {
    GraphDefinition {
        nodes,
        initializers,
        outputs: outputs.iter().map(|name| info(name)).collect(),
        ..GraphDefinition::default()
    }
}

pub fn function(inputs: &[&str], outputs: &[&str], nodes: Vec<NodeDefinition>) -> Arc<FunctionDefinition> {
    let texts = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    Arc::new(FunctionDefinition {
        inputs: texts(inputs),
        outputs: texts(outputs),
        defaults: BTreeMap::new(),
        nodes,
        opsets: BTreeMap::from([(String::new(), 28)]),
    })
}

pub fn model(graph: GraphDefinition, limits: Limits) -> Model {
    Model {
        origin: "small".into(),
        ir_version: 10,
        producer: String::new(),
        opsets: BTreeMap::from([(String::new(), 28)]),
        graph: Arc::new(graph),
        functions: HashMap::new(),
        limits,
    }
}

pub fn run(model: Model, inputs: Vec<RunValue<NdArray>>) -> Result<Vec<RunValue<NdArray>>, OnnxError> {
    Graph::new(model)?.run::<NdArray>(inputs, &Default::default())
}

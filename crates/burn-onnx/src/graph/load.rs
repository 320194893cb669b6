//! A model from the messages of its file.

use super::node_order::sorted;
use super::{
    Attribute, Constant, Dimension, FunctionDefinition, GraphDefinition, Model, NodeDefinition, Opsets,
    ValueInfo, ValueType,
};
use crate::proto::{
    AttributeProto, ElementType, Folder, FunctionProto, GraphProto, NodeProto, TypeProto, ValueInfoProto,
    decode_model, tensor_data,
};
use crate::translate::check_limits;
use crate::{Limits, OnnxError};
use bytes::Bytes;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// The oldest and the newest version of the standard operator set that is read.
const OPSETS: std::ops::RangeInclusive<i64> = 1..=28;

impl Model {
    /// Reads a model from a file. External data is read from the folder of the file, and from nowhere else.
    ///
    /// # Errors
    /// When the file cannot be read or is no model.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, OnnxError> {
        Self::from_file_within(path, Limits::default())
    }

    /// Reads a model from a file, within limits that hold for recording and running it too.
    ///
    /// # Errors
    /// When the file cannot be read, is no model, or takes more than a limit.
    pub fn from_file_within(path: impl AsRef<Path>, limits: Limits) -> Result<Self, OnnxError> {
        let path = path.as_ref();
        let bytes = burn_io::read_file(path)
            .map_err(|source| OnnxError::Read { path: path.to_path_buf(), source })?;
        let folder =
            path.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
        decode(bytes.into(), folder, path.display().to_string(), limits)
    }

    /// Reads a model from the bytes of a file, without external data.
    ///
    /// # Errors
    /// When the bytes are no model.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self, OnnxError> {
        Self::from_bytes_within(bytes, Limits::default())
    }

    /// Reads a model from the bytes of a file, within limits that hold for recording and running it too.
    ///
    /// # Errors
    /// When the bytes are no model, or it takes more than a limit.
    pub fn from_bytes_within(bytes: impl Into<Bytes>, limits: Limits) -> Result<Self, OnnxError> {
        decode(bytes.into(), None, "model".into(), limits)
    }
}

fn decode(bytes: Bytes, folder: Option<&Path>, origin: String, limits: Limits) -> Result<Model, OnnxError> {
    match read(bytes, &Folder::new(folder, limits.bytes), &origin) {
        Ok(model) => {
            let model = Model { limits, ..model };
            check_limits(&model)?;
            Ok(model)
        }
        Err(reason) => Err(OnnxError::Malformed { model: origin, reason }),
    }
}

fn read(bytes: Bytes, folder: &Folder, origin: &str) -> Result<Model, String> {
    let proto = decode_model(bytes)?;
    let graph = proto.graph.ok_or("it has no graph; is this another kind of file?")?;
    let imports = proto.opset_import.iter();
    let mut opsets: Opsets = imports.map(|import| (domain(&import.domain), import.version)).collect();
    // Files of the first format version import nothing.
    let version = *opsets.entry(String::new()).or_insert(1);
    if !OPSETS.contains(&version) {
        return Err(format!(
            "operator set {version}; versions {} to {} are read",
            OPSETS.start(),
            OPSETS.end()
        ));
    }
    let mut functions = std::collections::HashMap::new();
    for function in &proto.functions {
        let definition = Arc::new(function_definition(function, &opsets, folder)?);
        functions.insert((domain(&function.domain), function.name.clone()), definition);
    }
    Ok(Model {
        origin: origin.into(),
        ir_version: proto.ir_version,
        producer: [proto.producer_name, proto.producer_version].join(" ").trim().into(),
        opsets,
        graph: Arc::new(graph_definition(&graph, folder)?),
        functions,
        limits: Limits::default(),
    })
}

fn domain(name: &str) -> String {
    if name == "ai.onnx" { String::new() } else { name.into() }
}

fn function_definition(
    proto: &FunctionProto,
    model: &Opsets,
    folder: &Folder,
) -> Result<FunctionDefinition, String> {
    let own = proto.opset_import.iter().map(|import| (domain(&import.domain), import.version));
    let mut opsets = model.clone();
    opsets.extend(own);
    Ok(FunctionDefinition {
        inputs: proto.input.clone(),
        outputs: proto.output.clone(),
        defaults: attributes(&proto.attribute_proto, folder)?,
        nodes: nodes(&proto.node, folder, &proto.input.iter().map(|name| &name[..]).collect())?,
        opsets,
    })
}

fn graph_definition(proto: &GraphProto, folder: &Folder) -> Result<GraphDefinition, String> {
    if !proto.sparse_initializer.is_empty() {
        return Err("sparse initializers are not supported".into());
    }
    let mut initializers = Vec::with_capacity(proto.initializer.len());
    for tensor in &proto.initializer {
        let data = Arc::new(tensor_data(tensor, folder)?);
        initializers.push(Constant { name: tensor.name.clone(), data });
    }
    let given = proto.input.iter().map(|input| &input.name[..]);
    let given = given.chain(proto.initializer.iter().map(|tensor| &tensor.name[..])).collect();
    Ok(GraphDefinition {
        name: proto.name.clone(),
        documentation: proto.doc_string.clone(),
        nodes: nodes(&proto.node, folder, &given)?,
        initializers,
        inputs: proto.input.iter().map(value_info).collect(),
        outputs: proto.output.iter().map(value_info).collect(),
    })
}

fn nodes(
    protos: &[NodeProto],
    folder: &Folder,
    given: &HashSet<&str>,
) -> Result<Vec<NodeDefinition>, String> {
    let mut nodes = Vec::with_capacity(protos.len());
    for (place, proto) in protos.iter().enumerate() {
        let name =
            if proto.name.is_empty() { format!("{}_{place}", proto.op_type) } else { proto.name.clone() };
        let attributes =
            attributes(&proto.attribute, folder).map_err(|reason| format!("node `{name}`: {reason}"))?;
        nodes.push(NodeDefinition {
            name,
            operator: proto.op_type.clone(),
            domain: domain(&proto.domain),
            inputs: proto.input.clone(),
            outputs: proto.output.clone(),
            attributes,
        });
    }
    sorted(nodes, given)
}

fn attributes(protos: &[AttributeProto], folder: &Folder) -> Result<BTreeMap<String, Attribute>, String> {
    protos.iter().map(|proto| Ok((proto.name.clone(), attribute(proto, folder)?))).collect()
}

fn attribute(proto: &AttributeProto, folder: &Folder) -> Result<Attribute, String> {
    let named = |reason: &str| format!("attribute `{}`: {reason}", proto.name);
    if !proto.ref_attr_name.is_empty() {
        return Ok(Attribute::Reference(proto.ref_attr_name.clone()));
    }
    // Files of the first format version have no type.
    let kind = match proto.kind {
        0 if proto.t.is_some() => 4,
        0 if proto.g.is_some() => 5,
        0 if !proto.floats.is_empty() => 6,
        0 if !proto.ints.is_empty() => 7,
        0 if !proto.s.is_empty() => 3,
        0 if proto.f.is_some() => 1,
        0 => 2,
        kind => kind,
    };
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(match kind {
        1 => Attribute::Float(proto.f.unwrap_or_default()),
        2 => Attribute::Int(proto.i.unwrap_or_default()),
        3 => Attribute::Text(text(&proto.s)),
        4 => {
            let tensor = proto.t.as_ref().ok_or_else(|| named("has no tensor"))?;
            if tensor.data_type == 8 {
                return Ok(Attribute::Other("tensor of texts"));
            }
            let data = tensor_data(tensor, folder).map_err(|reason| named(&reason))?;
            Attribute::Tensor(Constant { name: tensor.name.clone(), data: Arc::new(data) })
        }
        5 => {
            let graph = proto.g.as_ref().ok_or_else(|| named("has no graph"))?;
            Attribute::Graph(Arc::new(graph_definition(graph, folder)?))
        }
        6 => Attribute::Floats(proto.floats.clone()),
        7 => Attribute::Ints(proto.ints.clone()),
        8 => Attribute::Texts(proto.strings.iter().map(text).collect()),
        9 => Attribute::Other("list of tensors"),
        10 => Attribute::Other("list of graphs"),
        11 => Attribute::Other("sparse tensor"),
        12 => Attribute::Other("list of sparse tensors"),
        13 => Attribute::Other("type"),
        14 => Attribute::Other("list of types"),
        other => return Err(named(&format!("type {other} is not known"))),
    })
}

fn value_info(proto: &ValueInfoProto) -> ValueInfo {
    let value_type = proto.r#type.as_ref().map_or(ValueType::Undeclared, value_type);
    ValueInfo { name: proto.name.clone(), value_type }
}

fn value_type(proto: &TypeProto) -> ValueType {
    let inner = |boxed: &crate::proto::ElementTypeProto| {
        Box::new(boxed.elem_type.as_deref().map_or(ValueType::Undeclared, value_type))
    };
    if let Some(sequence) = &proto.sequence_type {
        return ValueType::Sequence(inner(sequence));
    }
    if let Some(optional) = &proto.optional_type {
        return ValueType::Optional(inner(optional));
    }
    let Some(tensor) = &proto.tensor_type else {
        return ValueType::Unsupported("it is no tensor, sequence or optional".into());
    };
    let dtype = match ElementType(tensor.elem_type).dtype() {
        Ok(dtype) => dtype,
        Err(reason) => return ValueType::Unsupported(reason),
    };
    let dims = tensor.shape.as_ref().map(|shape| {
        let dims = shape.dim.iter().map(|dim| match (dim.dim_value, &dim.dim_param) {
            // Exporters write -1, and some 0, for a size that is open.
            (Some(size @ 1..), _) => usize::try_from(size).map_or(Dimension::Unknown, Dimension::Known),
            (Some(_), _) => Dimension::Unknown,
            // Paddle writes `?` as the name of every open size.
            (None, Some(name)) if !name.is_empty() && name != "?" => Dimension::Named(name.clone()),
            _ => Dimension::Unknown,
        });
        dims.collect()
    });
    ValueType::Tensor { dtype, dims }
}

//! The tensors of a module by name, to be written.

use super::LayerAdapter;
use crate::module::{AnyParam, Module, ParamKind, ParamVisitor};
use crate::record::{KeyPath, Node, RecordError, RecordMismatch};
use crate::tensor::{Backend, Bool, DynTensor, Float, Int, TensorData, TensorKind};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Returns the parameters of `module` by path, in the order of declaration; with an adapter, under the names
/// and in the layouts of the other framework. Quantized parameters are dequantized.
///
/// # Errors
/// The device of a parameter failed.
pub fn collect<B: Backend, M: Module<B>>(
    module: &M,
    adapter: Option<&dyn LayerAdapter>,
) -> Result<Vec<(String, TensorData)>, RecordError> {
    let mut collect = Collect { adapter, places: [ModuleWeights::default()].into(), error: None };
    module.visit_params(&mut collect);
    if let Some(error) = collect.error {
        return Err(error);
    }
    Ok(collect.leave().1)
}

#[derive(Default)]
struct ModuleWeights {
    key: String,
    layer: Option<&'static str>,
    tensors: Vec<(String, TensorData)>,
}

struct Collect<'a> {
    adapter: Option<&'a dyn LayerAdapter>,
    places: Vec<ModuleWeights>,
    error: Option<RecordError>,
}

impl Collect<'_> {
    /// Ends the innermost level of the record: its key, and its tensors as the other framework has them.
    fn leave(&mut self) -> (String, Vec<(String, TensorData)>) {
        let ModuleWeights { key, layer, tensors } = self.places.pop().unwrap_or_default();
        match (self.adapter, layer) {
            (Some(adapter), Some(layer)) => (key, adapter.restore(layer, tensors)),
            _ => (key, tensors),
        }
    }
}

fn data<B: Backend, K: TensorKind>(tensor: B::Tensor) -> Result<TensorData, String> {
    DynTensor::<B, K>::from_handle(tensor).try_into_data().map_err(|error| error.to_string())
}

impl<B: Backend> ParamVisitor<B> for Collect<'_> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let tensor = param.tensor().tensor();
        let data = match param.kind() {
            ParamKind::Float => data::<B, Float>(tensor),
            ParamKind::Int => data::<B, Int>(tensor),
            ParamKind::Bool => data::<B, Bool>(tensor),
        };
        match (data, self.places.last_mut()) {
            (Ok(data), Some(place)) => place.tensors.push((String::new(), data)),
            (Err(cause), _) => {
                let path: Vec<&str> = self.places.iter().skip(1).map(|place| place.key.as_str()).collect();
                self.error = Some(RecordMismatch::value(&KeyPath::ROOT.key(&path.join(".")), cause));
            }
            (Ok(_), None) => {}
        }
    }
    fn enter_layer(&mut self, layer: &'static str) {
        if let Some(place) = self.places.last_mut() {
            place.layer = Some(layer);
        }
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.places.push(ModuleWeights { key: name.to_string(), ..ModuleWeights::default() });
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        let (key, tensors) = self.leave();
        // Other frameworks have no name for the variant of an enum.
        let is_variant = self.adapter.is_some() && key.starts_with(char::is_uppercase);
        let joined = tensors.into_iter().map(|(name, data)| match (name.is_empty(), is_variant) {
            (_, true) => (name, data),
            (true, false) => (key.clone(), data),
            (false, false) => (format!("{key}.{name}"), data),
        });
        if let Some(place) = self.places.last_mut() {
            place.tensors.extend(joined);
        }
    }
}

/// Returns the tensors of a record by path, in its order. The identifiers of parameters are left out.
///
/// # Errors
/// The record holds something else than tensors, which a list of tensors cannot hold.
pub fn collect_record(record: Node) -> Result<Vec<(String, TensorData)>, RecordError> {
    let mut tensors = Vec::new();
    flatten(record, &KeyPath::ROOT, "", &mut tensors)?;
    Ok(tensors)
}

fn flatten(
    node: Node,
    at: &KeyPath<'_>,
    name: &str,
    out: &mut Vec<(String, TensorData)>,
) -> Result<(), RecordError> {
    let below = |key: &str| if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
    match node {
        Node::Null => Ok(()),
        Node::Tensor(data) => {
            out.push((name.to_string(), data));
            Ok(())
        }
        Node::List(items) => items
            .into_iter()
            .enumerate()
            .try_for_each(|(index, item)| flatten(item, &at.index(index), &below(&index.to_string()), out)),
        Node::Map(mut fields) if is_param(&fields) => {
            let value = fields.swap_remove(1).1;
            flatten(value, at, name, out)
        }
        Node::Map(fields) => {
            fields.into_iter().try_for_each(|(key, value)| flatten(value, &at.key(&key), &below(&key), out))
        }
        Node::Weights(weights) => flatten(weights.read_all()?, at, name, out),
        other @ (Node::Bool(_)
        | Node::Int(_)
        | Node::UInt(_)
        | Node::Float(_)
        | Node::Text(_)
        | Node::Bytes(_)) => {
            let cause = format!(
                "{} has no place in a file of tensors; a recorder of this crate keeps it",
                other.kind()
            );
            Err(RecordMismatch::value(at, cause))
        }
    }
}

/// Returns whether the fields are identifier and values of a parameter.
fn is_param(fields: &[(String, Node)]) -> bool {
    matches!(fields, [(id, Node::Text(_)), (param, _)] if id == "id" && param == "param")
}

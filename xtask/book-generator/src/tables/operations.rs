//! Public functions of `burn-tensor`.

use super::counterpart;
use super::operation::{Area, Operation};
use super::rustdoc::{Crate, Item};
use serde_json::Value;
use std::collections::BTreeMap;

/// Types whose methods are operations; those of others are theirs.
const TYPES: [&str; 3] = ["Tensor", "DynTensor", "NamedTensor"];

/// Returns the operations of a crate: `x` and `try_x` are one.
pub(super) fn read(of: &Crate) -> Vec<Operation> {
    let modules = of.modules();
    let mut all = Vec::new();
    for (path, item) in &of.public() {
        let first = item.module().split('/').next().unwrap_or_default();
        let is_at_root = !path.contains("::");
        let area = match modules.contains(&first) {
            true => Some(Area::Module(first.to_string())),
            // Functions below `ops` and `backend` are for authors of operations.
            false => is_at_root.then_some(Area::Functions),
        };
        all.extend(area.and_then(|area| operation(*item, area, Kind::Float)));
        for block in of.impls(*item).filter(|_| TYPES.contains(&item.name())) {
            let kind = Kind::of(block);
            let methods = of.items(&block["items"]);
            all.extend(methods.filter_map(|method| operation(method, area_of(block, *item, method), kind)));
        }
    }
    merged(all)
}

/// Returns one entry for `x` and `try_x`.
fn merged(all: Vec<Operation>) -> Vec<Operation> {
    let key = |operation: &Operation, name: &str| {
        let is_ambiguous = matches!(operation.area, Area::Creation | Area::Autodiff);
        let file = if is_ambiguous { operation.file.clone() } else { String::new() };
        (operation.area.clone(), name.to_string(), file)
    };
    let (fallible, plain): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|operation| operation.name.starts_with("try_"));
    let mut entries: BTreeMap<_, _> =
        plain.into_iter().map(|operation| (key(&operation, &operation.name), operation)).collect();
    for operation in fallible {
        let key = key(&operation, &operation.name["try_".len()..]);
        entries.entry(key).or_insert(operation).is_fallible = true;
    }
    entries.into_values().collect()
}

fn operation(item: Item, area: Area, kind: Kind) -> Option<Operation> {
    let signature = &item.inner("function")?["sig"];
    let (inputs, output) = (signature["inputs"].as_array()?, &signature["output"]);
    let is_real = |ty: &Value| tensors(ty, kind).iter().any(|kind| !matches!(kind, Kind::Int | Kind::Bool));
    let is_without = matches!(area, Area::Creation | Area::Autodiff) || item.docs().contains("No gradient");
    let flows = inputs.iter().any(|input| is_real(&input[1])) && is_real(output);
    let gives = last_name(output) != Some("Result") && output.get("borrowed_ref").is_none();
    Some(Operation {
        file: item.module().to_string(),
        area,
        name: item.name().to_string(),
        counterpart: counterpart::find(item.docs()),
        is_fallible: false,
        gives_tensors: gives && !tensors(output, kind).is_empty(),
        is_differentiable: flows && !is_without,
    })
}

/// Elements of the tensors that an impl block is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Every,
    Numeric,
    Float,
    Int,
    Bool,
}

impl Kind {
    fn of(block: &Value) -> Kind {
        let own = if bounds(block).any(|bound| bound == "Numeric") { Kind::Numeric } else { Kind::Every };
        tensors(&block["for"], own)[0]
    }
}

fn area_of(block: &Value, ty: Item, method: Item) -> Area {
    if ty.name() != "Tensor" {
        return Area::Type(ty.name().to_string());
    }
    let file = method.module().split('/').next().unwrap_or_default();
    if file == "gradient" || bounds(block).any(|bound| bound == "AutodiffBackend") {
        return Area::Autodiff;
    }
    if file.starts_with("creat") {
        return Area::Creation;
    }
    match Kind::of(block) {
        Kind::Every => Area::Every,
        Kind::Numeric => Area::Numeric,
        Kind::Float => Area::Float,
        Kind::Int => Area::Int,
        Kind::Bool => Area::Bool,
    }
}

/// Returns the traits that the type parameters of a block have.
fn bounds(block: &Value) -> impl Iterator<Item = &str> {
    let parameters = block["generics"]["params"].as_array().into_iter().flatten();
    let bounds = parameters.filter_map(|parameter| parameter["kind"]["type"]["bounds"].as_array());
    bounds.flatten().filter_map(|bound| last(bound["trait_bound"]["trait"]["path"].as_str()?))
}

/// Returns the kind of each tensor in a type, where `Self` and `K` are of the kind `own`.
fn tensors(ty: &Value, own: Kind) -> Vec<Kind> {
    if ty["generic"] == "Self" {
        return vec![own];
    }
    let arguments = ty["resolved_path"]["args"]["angle_bracketed"]["args"].as_array().into_iter().flatten();
    let mut arguments = arguments.map(|argument| &argument["type"]).filter(|argument| !argument.is_null());
    if last_name(ty).is_some_and(|name| TYPES.contains(&name)) {
        let kind = arguments.next_back().map(|kind| (last_name(kind), kind["generic"] == "K"));
        return vec![match kind {
            Some((Some("Int"), _)) => Kind::Int,
            Some((Some("Bool"), _)) => Kind::Bool,
            Some((_, true)) => own,
            _ => Kind::Float,
        }];
    }
    let tuple = ty["tuple"].as_array().into_iter().flatten();
    let inner = [&ty["array"]["type"], &ty["slice"], &ty["borrowed_ref"]["type"]];
    let inner = inner.into_iter().filter(|inner| !inner.is_null());
    arguments.chain(tuple).chain(inner).flat_map(|ty| tensors(ty, own)).collect()
}

fn last_name(ty: &Value) -> Option<&str> {
    last(ty["resolved_path"]["path"].as_str()?)
}

fn last(path: &str) -> Option<&str> {
    path.rsplit("::").next()
}

#[cfg(test)]
mod tests {
    use super::super::counterpart::Counterpart;
    use super::*;
    use serde_json::json;

    fn tensor(kind: Value) -> Value {
        let arguments = json!([{"type": {"generic": "B"}}, {"const": {"expr": "D"}}, {"type": kind}]);
        json!({"resolved_path": {"path": "crate::Tensor", "args": {"angle_bracketed": {"args": arguments}}}})
    }

    fn int() -> Value {
        json!({"resolved_path": {"path": "Int", "args": null}})
    }

    #[test]
    fn tensors_are_found_in_types_of_any_shape() {
        let own = json!({"generic": "Self"});
        let result = |ty: Value| json!({"resolved_path": {"path": "Result", "args": {"angle_bracketed": {"args": [{"type": ty}]}}}});
        let pair = json!({"tuple": [{"array": {"type": tensor(int()), "len": "2"}}, {"borrowed_ref": {"type": own}}]});
        assert_eq!(tensors(&result(pair), Kind::Bool), [Kind::Int, Kind::Bool]);
        assert_eq!(tensors(&tensor(json!({"generic": "K"})), Kind::Numeric), [Kind::Numeric]);
        assert!(tensors(&result(json!({"primitive": "f32"})), Kind::Float).is_empty());
    }

    #[test]
    fn methods_and_functions_of_public_modules_are_operations() {
        let function = |id: u8, name: &str, file: &str, docs: &str, output: Value| {
            let signature = json!({"inputs": [["self", {"generic": "Self"}]], "output": output});
            let span = json!({"filename": format!("crates/burn-tensor/src/{file}.rs")});
            json!({"id": id, "name": name, "docs": docs, "span": span, "inner": {"function": {"sig": signature}}})
        };
        let own = json!({"generic": "Self"});
        let numeric = json!({"bounds": [{"trait_bound": {"trait": {"path": "crate::Numeric"}}}]});
        let block = json!({"trait": null, "for": tensor(json!({"generic": "K"})), "items": [3, 4, 5, 6],
            "generics": {"params": [{"name": "K", "kind": {"type": numeric}}]}});
        let order = "order";
        let of = Crate::of(json!({"root": 0, "index": {
            "0": {"id": 0, "name": "burn_tensor", "inner": {"module": {"items": [1, 7, 9]}}},
            "1": {"id": 1, "name": "Tensor", "inner": {"struct": {"impls": [2]}}},
            "2": {"id": 2, "inner": {"impl": block}},
            "3": function(3, "max", order, "Largest. PyTorch: `torch.max`.", own.clone()),
            "4": function(4, "try_max", order, "Largest.", own.clone()),
            "5": function(5, "argmax", order, "", tensor(int())),
            "6": function(6, "try_floor", order, "No gradient flows.", own.clone()),
            "7": {"id": 7, "name": "activation", "inner": {"module": {"items": [8]}}},
            "8": function(8, "shape", "activation/shape", "PyTorch has no counterpart.", own),
            "9": {"id": 9, "inner": {"use": {"id": 8, "name": "shape", "is_glob": false}}},
        }}));
        let all = read(&of.unwrap());
        let found: Vec<_> = all
            .iter()
            .map(|found| (found.name.as_str(), found.is_fallible, found.is_differentiable))
            .collect();
        let expected = [
            ("argmax", false, false),
            ("try_floor", true, false),
            ("max", true, true),
            ("shape", false, true),
        ];
        assert_eq!(found, expected);
        assert_eq!(all[2].area, Area::Numeric);
        assert_eq!(all[2].counterpart, Some(Counterpart::Named("`torch.max`".into())));
        assert_eq!(all[3].area, Area::Module("activation".into()));
    }
}

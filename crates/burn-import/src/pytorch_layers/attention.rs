//! Multi-head attention: PyTorch has the projections of queries, keys and values in one matrix where their
//! inputs are of one size.

use super::Named;
use burn_core::weights::{NamedTensor, concatenate};

const PROJECTIONS: [&str; 3] = ["query", "key", "value"];

pub fn adapt(tensor: NamedTensor, out: &mut Vec<NamedTensor>) {
    let part = match tensor.name() {
        "in_proj_weight" => "weight",
        "in_proj_bias" => "bias",
        "q_proj_weight" => return out.push(tensor.renamed("query.weight")),
        "k_proj_weight" => return out.push(tensor.renamed("key.weight")),
        "v_proj_weight" => return out.push(tensor.renamed("value.weight")),
        name => match name.strip_prefix("out_proj.") {
            Some(rest) => {
                let name = format!("output.{rest}");
                return out.push(tensor.renamed(&name));
            }
            None => return out.push(tensor),
        },
    };
    let size = tensor.shape().iter().next().copied().unwrap_or(0) / PROJECTIONS.len();
    for (number, name) in PROJECTIONS.into_iter().enumerate() {
        let rows = tensor.clone().rows(number * size..(number + 1) * size);
        out.extend(rows.map(|rows| rows.renamed(&format!("{name}.{part}"))));
    }
}

pub fn restore(tensors: Vec<Named>) -> Vec<Named> {
    let find = |name: &str, part: &str| {
        let wanted = format!("{name}.{part}");
        tensors.iter().find(|(name, _)| *name == wanted).map(|(_, data)| data.clone())
    };
    let mut out = Vec::new();
    for part in ["weight", "bias"] {
        let parts: Option<Vec<_>> = PROJECTIONS.iter().map(|name| find(name, part)).collect();
        let Some(parts) = parts else { continue };
        match concatenate(&parts) {
            // Bytes of weights of one size are those of one matrix; its rows are three times the embedding
            // dimension.
            Some(whole) if part == "bias" || parts.iter().all(|part| part.shape[0] == part.shape[1]) => {
                out.push((format!("in_proj_{part}"), whole));
            }
            _ => {
                let names = ["q_proj_weight", "k_proj_weight", "v_proj_weight"];
                out.extend(names.into_iter().map(str::to_string).zip(parts));
            }
        }
    }
    for (name, data) in tensors {
        if let Some(rest) = name.strip_prefix("output.") {
            out.push((format!("out_proj.{rest}"), data));
        }
    }
    out
}

//! Layers of transformers, whose fields have other names.

use super::Named;
use burn_core::weights::NamedTensor;

/// Names of PyTorch and the names here.
pub type Fields = &'static [(&'static str, &'static str)];

/// Returns the fields of the layer `name` that PyTorch names differently.
pub fn of(name: &str) -> Option<Fields> {
    match name {
        "TransformerEncoderLayer" => Some(&[
            ("self_attn", "mha"),
            ("linear1", "pwff.linear_inner"),
            ("linear2", "pwff.linear_outer"),
            ("norm1", "norm_1"),
            ("norm2", "norm_2"),
        ]),
        "TransformerDecoderLayer" => Some(&[
            ("multihead_attn", "cross_attn"),
            ("linear1", "pwff.linear_inner"),
            ("linear2", "pwff.linear_outer"),
            ("norm1", "norm_1"),
            ("norm2", "norm_2"),
            ("norm3", "norm_3"),
        ]),
        _ => None,
    }
}

/// The rest of a name after the field `field` and a dot.
fn rest<'a>(name: &'a str, field: &str) -> Option<&'a str> {
    name.strip_prefix(field)?.strip_prefix('.')
}

pub fn adapt(fields: Fields, tensor: NamedTensor) -> NamedTensor {
    let new =
        fields.iter().find_map(|(theirs, ours)| Some(format!("{ours}.{}", rest(tensor.name(), theirs)?)));
    match new {
        Some(name) => tensor.renamed(&name),
        None => tensor,
    }
}

pub fn restore(fields: Fields, tensors: Vec<Named>) -> Vec<Named> {
    let restore = |(name, data): Named| {
        let old = fields.iter().find_map(|(theirs, ours)| Some(format!("{theirs}.{}", rest(&name, ours)?)));
        (old.unwrap_or(name), data)
    };
    tensors.into_iter().map(restore).collect()
}

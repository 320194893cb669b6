//! Names and layouts of PyTorch's layers, a file per family. A family is a function that takes a tensor
//! apart, and one that puts it together; what it leaves alone is the same in both.

mod attention;
mod named;
mod norm;
mod recurrent;
mod renamed_fields;

use burn_core::weights::{LayerAdapter, NamedTensor, transpose};
use named::Named;

/// Translates between the names and layouts of `torch.nn` and those of `burn_nn`.
///
/// | layer | PyTorch | here |
/// |---|---|---|
/// | `Linear` | `weight`, `[out, in]` | `weight`, `[in, out]` |
/// | norms | `weight`, `bias` | `gamma`, `beta` |
/// | `BatchNorm` | `num_batches_tracked` | not needed |
/// | `PRelu` | `weight` | `alpha` |
/// | `Rnn`, `Gru`, `Lstm` and those of two directions | `weight_ih_l0`, `bias_hh_l1_reverse`: all gates in one matrix | a pair of linear layers for each gate |
/// | `MultiHeadAttention` | `in_proj_weight`, `out_proj` | `query`, `key`, `value`, `output` |
/// | layers of transformers | `linear1`, `norm1`, `multihead_attn` | `pwff.linear_inner`, `norm_1`, `cross_attn` |
///
/// Only layers of `burn_nn` are translated, found by the path of their type; a layer of a program that has
/// the same name is left as it is. Tensors that have the names of this framework already keep them.
#[derive(Clone, Copy, Debug, Default)]
pub struct PyTorchLayers;

/// Layers whose translation is the same.
enum Family {
    Linear,
    Norm,
    PRelu,
    Recurrent(recurrent::Cell),
    Attention,
    RenamedFields(renamed_fields::Fields),
}

/// The family of the type with this path.
fn family(layer: &str) -> Option<Family> {
    let name = layer.strip_prefix("burn_nn::")?.rsplit("::").next()?;
    Some(match name {
        "Linear" => Family::Linear,
        "BatchNorm" | "LayerNorm" | "GroupNorm" | "InstanceNorm" | "RmsNorm" => Family::Norm,
        "PRelu" => Family::PRelu,
        "MultiHeadAttention" => Family::Attention,
        name => match recurrent::Cell::of(name) {
            Some(cell) => Family::Recurrent(cell),
            None => Family::RenamedFields(renamed_fields::of(name)?),
        },
    })
}

impl LayerAdapter for PyTorchLayers {
    fn adapt(&self, layer: &str, tensor: NamedTensor, out: &mut Vec<NamedTensor>) {
        match family(layer) {
            None => out.push(tensor),
            Some(Family::Linear) if tensor.name() == "weight" => out.push(tensor.transposed()),
            Some(Family::Linear) => out.push(tensor),
            Some(Family::Norm) => norm::adapt(tensor, out),
            Some(Family::PRelu) if tensor.name() == "weight" => out.push(tensor.renamed("alpha")),
            Some(Family::PRelu) => out.push(tensor),
            Some(Family::Recurrent(cell)) => cell.adapt(tensor, out),
            Some(Family::Attention) => attention::adapt(tensor, out),
            Some(Family::RenamedFields(fields)) => out.push(renamed_fields::adapt(fields, tensor)),
        }
    }

    fn restore(&self, layer: &str, tensors: Vec<Named>) -> Vec<Named> {
        let renamed = |tensors: Vec<Named>, old: &str, new: &str| {
            let rename = |(name, data)| if name == old { (new.to_string(), data) } else { (name, data) };
            tensors.into_iter().map(rename).collect()
        };
        match family(layer) {
            None => tensors,
            Some(Family::Linear) => {
                let restore =
                    |(name, data)| if name == "weight" { (name, transpose(&data)) } else { (name, data) };
                tensors.into_iter().map(restore).collect()
            }
            Some(Family::Norm) => renamed(renamed(tensors, "gamma", "weight"), "beta", "bias"),
            Some(Family::PRelu) => renamed(tensors, "alpha", "weight"),
            Some(Family::Recurrent(cell)) => cell.restore(tensors),
            Some(Family::Attention) => attention::restore(tensors),
            Some(Family::RenamedFields(fields)) => renamed_fields::restore(fields, tensors),
        }
    }
}

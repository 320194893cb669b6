//! `weight` and `bias` of norms.

use burn_core::weights::NamedTensor;

pub fn adapt(tensor: NamedTensor, out: &mut Vec<NamedTensor>) {
    match tensor.name() {
        "weight" => out.push(tensor.renamed("gamma")),
        "bias" => out.push(tensor.renamed("beta")),
        // PyTorch counts batches for averages without momentum, which the layers here do not have.
        "num_batches_tracked" => {}
        _ => out.push(tensor),
    }
}

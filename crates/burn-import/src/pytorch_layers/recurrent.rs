//! Recurrent networks: PyTorch has the weights of all gates of a layer one below the other, in this order.

use super::Named;
use burn_core::tensor::TensorData;
use burn_core::weights::{NamedTensor, concatenate};

/// One kind of recurrent network.
#[derive(Clone, Copy)]
pub struct Cell {
    /// The fields of a layer, in PyTorch's order; one without a name is the layer itself.
    gates: &'static [&'static str],
    /// Whether there is a second direction.
    is_bidirectional: bool,
}

/// Fields of a gate and PyTorch's names of them.
const TRANSFORMS: [(&str, &str); 2] = [("input_transform", "ih"), ("hidden_transform", "hh")];

impl Cell {
    /// Returns the recurrent network type of the layer `name`.
    pub fn of(name: &str) -> Option<Self> {
        let (is_bidirectional, cell) = match name.strip_prefix("Bi") {
            Some(cell) => (true, cell),
            None => (false, name),
        };
        let gates: &[&str] = match cell.to_ascii_lowercase().as_str() {
            "lstm" => &["input_gate", "forget_gate", "cell_gate", "output_gate"],
            "gru" => &["reset_gate", "update_gate", "new_gate"],
            "rnn" => &[""],
            _ => return None,
        };
        Some(Cell { gates, is_bidirectional })
    }

    /// Name of the field with the layers of one direction.
    fn layers(self, is_reverse: bool) -> &'static str {
        match (self.is_bidirectional, is_reverse) {
            (false, _) => "layers",
            (true, false) => "forward",
            (true, true) => "reverse",
        }
    }

    pub fn adapt(self, tensor: NamedTensor, out: &mut Vec<NamedTensor>) {
        let Some((part, transform, layer, is_reverse)) = parse(tensor.name()) else {
            return out.push(tensor);
        };
        if is_reverse && !self.is_bidirectional {
            return out.push(tensor);
        }
        let layers = self.layers(is_reverse);
        let size = tensor.shape().iter().next().copied().unwrap_or(0) / self.gates.len();
        for (number, gate) in self.gates.iter().enumerate() {
            let rows = tensor.clone().rows(number * size..(number + 1) * size);
            let dot = if gate.is_empty() { "" } else { "." };
            let name = format!("{layers}.{layer}.{gate}{dot}{transform}.{part}");
            out.extend(rows.map(|rows| rows.renamed(&name)));
        }
    }

    pub fn restore(self, tensors: Vec<Named>) -> Vec<Named> {
        let find = |name: &str| tensors.iter().find(|(found, _)| found == name).map(|(_, data)| data.clone());
        let mut out = Vec::new();
        for layer in 0.. {
            let before = out.len();
            for (is_reverse, suffix) in [(false, ""), (true, "_reverse")] {
                if is_reverse && !self.is_bidirectional {
                    continue;
                }
                for part in ["weight", "bias"] {
                    for (transform, short) in TRANSFORMS {
                        let gate = |gate: &&str| {
                            let dot = if gate.is_empty() { "" } else { "." };
                            let layers = self.layers(is_reverse);
                            find(&format!("{layers}.{layer}.{gate}{dot}{transform}.{part}"))
                        };
                        let gates: Option<Vec<TensorData>> = self.gates.iter().map(gate).collect();
                        if let Some(whole) = gates.and_then(|gates| concatenate(&gates)) {
                            out.push((format!("{part}_{short}_l{layer}{suffix}"), whole));
                        }
                    }
                }
            }
            if out.len() == before {
                break;
            }
        }
        out
    }
}

/// `weight_ih_l0_reverse` as `weight`, `input_transform`, the number of the layer, and whether it is the
/// second direction.
fn parse(name: &str) -> Option<(&str, &'static str, usize, bool)> {
    let (name, is_reverse) = match name.strip_suffix("_reverse") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let (name, layer) = name.rsplit_once("_l")?;
    let (part, short) = name.split_once('_')?;
    let transform = TRANSFORMS.iter().find(|(_, theirs)| *theirs == short)?.0;
    matches!(part, "weight" | "bias").then_some((part, transform, layer.parse().ok()?, is_reverse))
}

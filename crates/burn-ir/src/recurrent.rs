//! Recurrent networks over whole sequences.

use alloc::vec::Vec;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Formula of one step of a recurrent network, from `x`, the projection of its input, and its state before
/// the step.
///
/// `h` is the hidden state, `c` the cell state, `W` the recurrent weight, `s` the logistic function. The
/// columns of `x` and of `W` are those of the gates, one after the other, in the order that is given here,
/// which is that of PyTorch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecurrentKind {
    /// `h' = tanh(x + h W)` (Elman, 1990).
    Tanh,
    /// `h' = max(x + h W, 0)`.
    Relu,
    /// Gated recurrent unit whose reset gate comes after the product, as in PyTorch and cuDNN. Gates `r, z,
    /// n`: `r = s(x_r + h W_r)`, `z = s(x_z + h W_z)`, `n = tanh(x_n + r (h W_n + b))`, `h' = (1 - z) n + z
    /// h`.
    Gru,
    /// Gated recurrent unit as it was published (Cho et al., 2014), whose reset gate comes before the
    /// product: as [`RecurrentKind::Gru`], but `n = tanh(x_n + (r h) W_n)`.
    GruResetBefore,
    /// Long short-term memory (Hochreiter and Schmidhuber, 1997). Gates `i, f, g, o`: `i, f, o = s(x + h W)`,
    /// `g = tanh(x_g + h W_g)`, `c' = f c + i g`, `h' = o tanh(c')`.
    Lstm,
}

impl RecurrentKind {
    /// Every kind, in declaration order.
    pub const ALL: [RecurrentKind; 5] = [
        RecurrentKind::Tanh,
        RecurrentKind::Relu,
        RecurrentKind::Gru,
        RecurrentKind::GruResetBefore,
        RecurrentKind::Lstm,
    ];

    /// Returns the number of gates: the recurrent weight is `[hidden, gates * hidden]`.
    pub fn gates(self) -> usize {
        match self {
            RecurrentKind::Tanh | RecurrentKind::Relu => 1,
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => 3,
            RecurrentKind::Lstm => 4,
        }
    }

    /// Returns the number of states passed from step to step: the hidden state, and the cell state if there
    /// is one.
    pub fn states(self) -> usize {
        match self {
            RecurrentKind::Tanh
            | RecurrentKind::Relu
            | RecurrentKind::Gru
            | RecurrentKind::GruResetBefore => 1,
            RecurrentKind::Lstm => 2,
        }
    }

    /// Returns the number of activations saved for the gradient, for each unit and step, besides the hidden
    /// states: `r, z, n` and `h W_n + b`; `r, z, n`; or `i, f, g, o` and `c'`.
    pub fn activations(self) -> usize {
        match self {
            RecurrentKind::Tanh | RecurrentKind::Relu => 0,
            RecurrentKind::Gru => 4,
            RecurrentKind::GruResetBefore => 3,
            RecurrentKind::Lstm => 5,
        }
    }
}

/// Arguments of a recurrent network of one layer and direction over a batch of sequences.
///
/// With `G` [gates](RecurrentKind::gates) and `S` [states](RecurrentKind::states), the first result, `[time +
/// S, batch, hidden]`, has the hidden states of all steps, then the last hidden state, then the last cell
/// state. The second one, `[time, batch, activations hidden]`, has the
/// [activations](RecurrentKind::activations); it is `[time, batch, 0]` unless they are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct RecurrentArgs<T> {
    pub kind: RecurrentKind,
    /// Projection of the input with all biases but `bias`: `[time, batch, G hidden]`.
    pub gates: T,
    /// Recurrent weight: `[hidden, G hidden]`.
    pub weight: T,
    /// Hidden state before the first step: `[batch, hidden]`.
    pub hidden: T,
    /// Cell state before the first step, `[batch, hidden]`: of [`RecurrentKind::Lstm`].
    pub cell: Option<T>,
    /// Bias that the reset gate multiplies, `[hidden]`, zero if absent: of [`RecurrentKind::Gru`] only.
    pub bias: Option<T>,
    /// Number of steps of each sequence. Later ones are padding: hidden states and activations are zero
    /// there, and the last state is that of the last step before it.
    pub lengths: Option<Vec<usize>>,
    /// Whether the steps go from the last one to the first one.
    pub reverse: bool,
    /// Whether activations are kept for gradients.
    pub keep_activations: bool,
}

/// Arguments of the gradients of [`RecurrentArgs`]: by `gates`, and by the states before the first step, `[S,
/// batch, hidden]`. The others follow from these by products.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct RecurrentGradArgs<T> {
    pub kind: RecurrentKind,
    /// Gradient of the first result.
    pub grad: T,
    /// The first result.
    pub states: T,
    /// The second result.
    pub activations: T,
    pub weight: T,
    /// The state before the first step that gates multiply: the hidden one of a gated recurrent unit, the
    /// cell state of [`RecurrentKind::Lstm`]; otherwise absent.
    pub initial: Option<T>,
    pub lengths: Option<Vec<usize>>,
    pub reverse: bool,
}

use crate::check::{check, together};
use crate::promotion::all_promoted;
use crate::{Tensor, TensorError};
use alloc::boxed::Box;
use alloc::vec::Vec;
pub use burn_backend::RecurrentKind;
use burn_backend::{Backend, HasSpec, Operation, Recurrent, RecurrentArgs, Shape, Slice};
use burn_derive::fallible;

/// State of a recurrent network between two steps.
#[derive(Clone, Debug)]
pub struct RecurrentState<B: Backend> {
    /// Hidden state, `[batch, hidden]`.
    pub hidden: Tensor<B, 2>,
    /// Cell state, `[batch, hidden]`: of [`RecurrentKind::Lstm`] only.
    pub cell: Option<Tensor<B, 2>>,
}

/// Options of a recurrent network.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentOptions {
    pub kind: RecurrentKind,
    /// Whether the steps go from the last one to the first one.
    pub reverse: bool,
    /// Number of steps of each sequence; the others are padding.
    pub lengths: Option<Vec<usize>>,
}

/// Computes the hidden states of a recurrent network of one layer and direction at each step, `[time, batch,
/// hidden]`, and its state after the last one. PyTorch: `torch.nn.RNN`, `torch.nn.GRU` and `torch.nn.LSTM`.
///
/// `gates` is the projection of the input with its biases, `[time, batch, gates hidden]`, `weight` the
/// recurrent weight, `[hidden, gates hidden]`; [`RecurrentKind`] has the formulas and the order of the gates.
/// `bias`, `[hidden]`, is the one inside the reset gate of [`RecurrentKind::Gru`]. A sequence that is shorter
/// than `time` has zeros at the steps of its padding, and its last state is that after its own last step. All
/// steps are one operation.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, module::*};
/// fn hidden_states<B: Backend>(gates: Tensor<B, 3>, weight: Tensor<B, 2>, hidden: Tensor<B, 2>) -> Tensor<B, 3> {
///     let options = RecurrentOptions { kind: RecurrentKind::Gru, reverse: false, lengths: None };
///     recurrent(gates, weight, None, RecurrentState { hidden, cell: None }, options).0
/// }
/// ```
///
/// # Errors
/// When shapes do not fit each other, when a state or a bias is missing that the kind has, or given that it
/// has not, and when a length is above `time`.
#[fallible]
pub fn try_recurrent<B: Backend>(
    gates: Tensor<B, 3>,
    weight: Tensor<B, 2>,
    bias: Option<Tensor<B, 1>>,
    state: RecurrentState<B>,
    options: RecurrentOptions,
) -> Result<(Tensor<B, 3>, RecurrentState<B>), TensorError> {
    let RecurrentOptions { kind, reverse, lengths } = options;
    let keep_activations = B::tracks_gradients(&gates.device());
    let args = RecurrentArgs {
        kind,
        gates: gates.into_handle(),
        weight: weight.into_handle(),
        hidden: state.hidden.into_handle(),
        cell: state.cell.map(Tensor::into_handle),
        bias: bias.map(Tensor::into_handle),
        lengths,
        reverse,
        keep_activations,
    };
    let mut operands = Vec::new();
    let args = args.map(|x| operands.push(x));
    let mut operands = all_promoted::<B>(operands).into_iter();
    let args = args.map(|()| operands.next().expect("as many as there were"));
    check(&Operation::Recurrent(Recurrent::Recurrent(Box::new(args.map_ref(HasSpec::spec)))))?;
    let mut others = Vec::new();
    args.visit(|x| others.push(x));
    together::<B>("recurrent", &args.gates, &others)?;
    let shape = args.gates.shape();
    let (time, state_shape) = (shape[0], args.hidden.shape());
    let states = B::recurrent(args).0;
    let rows =
        |range: core::ops::Range<usize>| B::slice(states.clone(), [Slice::from(range)].into_iter().collect());
    let state = |at: usize| {
        let shape = Shape::clone(&state_shape);
        Tensor::from_handle(B::reshape(rows(time + at..time + at + 1), shape))
    };
    let last = RecurrentState { hidden: state(0), cell: (kind.states() > 1).then(|| state(1)) };
    Ok((Tensor::from_handle(rows(0..time)), last))
}

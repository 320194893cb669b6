use burn_core::tensor::{Backend, Tensor};

/// State of an LSTM between two steps, for every layer and direction: `[num_layers, batch, d_hidden]` each,
/// and `[2 num_layers, batch, d_hidden]` of a bidirectional one, whose directions alternate, the forward one
/// first.
///
/// PyTorch: the pair `(h_n, c_n)` of `torch.nn.LSTM`.
#[derive(Clone, Debug)]
pub struct LstmState<B: Backend> {
    /// Cell state.
    pub cell: Tensor<B, 3>,
    /// Hidden state.
    pub hidden: Tensor<B, 3>,
}

impl<B: Backend> LstmState<B> {
    pub fn new(cell: Tensor<B, 3>, hidden: Tensor<B, 3>) -> Self {
        LstmState { cell, hidden }
    }
}

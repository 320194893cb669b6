//! Calls of recurrent layers on whole sequences.

macro_rules! forward_sequences {
    ($layer:ident, $forward:ident, $state:ty, $output:literal, $states:literal) => {
        #[fallible(layer)]
        impl<B: Backend> $layer<B> {
            #[doc = concat!("Applies the layer to whole sequences: `[batch, time, d_input]` to `", $output, "`,")]
            /// the hidden states of the last layer at each step, and the states of all layers after the last
            #[doc = concat!("step, ", $states, ". Before the first step the states are `state`, or zero.")]
            ///
            /// # Errors
            /// The last dimension of the input is not `d_input`, or the state has another shape.
            pub fn try_forward(
                &self,
                x: Tensor<B, 3>,
                state: Option<$state>,
            ) -> Result<(Tensor<B, 3>, $state), TensorError> {
                $forward(NAME, || self.stack(), x, None, state)
            }

            /// [`forward`](Self::forward) of sequences of these lengths, which are padded to the longest one:
            /// hidden states are zero at the steps of the padding, and the last state is that after the last
            /// step of each sequence.
            ///
            /// PyTorch: the layer on `torch.nn.utils.rnn.pack_padded_sequence(.., enforce_sorted=False)`.
            ///
            /// # Errors
            /// As [`forward`](Self::forward), or there is another number of lengths than of sequences, or one
            /// is above the sequence length of the input.
            pub fn try_forward_packed(
                &self,
                x: Tensor<B, 3>,
                lengths: impl Into<SequenceLengths>,
                state: Option<$state>,
            ) -> Result<(Tensor<B, 3>, $state), TensorError> {
                $forward(NAME, || self.stack(), x, Some(lengths.into()), state)
            }
        }
    };
}
pub(super) use forward_sequences;

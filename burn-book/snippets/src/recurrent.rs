//! Recurrent layers.

use burn::backend::NdArray;

#[test]
fn a_recurrent_layer_goes_through_sequences() {
    let device = Default::default();
    // ANCHOR: recurrent
    use burn::nn::{Lstm, LstmConfig};
    use burn::prelude::*;

    let lstm: Lstm<NdArray> = LstmConfig::new(4, 8, true).with_num_layers(2).init(&device);
    let x = Tensor::<NdArray, 3>::ones([3, 5, 4], &device); // [batch, time, d_input]

    // The hidden states of the last layer at each step, and the states of all layers after the last one.
    let (y, state) = lstm.forward(x.clone(), None);
    assert_eq!((y.dims(), state.hidden.dims()), ([3, 5, 8], [2, 3, 8]));

    // The next part of the sequences goes on from that state.
    let (next, _) = lstm.forward(x.clone(), Some(state));

    // Sequences of 5, 3 and 1 steps, padded to one length: the output after their ends is 0, and the state
    // is the one after the last step of each.
    let (packed, last) = lstm.forward_packed(x, [5, 3, 1], None);
    // ANCHOR_END: recurrent
    assert_eq!(next.dims(), [3, 5, 8]);
    let end = packed.clone().slice(s![2, 0]).flatten::<1>(0, 2);
    assert!(last.hidden.slice(s![1, 2]).flatten::<1>(0, 2).all_close(end, None, Some(1e-6)));
    assert_eq!(packed.slice(s![1, 3..]).abs().sum().into_scalar(), 0.0);
}

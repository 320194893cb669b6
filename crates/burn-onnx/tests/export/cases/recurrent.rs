//! Recurrent layers.

use super::{C, Case, case, numbers};
use burn::nn::{BiLstm, BiLstmConfig, Gru, GruConfig, Lstm, LstmConfig, LstmState, Rnn, RnnConfig};
use burn_onnx::export::OnnxExport;

pub fn cases() -> Vec<Case> {
    let device = Default::default();
    let both = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch").dynamic("x", 1, "time");
    let inputs = || vec![numbers([2, 5, 3]), numbers([4, 8, 3]), numbers([1, 1, 3])];
    let lstm: Lstm<C> = LstmConfig::new(3, 4, true).with_num_layers(2).init(&device);
    let bi_lstm: BiLstm<C> = BiLstmConfig::new(3, 4, true).init(&device);
    let gru: Gru<C> = GruConfig::new(3, 4, true).init(&device);
    let first: Gru<C> = GruConfig::new(3, 4, false).with_reset_after(false).init(&device);
    let rnn: Rnn<C> = RnnConfig::new(3, 4, true).init(&device);
    let states = OnnxExport::new()
        .inputs(["x", "cell", "hidden"])
        .outputs(["y", "cell_n", "hidden_n"])
        .dynamic("x", 0, "batch")
        .dynamic("cell", 1, "batch")
        .dynamic("hidden", 1, "batch");
    let with_state = |batch| (numbers([batch, 5, 3]), numbers([2, batch, 4]), numbers([2, batch, 4]) * 0.5);
    vec![
        case("lstm", both(), &lstm, inputs(), |lstm, x| {
            let (y, state) = lstm.forward(x, None);
            (y, state.cell, state.hidden)
        }),
        case("lstm_state", states, &lstm, vec![with_state(2), with_state(3)], |lstm, (x, cell, hidden)| {
            let (y, state) = lstm.forward(x, Some(LstmState::new(cell, hidden)));
            (y, state.cell, state.hidden)
        }),
        case("lstm_lengths", OnnxExport::new(), &lstm, vec![numbers([2, 5, 3])], |lstm, x| {
            lstm.forward_packed(x, vec![3, 5], None).0
        }),
        case("bi_lstm", both(), &bi_lstm, inputs(), |lstm, x| lstm.forward(x, None).0),
        case("gru", both(), &gru, inputs(), |gru, x| gru.forward(x, None)),
        case("gru_reset_before", both(), &first, inputs(), |gru, x| gru.forward(x, None).0),
        case("rnn", both(), &rnn, inputs(), |rnn, x| rnn.forward(x, None).0),
    ]
}

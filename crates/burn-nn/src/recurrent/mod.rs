//! Recurrent layers: networks that go through a sequence step by step.

mod bi_gru;
mod bi_lstm;
mod bi_rnn;
mod config;
mod forward;
mod gate_controller;
mod gru;
mod joined_gates;
mod lstm;
mod lstm_state;
mod rnn;
mod sequence_lengths;
mod settings;
mod sizes;
mod stack;

pub use bi_gru::{BiGru, BiGruConfig, BiGruRecord};
pub use bi_lstm::{BiLstm, BiLstmConfig, BiLstmRecord};
pub use bi_rnn::{BiRnn, BiRnnConfig, BiRnnRecord};
pub use gate_controller::{GateController, GateControllerRecord};
pub use gru::{Gru, GruConfig, GruLayer, GruLayerRecord, GruRecord};
pub use lstm::{Lstm, LstmConfig, LstmLayer, LstmLayerRecord, LstmRecord};
pub use lstm_state::LstmState;
pub use rnn::{Rnn, RnnConfig, RnnNonlinearity, RnnRecord};
pub use sequence_lengths::SequenceLengths;

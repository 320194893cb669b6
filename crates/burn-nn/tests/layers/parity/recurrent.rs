use super::{Case, Outcome};
use burn::nn::{
    BiGruConfig, BiLstmConfig, BiRnnConfig, GruConfig, LstmConfig, LstmState, RnnConfig, SequenceLengths,
};
use burn::tensor::{AutodiffBackend, Tensor};

/// Calls a layer with what the case has: a state, lengths, both or none.
macro_rules! call {
    ($case:ident, $layer:ident, $state:expr) => {{
        let (x, state) = ($case.float::<3>("x"), $state);
        match $case.has_input("lengths") {
            true => $layer.forward_packed(x, SequenceLengths::from($case.int::<1>("lengths")), state),
            false => $layer.forward(x, state),
        }
    }};
}

fn hidden<B: AutodiffBackend>(case: &Case<'_, B>) -> Option<Tensor<B, 3>> {
    case.has_input("hidden").then(|| case.float::<3>("hidden"))
}

fn lstm_state<B: AutodiffBackend>(case: &Case<'_, B>) -> Option<LstmState<B>> {
    hidden(case).map(|hidden| LstmState::new(case.float::<3>("cell"), hidden))
}

macro_rules! lstm {
    ($case:ident, $config:ty) => {
        $case.check($case.config::<$config>().init(&$case.device()), |layer| {
            let (y, LstmState { cell, hidden }) = call!($case, layer, lstm_state($case));
            (y, hidden, cell)
        })
    };
}

macro_rules! one_state {
    ($case:ident, $config:ty) => {
        $case.check($case.config::<$config>().init(&$case.device()), |layer| {
            call!($case, layer, hidden($case))
        })
    };
}

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    match case.layer() {
        "Rnn" => one_state!(case, RnnConfig),
        "BiRnn" => one_state!(case, BiRnnConfig),
        "Gru" => one_state!(case, GruConfig),
        "BiGru" => one_state!(case, BiGruConfig),
        "Lstm" => lstm!(case, LstmConfig),
        "BiLstm" => lstm!(case, BiLstmConfig),
        other => panic!("no layer {other}"),
    }
}

use super::{Emit, floats};
use crate::Case;
use crate::definition::evaluate;
use crate::input::{Input, MemoryLayout, spread};
use burn_backend::{DType, Operation, Recurrent, RecurrentArgs, RecurrentGradArgs, RecurrentKind};

type Args = RecurrentArgs<Input>;

/// `[time, batch, size]`: ordinary ones, those of one element or none, tiles that are whole, and those that are not,
/// with and without enough steps for a packed weight.
const SIZES: [[usize; 3]; 9] =
    [[3, 2, 3], [5, 3, 17], [1, 1, 1], [2, 50, 5], [6, 5, 48], [4, 1, 70], [0, 2, 3], [3, 0, 2], [3, 2, 0]];

fn plain(kind: RecurrentKind, [time, batch, size]: [usize; 3], dtype: DType) -> Args {
    let state = |low, high| spread([batch, size], dtype, low, high);
    // Sums of many terms stay where gates are not saturated.
    let range = 1.5 / (size.max(1) as f64).sqrt();
    RecurrentArgs {
        kind,
        gates: spread([time, batch, kind.gates() * size], dtype, -1.75, 2.0),
        weight: spread([size, kind.gates() * size], dtype, -range, range),
        hidden: state(-0.75, 1.0),
        cell: (kind == RecurrentKind::Lstm).then(|| state(1.5, -1.25)),
        bias: None,
        lengths: None,
        reverse: false,
        keep_activations: true,
    }
}

/// Lengths of sequences from none of the steps to all.
fn lengths(time: usize, batch: usize) -> Vec<usize> {
    (0..batch).map(|sequence| (sequence * 2 + 1) % (time + 1)).collect()
}

fn sweep(mut f: impl FnMut(String, DType, Args)) {
    for dtype in floats() {
        for kind in RecurrentKind::ALL {
            for sizes in SIZES {
                let [time, batch, size] = sizes;
                let name = |what: &str| format!("{kind:?} {sizes:?}, {what}");
                f(name("forward"), dtype, plain(kind, sizes, dtype));
                f(name("reverse"), dtype, Args { reverse: true, ..plain(kind, sizes, dtype) });
                for reverse in [false, true] {
                    let lengths = Some(lengths(time, batch));
                    let args = Args { reverse, lengths, ..plain(kind, sizes, dtype) };
                    f(name(&format!("lengths, reverse: {reverse}")), dtype, args);
                }
                if kind == RecurrentKind::Gru {
                    let bias = Some(spread([size], dtype, -0.5, 0.75));
                    f(name("bias"), dtype, Args { bias, ..plain(kind, sizes, dtype) });
                }
            }
            for layout in MemoryLayout::ALL {
                let args = plain(kind, SIZES[0], dtype).map(|x| x.laid_out(layout));
                f(format!("{kind:?} {layout:?}"), dtype, args);
            }
        }
    }
    for kind in RecurrentKind::ALL {
        let lengths = Some(lengths(5, 50));
        let args = Args { lengths, ..plain(kind, [5, 50, 70], DType::F32) };
        f(format!("{kind:?} large"), DType::F32, args);
        f(format!("{kind:?} large"), DType::F64, plain(kind, [4, 3, 70], DType::F64));
    }
}

pub fn recurrent(emit: Emit<'_>) {
    sweep(|name, dtype, args| {
        if args.gates.layout == MemoryLayout::Contiguous && name.ends_with("forward") {
            let args = Args { keep_activations: false, ..args.clone() };
            let name = format!("{name}, nothing kept");
            emit(Case::new(name, dtype, Operation::Recurrent(Recurrent::Recurrent(Box::new(args)))));
        }
        emit(Case::new(name, dtype, Operation::Recurrent(Recurrent::Recurrent(Box::new(args)))));
    });
}

pub fn recurrent_grad(emit: Emit<'_>) {
    sweep(|name, dtype, args| {
        let ([time, batch], size) =
            ([args.gates.data.shape[0], args.gates.data.shape[1]], args.weight.data.shape[0]);
        let grad = spread([time + args.kind.states(), batch, size], dtype, 1.25, -0.75);
        let grad = grad.laid_out(args.gates.layout);
        emit(Case::new(
            name,
            dtype,
            Operation::Recurrent(Recurrent::RecurrentGrad(Box::new(recurrent_grads_of(args, grad)))),
        ));
    });
}

/// The gradients of a network whose first result has the gradient `grad`.
pub fn recurrent_grads_of(args: Args, grad: Input) -> RecurrentGradArgs<Input> {
    let args = RecurrentArgs { keep_activations: true, ..args };
    let results =
        evaluate(&Operation::Recurrent(Recurrent::Recurrent(Box::new(args.by_ref().map(Input::array)))))
            .two();
    let [states, activations] = [results.0, results.1].map(|result| Input::new(result.array.to_data()));
    let RecurrentArgs { kind, weight, hidden, cell, lengths, reverse, .. } = args;
    let initial = match kind {
        RecurrentKind::Tanh | RecurrentKind::Relu => None,
        RecurrentKind::Gru | RecurrentKind::GruResetBefore => Some(hidden),
        RecurrentKind::Lstm => cell,
    };
    RecurrentGradArgs { kind, grad, states, activations, weight, initial, lengths, reverse }
}

//! Calls of functions of each element.

use super::call::{Call, F, call, constant, indices, mask, positive, x};
use crate::Family;
use crate::input::{Input, MemoryLayout, spread};
use burn_backend::*;

pub fn unary(op: UnaryOp) -> Call {
    use UnaryOp::*;
    let signed = |op| call("", Operation::Elementwise(Elementwise::Unary { op, x: x([7]) }));
    match op {
        Neg | Abs | Square | Exp | ExpM1 | Sin | Cos | Atan | Sinh | Cosh | Tanh | Asinh | Erf => signed(op),
        Sigmoid | LogSigmoid | Relu | Gelu | Silu | Sign | Floor | Ceil | Round | Trunc => signed(op),
        Log | Log1p | Sqrt | Recip => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: positive([7]) }))
        }
        Acosh => call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, 1.2, 3.0) })),
        Tan | Asin | Acos | Atanh => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, -0.8, 0.8) }))
        }
        Not => constant("", Operation::Elementwise(Elementwise::Unary { op, x: mask(&[0, 1], [2]) })),
    }
}

pub fn binary(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let left = |shape: &[usize]| match op {
        Pow => positive(shape),
        Add | Sub | Mul | Div | Remainder | Fmod | Atan2 | Hypot | Max | Min | ReluGrad => x(shape),
        And | Or | Xor | ShiftLeft | ShiftRight => x(shape),
    };
    let right = |shape: &[usize]| match op {
        Div | Pow | Atan2 | Hypot | Remainder | Fmod => spread(shape, F, 0.7, 1.6),
        Add | Sub | Mul | Max | Min | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => {
            spread(shape, F, -1.51, 1.77)
        }
    };
    match op {
        Add | Sub | Mul | Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min | ReluGrad => {}
        And | Or | Xor => {
            let bools = || mask(&[0, 1, 1], [3]);
            return vec![constant(
                "",
                Operation::Elementwise(Elementwise::Binary { op, lhs: bools(), rhs: bools() }),
            )];
        }
        ShiftLeft | ShiftRight => {
            let counts = || indices(&[0, 1, 2], [3]);
            return vec![constant(
                "",
                Operation::Elementwise(Elementwise::Binary { op, lhs: counts(), rhs: counts() }),
            )];
        }
    }
    let shapes: [(&[usize], &[usize]); 6] =
        [(&[5], &[5]), (&[2, 3], &[3]), (&[3], &[2, 3]), (&[2, 1], &[1, 3]), (&[], &[2, 2]), (&[2, 3], &[1])];
    let mut calls: Vec<Call> = shapes
        .map(|(lhs, rhs)| {
            call(
                format!("{lhs:?} {rhs:?}"),
                Operation::Elementwise(Elementwise::Binary { op, lhs: left(lhs), rhs: right(rhs) }),
            )
        })
        .into();
    let view = Operation::Elementwise(Elementwise::Binary {
        op,
        lhs: left(&[3, 2]).laid_out(MemoryLayout::Transposed),
        rhs: right(&[3, 2]).laid_out(MemoryLayout::Stepped),
    });
    calls.push(call("of views", view));
    // Both operands may be one tensor, where the operation is differentiable.
    if !matches!(op, Max | Min | Remainder | Fmod | ReluGrad) {
        let same = Operation::Elementwise(Elementwise::Binary { op, lhs: positive([4]), rhs: positive([4]) });
        calls.push(Call { alias: true, ..call("with itself", same) });
    }
    if op == ReluGrad {
        calls.iter_mut().for_each(|call| call.without_gradient = Some(0));
    }
    calls
}

pub fn binary_scalar(op: BinaryOp) -> Vec<Call> {
    use BinaryOp::*;
    let scalar = |lhs: Input, rhs: f64| {
        call(
            format!("by {rhs}"),
            Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Float(rhs) }),
        )
    };
    match op {
        Add | Sub | Mul | Max | Min => vec![scalar(x([5]), 0.3), scalar(x([5]), -1.7)],
        Div | Remainder | Fmod | Atan2 | Hypot => vec![scalar(x([5]), 0.8), scalar(x([5]), -1.7)],
        Pow => vec![
            scalar(positive([5]), 0.5),
            scalar(positive([5]), -1.3),
            scalar(x([5]), 2.0),
            scalar(x([5]), 3.0),
            scalar(x([5]), 1.0),
            scalar(x([5]), 0.0),
        ],
        ReluGrad => vec![constant(
            "",
            Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: x([5]), rhs: Scalar::Float(0.3) }),
        )],
        And | Or | Xor => {
            let lhs = mask(&[0, 1, 1], [3]);
            vec![constant(
                "",
                Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Bool(true) }),
            )]
        }
        ShiftLeft | ShiftRight => {
            let lhs = indices(&[0, 1, 2], [3]);
            vec![constant(
                "",
                Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Int(1) }),
            )]
        }
    }
}

pub fn elementwise(family: Family) -> Vec<Call> {
    let float = |x| Some(Scalar::Float(x));
    if family == Family::Clamp {
        let bounds = [(float(-0.7), float(0.9)), (float(0.1), None), (None, float(0.1)), (None, None)];
        return bounds
            .map(|(min, max)| {
                call(
                    format!("{min:?} {max:?}"),
                    Operation::Elementwise(Elementwise::Clamp { x: x([6]), min, max }),
                )
            })
            .into();
    }
    if family == Family::Cast {
        return vec![
            call("to f64", Operation::Elementwise(Elementwise::Cast { x: x([4]), dtype: F })),
            constant("to i64", Operation::Elementwise(Elementwise::Cast { x: x([4]), dtype: DType::I64 })),
            constant("to bool", Operation::Elementwise(Elementwise::Cast { x: x([4]), dtype: DType::Bool })),
        ];
    }
    let half = || mask(&[1, 0, 0, 1, 1, 0], [2, 3]);
    if family == Family::MaskFill {
        let value = Scalar::Float(3.0);
        return vec![
            call("", Operation::Elementwise(Elementwise::MaskFill { x: x([2, 3]), mask: half(), value })),
            call(
                "rows",
                Operation::Elementwise(Elementwise::MaskFill {
                    x: x([2, 3]),
                    mask: mask(&[1, 0, 1], [3]),
                    value,
                }),
            ),
        ];
    }
    vec![
        call(
            "",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: half(),
                on: x([2, 3]),
                off: positive([2, 3]),
            }),
        ),
        call(
            "broadcast",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: half(),
                on: x([3]),
                off: positive([2, 1]),
            }),
        ),
        call(
            "narrow mask",
            Operation::Elementwise(Elementwise::MaskWhere {
                mask: mask(&[1, 0], [2, 1]),
                on: x([]),
                off: positive([2, 3]),
            }),
        ),
    ]
}

//! Calls of products, factorisations and Fourier transforms.

use super::call::{Call, F, call, positive, x};
use crate::Family;
use crate::input::{Input, MemoryLayout, spread};
use crate::number::Number;
use burn_backend::*;

pub fn matmul() -> Vec<Call> {
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[2, 3], &[3, 2]),
        (&[2, 2, 3], &[2, 3, 2]),
        (&[2, 2, 3], &[3, 2]),
        (&[2, 3], &[2, 3, 2]),
        (&[2, 1, 1, 3], &[2, 3, 2]),
        (&[1, 3], &[3, 1]),
    ];
    let mut calls: Vec<Call> = shapes
        .map(|(lhs, rhs)| {
            call(
                format!("{lhs:?} {rhs:?}"),
                Operation::Linalg(Linalg::Matmul { lhs: x(lhs), rhs: positive(rhs) }),
            )
        })
        .into();
    let (lhs, rhs) =
        (x([2, 3]).laid_out(MemoryLayout::Transposed), positive([3, 2]).laid_out(MemoryLayout::Transposed));
    calls.push(call("of views", Operation::Linalg(Linalg::Matmul { lhs, rhs })));
    let same = Operation::Linalg(Linalg::Matmul { lhs: x([3, 3]), rhs: x([3, 3]) });
    calls.push(Call { alias: true, ..call("with itself", same) });
    calls
}

/// Small elements beside a diagonal of distinct ones: values far from each other, pivots that stay where they are.
fn matrices(shape: impl Into<Shape>) -> Input {
    let array = spread(shape, F, -0.45, 0.4).array();
    let rank = array.shape().rank();
    let along = |i: &[usize]| if i[rank - 2] == i[rank - 1] { 1.1 + 0.9 * i[rank - 1] as f64 } else { 0.0 };
    let at = |i: &[usize]| Number::Float(array.at(i).to_f64() + along(i));
    Input::new(crate::array::Array::build(array.shape().clone(), F, at).to_data())
}

pub fn linalg(family: Family) -> Vec<Call> {
    let square: [&[usize]; 3] = [&[1, 1], &[3, 3], &[2, 3, 3]];
    let oblong: [&[usize]; 3] = [&[4, 2], &[2, 4], &[2, 3, 2]];
    let systems: [(&[usize], &[usize]); 4] =
        [(&[3, 3], &[3, 2]), (&[2, 3, 3], &[2, 3, 1]), (&[2, 3, 3], &[3, 2]), (&[3, 3], &[2, 3, 2])];
    let shapes =
        |square_only: bool| square.into_iter().chain(oblong.into_iter().filter(move |_| !square_only));
    let mut calls = Vec::new();
    match family {
        Family::Factorize => {
            for op in Factorization::ALL {
                for shape in shapes(op.needs_square()) {
                    let x = matrices(shape);
                    calls.push(call(format!("{shape:?}"), Operation::Linalg(Linalg::Factorize { op, x })));
                }
                let x = matrices([3, 3]).laid_out(MemoryLayout::Transposed);
                calls.push(call("of a view", Operation::Linalg(Linalg::Factorize { op, x })));
            }
        }
        Family::Lu => {
            for shape in shapes(false) {
                // The last row first: the pivots are elsewhere.
                let x = matrices(shape).array();
                let (rows, row) = (x.shape()[x.shape().rank() - 2], x.shape().rank() - 2);
                let turn = |i: &[usize]| x.at(&crate::array::replace(i, row, (i[row] + 1) % rows));
                let x = crate::array::Array::build(x.shape().clone(), F, turn);
                let x = Input::new(x.to_data());
                calls
                    .push(call(format!("{shape:?}"), Operation::Linalg(Linalg::Lu { x, index: DType::I64 })));
            }
        }
        Family::Solve => {
            for (a, b) in systems {
                let op = Operation::Linalg(Linalg::Solve { a: matrices(a), b: x(b) });
                calls.push(call(format!("{a:?} {b:?}"), op));
            }
            let same = Operation::Linalg(Linalg::Solve { a: matrices([3, 3]), b: matrices([3, 3]) });
            calls.push(Call { alias: true, ..call("with itself", same) });
        }
        _ => {
            for triangle in Triangle::ALL {
                for (a, b) in systems {
                    let op = Operation::Linalg(Linalg::SolveTriangular { a: matrices(a), b: x(b), triangle });
                    calls.push(call(format!("{a:?} {b:?}, {triangle:?}"), op));
                }
            }
        }
    }
    calls
}

pub fn fft() -> Vec<Call> {
    let mut calls = Vec::new();
    for n in [1, 2, 3, 6, 7] {
        let mut add = |name: &str, op, shape: &[usize], dim| {
            calls.push(call(
                format!("{name} of {n}"),
                Operation::Spectral(Spectral::Fft { op, x: x(shape), dim }),
            ));
        };
        for op in [FftOp::Forward, FftOp::Backward] {
            add("last", op, &[2, n, 2], 1);
            add("first", op, &[n, 2, 2], 0);
        }
        add("last", FftOp::Real, &[2, n], 1);
        add("first", FftOp::Real, &[n, 3], 0);
        add("last", FftOp::Half { n }, &[2, n / 2 + 1, 2], 1);
        add("first", FftOp::Half { n }, &[n / 2 + 1, 2, 2], 0);
    }
    calls
}

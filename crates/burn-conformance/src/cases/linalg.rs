use super::{Emit, floats};
use crate::Case;
use crate::array::Array;
use crate::input::{Input, MemoryLayout, ordinary, spread};
use crate::number::Number;
use burn_backend::{DType, Factorization, Linalg, Operation, Shape, Triangle};

/// Ordinary matrices with `along` more on the diagonal: far from singular where that is much.
pub fn matrices(shape: impl Into<Shape>, dtype: DType, along: f64) -> Input {
    let array = ordinary(shape, dtype).array();
    let rank = array.shape().rank();
    let at = |i: &[usize]| {
        let more = if i[rank - 2] == i[rank - 1] { along + 0.75 * i[rank - 1] as f64 } else { 0.0 };
        Number::Float(array.at(i).to_f64() + more)
    };
    Input::new(Array::build(array.shape().clone(), dtype, at).to_data())
}

/// `x` with another element at a place in memory.
fn with(x: &Input, at: usize, value: f64) -> Input {
    let mut array = x.array();
    array.values[at] = Number::Float(value);
    Input::new(array.to_data())
}

/// Layouts under which a matrix keeps its rank.
fn layouts(shape: &Shape) -> &'static [MemoryLayout] {
    match shape.rank() {
        _ if shape.num_elements() < 2 => &[MemoryLayout::Contiguous],
        2 => {
            &[MemoryLayout::Contiguous, MemoryLayout::Transposed, MemoryLayout::Stepped, MemoryLayout::Offset]
        }
        _ => &MemoryLayout::ALL,
    }
}

fn square() -> Vec<Shape> {
    vec![
        [1, 1].into(),
        [2, 2].into(),
        [5, 5].into(),
        [3, 4, 4].into(),
        [2, 1, 3, 3].into(),
        [0, 0].into(),
        [2, 0, 0].into(),
        [0, 3, 3].into(),
    ]
}

fn oblong() -> Vec<Shape> {
    vec![
        [1, 4].into(),
        [4, 1].into(),
        [6, 3].into(),
        [3, 6].into(),
        [2, 5, 3].into(),
        [3, 0].into(),
        [0, 3].into(),
    ]
}

pub fn factorize(emit: Emit<'_>) {
    for dtype in floats() {
        for op in Factorization::ALL {
            let mut shapes = square();
            if !op.needs_square() {
                shapes.extend(oblong());
            }
            // A positive definite matrix has more on its diagonal than beside it.
            let along = if op == Factorization::Cholesky { 16.0 } else { 1.0 };
            for shape in shapes {
                for &layout in layouts(&shape) {
                    let x = matrices(shape.clone(), dtype, along).laid_out(layout);
                    let name = format!("{shape:?}, {layout:?}");
                    emit(Case::new(name, dtype, Operation::Linalg(Linalg::Factorize { op, x })));
                }
            }
            let x = matrices([3, 3, 3], dtype, along);
            for (name, value) in [("a NaN", f64::NAN), ("an inf", f64::INFINITY)] {
                let x = with(&x, 13, value);
                emit(Case::new(name, dtype, Operation::Linalg(Linalg::Factorize { op, x })));
            }
            let one = |value| with(&matrices([1, 1], dtype, 0.0), 0, value);
            for value in [2.5, -2.5, 0.0] {
                emit(Case::new(
                    format!("{value}"),
                    dtype,
                    Operation::Linalg(Linalg::Factorize { op, x: one(value) }),
                ));
            }
        }
        // In the middle of a batch, what is not positive definite is NaN alone.
        let op = Factorization::Cholesky;
        let x = with(&matrices([3, 3, 3], dtype, 16.0), 13, -4.0);
        emit(Case::new("not positive definite", dtype, Operation::Linalg(Linalg::Factorize { op, x })));
    }
    for (op, along) in [(Factorization::Cholesky, 300.0), (Factorization::Qr, 1.0)] {
        for dtype in [DType::F64, DType::F32] {
            let x = matrices([70, 70], dtype, along);
            emit(Case::new("large", dtype, Operation::Linalg(Linalg::Factorize { op, x })));
        }
    }
}

pub fn lu(emit: Emit<'_>) {
    for dtype in floats() {
        for shape in square().into_iter().chain(oblong()) {
            for &layout in layouts(&shape) {
                let x = matrices(shape.clone(), dtype, -1.0).laid_out(layout);
                let name = format!("{shape:?}, {layout:?}");
                emit(Case::new(name, dtype, Operation::Linalg(Linalg::Lu { x, index: DType::I64 })));
            }
        }
        let x = matrices([3, 3, 3], dtype, -1.0);
        emit(Case::new(
            "a NaN",
            dtype,
            Operation::Linalg(Linalg::Lu { x: with(&x, 13, f64::NAN), index: DType::I64 }),
        ));
        for index in [DType::I32, DType::I8, DType::U8] {
            emit(Case::new(
                format!("rows as {index}"),
                dtype,
                Operation::Linalg(Linalg::Lu { x: x.clone(), index }),
            ));
        }
        // A column of zeros, of which no pivot comes.
        let values = [0.0, 2.0, 1.0, 0.0, 4.0, 3.0, 0.0, 1.0, 5.0].map(Number::Float);
        let x = Input::new(crate::number::write(&values, &[3, 3].into(), dtype));
        emit(Case::new("singular", dtype, Operation::Linalg(Linalg::Lu { x, index: DType::I64 })));
    }
    for shape in [[70, 70], [90, 40], [40, 90]] {
        for dtype in [DType::F64, DType::F32] {
            let x = matrices(shape, dtype, 100.0);
            emit(Case::new(
                format!("large, {shape:?}"),
                dtype,
                Operation::Linalg(Linalg::Lu { x, index: DType::I64 }),
            ));
        }
    }
}

fn systems() -> Vec<(Shape, Shape)> {
    vec![
        ([1, 1].into(), [1, 1].into()),
        ([4, 4].into(), [4, 1].into()),
        ([5, 5].into(), [5, 3].into()),
        ([3, 4, 4].into(), [3, 4, 2].into()),
        ([4, 4].into(), [3, 4, 2].into()),
        ([3, 4, 4].into(), [4, 2].into()),
        ([2, 1, 3, 3].into(), [4, 3, 2].into()),
        ([0, 0].into(), [0, 2].into()),
        ([3, 3].into(), [3, 0].into()),
        ([0, 3, 3].into(), [1, 3, 2].into()),
        ([1, 3, 3].into(), [0, 3, 2].into()),
    ]
}

fn sweep_systems(f: &mut dyn FnMut(String, DType, Input, Input)) {
    for dtype in floats() {
        for (a_shape, b_shape) in systems() {
            for &layout in layouts(&a_shape) {
                let a = matrices(a_shape.clone(), dtype, 8.0).laid_out(layout);
                let b = spread(b_shape.clone(), dtype, -1.0, 2.0);
                f(format!("{a_shape:?} {b_shape:?}, {layout:?} on the left"), dtype, a, b);
            }
            for &layout in layouts(&b_shape) {
                let a = matrices(a_shape.clone(), dtype, 8.0);
                let b = spread(b_shape.clone(), dtype, -1.0, 2.0).laid_out(layout);
                f(format!("{a_shape:?} {b_shape:?}, {layout:?} on the right"), dtype, a, b);
            }
        }
    }
    for dtype in [DType::F64, DType::F32] {
        let a = matrices([70, 70], dtype, 200.0);
        f("large".into(), dtype, a, spread([70, 33], dtype, -1.0, 2.0));
    }
}

pub fn solve(emit: Emit<'_>) {
    sweep_systems(&mut |name, dtype, a, b| {
        emit(Case::new(name, dtype, Operation::Linalg(Linalg::Solve { a, b })))
    });
    for dtype in floats() {
        let (a, b) = (matrices([3, 2, 2], dtype, 8.0), spread([3, 2, 2], dtype, -1.0, 2.0));
        let mut singular = a.array();
        [1.0, 2.0, 2.0, 4.0].iter().zip(4..).for_each(|(&x, at)| singular.values[at] = Number::Float(x));
        let singular = Input::new(singular.to_data());
        emit(Case::new("singular", dtype, Operation::Linalg(Linalg::Solve { a: singular, b: b.clone() })));
        emit(Case::new(
            "an inf",
            dtype,
            Operation::Linalg(Linalg::Solve { a: with(&a, 5, f64::INFINITY), b }),
        ));
        // The first pivot is zero: rows must be exchanged.
        let a = with(&matrices([2, 2], dtype, 3.0), 0, 0.0);
        emit(Case::new(
            "a zero pivot",
            dtype,
            Operation::Linalg(Linalg::Solve { a, b: spread([2, 1], dtype, -1.0, 2.0) }),
        ));
    }
}

pub fn solve_triangular(emit: Emit<'_>) {
    for triangle in Triangle::ALL {
        sweep_systems(&mut |name, dtype, a, b| {
            // Ones on the diagonal are no match for what ordinary matrices have beside it.
            let small = |x: Number| Number::Float(x.to_f64() * 0.125);
            let a = match triangle.unit {
                true => Input { data: a.array().map(dtype, small).to_data(), layout: a.layout },
                false => a,
            };
            let large = name == "large" && triangle.unit;
            if !large {
                let name = format!("{triangle:?}, {name}");
                emit(Case::new(name, dtype, Operation::Linalg(Linalg::SolveTriangular { a, b, triangle })));
            }
        });
        for dtype in floats() {
            let (a, b) = (matrices([3, 2, 2], dtype, 8.0), spread([3, 2, 2], dtype, -1.0, 2.0));
            let zero = with(&a, 7, 0.0);
            let name = format!("{triangle:?}, a zero on the diagonal");
            emit(Case::new(
                name,
                dtype,
                Operation::Linalg(Linalg::SolveTriangular { a: zero, b: b.clone(), triangle }),
            ));
            let unread = with(&a, if triangle.upper { 6 } else { 5 }, f64::NAN);
            let name = format!("{triangle:?}, NaN in the other part");
            emit(Case::new(
                name,
                dtype,
                Operation::Linalg(Linalg::SolveTriangular { a: unread, b, triangle }),
            ));
        }
    }
}

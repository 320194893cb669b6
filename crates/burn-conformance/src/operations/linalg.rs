//! Factorizations of matrices and systems of linear equations.

use super::*;

/// Checks of [`Family::Factorize`].
pub struct FactorizeChecks;

impl FactorizeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &Factorization, x: &Array) -> Outputs<Expected> {
        factorize(op, x).into()
    }
}

impl OperationChecks for FactorizeChecks {
    fn cases(&self, emit: Emit<'_>) {
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        Factorization::ALL
            .into_iter()
            .map(|op| Operation::Linalg(Linalg::Factorize { op, x: spec([2, 128, 128], dtype) }))
            .collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let mut calls = Vec::new();
        for op in Factorization::ALL {
            for shape in matrix_shapes(op.needs_square()) {
                let x = gradient_matrices(shape);
                calls.push(call(format!("{shape:?}"), Operation::Linalg(Linalg::Factorize { op, x })));
            }
            let x = gradient_matrices([3, 3]).laid_out(MemoryLayout::Transposed);
            calls.push(call("of a view", Operation::Linalg(Linalg::Factorize { op, x })));
        }
        calls
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let matrices = RandomMatrices::new(calls);
        let op = calls.random.pick(&Factorization::ALL);
        let fits = op.needs_square() && calls.random.chance(90);
        let x = if fits { matrices.square(calls) } else { matrices.x };
        Operation::Linalg(Linalg::Factorize { op, x })
    }

    fn special(&self, subject: &Subject, report: &mut Report<'_>) {
        crate::special::linalg::check(subject, report);
    }
}

/// Checks of [`Family::Lu`].
pub struct LuChecks;

impl LuChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &index: &DType) -> Outputs<Expected> {
        lu(x, index)
    }
}

impl OperationChecks for LuChecks {
    fn cases(&self, emit: Emit<'_>) {
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let index = DType::I64;
        [[2, 300, 300], [1 << 15, 4, 2]]
            .map(|x| Operation::Linalg(Linalg::Lu { x: spec(x, dtype), index }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        // The last row first: the pivots are elsewhere.
        let rotated = |shape: &[usize]| {
            let x = gradient_matrices(shape).array();
            let (rows, row) = (x.shape()[x.shape().rank() - 2], x.shape().rank() - 2);
            let turn = |i: &[usize]| x.at(&replace(i, row, (i[row] + 1) % rows));
            Input::new(Array::build(x.shape().clone(), F, turn).to_data())
        };
        let op = |shape| Operation::Linalg(Linalg::Lu { x: rotated(shape), index: DType::I64 });
        matrix_shapes(false).map(|shape| call(format!("{shape:?}"), op(shape))).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = RandomMatrices::new(calls).x;
        Operation::Linalg(Linalg::Lu { x, index: calls.index() })
    }
}

/// Checks of [`Family::Solve`].
pub struct SolveChecks;

impl SolveChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(a: &Array, b: &Array) -> Outputs<Expected> {
        solve(a, b).into()
    }
}

impl OperationChecks for SolveChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep_systems(&mut |name, dtype, a, b| {
            emit(Case::new(name, dtype, Operation::Linalg(Linalg::Solve { a, b })))
        });
        for dtype in floats() {
            let (a, b) = (matrices([3, 2, 2], dtype, 8.0), spread([3, 2, 2], dtype, -1.0, 2.0));
            let mut singular = a.array();
            [1.0, 2.0, 2.0, 4.0].iter().zip(4..).for_each(|(&x, at)| singular.values[at] = Number::Float(x));
            let singular = Input::new(singular.to_data());
            emit(Case::new(
                "singular",
                dtype,
                Operation::Linalg(Linalg::Solve { a: singular, b: b.clone() }),
            ));
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        [([2, 300, 300], [1, 300, 300]), ([1 << 15, 2, 2], [1 << 15, 2, 1])]
            .map(|(a, b)| Operation::Linalg(Linalg::Solve { a: spec(a, dtype), b: spec(b, dtype) }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let of_system = |(a, b): (&[usize], &[usize])| {
            let op = Operation::Linalg(Linalg::Solve { a: gradient_matrices(a), b: signed(b) });
            call(format!("{a:?} {b:?}"), op)
        };
        let (a, b) = (gradient_matrices([3, 3]), gradient_matrices([3, 3]));
        let same = call("with itself", Operation::Linalg(Linalg::Solve { a, b }));
        SYSTEMS.into_iter().map(of_system).chain([GradientCall { alias: true, ..same }]).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let matrices = RandomMatrices::new(calls);
        Operation::Linalg(Linalg::Solve {
            b: matrices.right(matrices.rows, calls),
            a: matrices.square(calls),
        })
    }
}

/// Checks of [`Family::SolveTriangular`].
pub struct SolveTriangularChecks;

impl SolveTriangularChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(a: &Array, b: &Array, &triangle: &Triangle) -> Outputs<Expected> {
        solve_triangular(a, b, triangle).into()
    }
}

impl OperationChecks for SolveTriangularChecks {
    fn cases(&self, emit: Emit<'_>) {
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
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Linalg(Linalg::SolveTriangular { a, b, triangle }),
                    ));
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

    fn large(&self, dtype: DType) -> Vec<Op> {
        let triangle = Triangle::ALL[0];
        let (a, b) = (spec([2, 300, 300], dtype), spec([1, 300, 300], dtype));
        vec![Operation::Linalg(Linalg::SolveTriangular { a, b, triangle })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let of_system = |triangle: Triangle, (a, b): (&[usize], &[usize])| {
            let name = format!("{a:?} {b:?}, {triangle:?}");
            let (a, b) = (gradient_matrices(a), signed(b));
            call(name, Operation::Linalg(Linalg::SolveTriangular { a, b, triangle }))
        };
        let triangles = Triangle::ALL.into_iter();
        triangles.flat_map(|triangle| SYSTEMS.map(|system| of_system(triangle, system))).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let matrices = RandomMatrices::new(calls);
        let triangle = calls.random.pick(&Triangle::ALL);
        Operation::Linalg(Linalg::SolveTriangular {
            b: matrices.right(matrices.rows, calls),
            a: matrices.square(calls),
            triangle,
        })
    }
}

/// Ordinary matrices with `along` more on the diagonal: far from singular where that is much.
fn matrices(shape: impl Into<Shape>, dtype: DType, along: f64) -> Input {
    let array = ordinary(shape, dtype).array();
    let rank = array.shape().rank();
    let at = |i: &[usize]| {
        let more = if i[rank - 2] == i[rank - 1] { along + 0.75 * i[rank - 1] as f64 } else { 0.0 };
        Number::Float(array.at(i).to_f64() + more)
    };
    Input::new(Array::build(array.shape().clone(), dtype, at).to_data())
}

/// `x` with another element at a position in memory.
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

fn size(x: &Array) -> (usize, usize) {
    let [.., rows, cols] = x.shape()[..] else { panic!("matrices have two dimensions") };
    (rows, cols)
}

fn batch(x: &Array) -> Shape {
    Shape::from(&x.shape()[..x.shape().rank() - 2])
}

/// The matrix at `index` of a batch that `x` broadcasts to.
fn matrix(x: &Array, index: &[usize]) -> Vec<f64> {
    let (rows, cols) = size(x);
    let at = |k: usize| [index, &[k / cols, k % cols]].concat();
    (0..rows * cols).map(|k| x.at(&at(k)).to_f64()).collect()
}

fn numbers(values: Vec<f64>) -> impl Iterator<Item = Number> {
    values.into_iter().map(Number::Float)
}

fn assemble(batch: &Shape, last: &[usize], dtype: DType, f: impl Fn(&[usize]) -> Vec<f64>) -> Array {
    let values = crate::array::indices(batch).flat_map(|index| numbers(f(&index))).collect();
    let shape: Shape = batch.iter().chain(last).copied().collect();
    Array { spec: burn_backend::TensorSpec { shape, dtype }, values }
}

fn expected(array: Array, steps: usize) -> Expected {
    let finite = array.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let largest = finite.fold(1.0, f64::max);
    let tolerance = tolerance::matrix(array.dtype(), steps, largest);
    Expected { array, tolerance }
}

fn factorize(op: Factorization, x: &Array) -> Expected {
    let (rows, cols) = size(x);
    let (m, n) = op.result_size(rows, cols).expect("small");
    let array = assemble(&batch(x), &[m, n], x.dtype(), |at| op.eval_f64(&matrix(x, at), rows, cols));
    expected(array, rows + cols)
}

fn lu(x: &Array, index: DType) -> Outputs<Expected> {
    let (rows, cols) = size(x);
    let factors = |at: &[usize]| lu_f64(&matrix(x, at), rows, cols);
    let packed = assemble(&batch(x), &[rows, cols], x.dtype(), |at| factors(at).0);
    let mut order =
        assemble(&batch(x), &[rows], index, |at| factors(at).1.iter().map(|&i| i as f64).collect());
    order.values.iter_mut().for_each(|x| *x = Number::of(x.to_f64() as i128, index));
    (expected(packed, rows + cols), Expected { array: order, tolerance: tolerance::Tolerance::Rounded })
        .into()
}

fn system(a: &Array, b: &Array, f: impl Fn(&[f64], &[f64], usize, usize) -> Vec<f64>) -> Expected {
    let (rows, cols) = size(b);
    let batch = broadcast(&batch(a), &batch(b));
    let element = |at: &[usize]| f(&matrix(a, at), &matrix(b, at), rows, cols);
    expected(assemble(&batch, &[rows, cols], b.dtype(), element), rows)
}

fn solve(a: &Array, b: &Array) -> Expected {
    system(a, b, solve_f64)
}

fn solve_triangular(a: &Array, b: &Array, triangle: Triangle) -> Expected {
    system(a, b, |a, b, rows, cols| triangle.solve_f64(a, b, rows, cols))
}

/// Small elements beside a diagonal of distinct ones: values far from each other, pivots that stay where they
/// are.
fn gradient_matrices(shape: impl Into<Shape>) -> Input {
    let array = spread(shape, F, -0.45, 0.4).array();
    let rank = array.shape().rank();
    let along = |i: &[usize]| if i[rank - 2] == i[rank - 1] { 1.1 + 0.9 * i[rank - 1] as f64 } else { 0.0 };
    let at = |i: &[usize]| Number::Float(array.at(i).to_f64() + along(i));
    Input::new(Array::build(array.shape().clone(), F, at).to_data())
}

/// Shapes of matrices whose gradients are checked.
fn matrix_shapes(square_only: bool) -> impl Iterator<Item = &'static [usize]> {
    let square: [&[usize]; 3] = [&[1, 1], &[3, 3], &[2, 3, 3]];
    let oblong: [&[usize]; 3] = [&[4, 2], &[2, 4], &[2, 3, 2]];
    square.into_iter().chain(oblong.into_iter().filter(move |_| !square_only))
}

/// Shapes of both operands of systems whose gradients are checked.
const SYSTEMS: [(&[usize], &[usize]); 4] =
    [(&[3, 3], &[3, 2]), (&[2, 3, 3], &[2, 3, 1]), (&[2, 3, 3], &[3, 2]), (&[3, 3], &[2, 3, 2])];

/// Matrices that a random call is of.
pub(super) struct RandomMatrices {
    pub x: TensorSpec,
    pub rows: usize,
    pub cols: usize,
    batch: Dims,
}

impl RandomMatrices {
    pub fn new(calls: &mut Calls<'_>) -> Self {
        let rank = calls.random.pick(&[2, 2, 3, 4]);
        let x = calls.float_of_rank(rank);
        let last = |back: usize| x.shape.rank().checked_sub(back).map_or(1, |d| x.shape[d]);
        let (rows, cols) = (last(2), last(1));
        let batch = Dims::from(&x.shape[..x.shape.rank().saturating_sub(2)]);
        RandomMatrices { x, rows, cols, batch }
    }

    fn of_size(&self, size: [usize; 2]) -> Shape {
        self.batch.iter().copied().chain(size).collect()
    }

    /// Returns square matrices with as many rows.
    fn square(&self, calls: &mut Calls<'_>) -> TensorSpec {
        calls.exactly(self.of_size([self.rows; 2]), self.x.dtype)
    }

    /// Returns matrices with so many rows.
    pub fn right(&self, rows: usize, calls: &mut Calls<'_>) -> TensorSpec {
        let cols = calls.random.below(4);
        calls.exactly(self.of_size([rows, cols]), self.x.dtype)
    }
}

//! Operations that move elements and compute none.

use super::*;

/// Checks of [`Family::Reshape`].
pub struct ReshapeChecks;

impl ReshapeChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, shape: &Shape) -> Outputs<Expected> {
        let mut array = x.clone();
        array.spec.shape = shape.clone();
        Expected::moved(array)
    }
}

impl OperationChecks for ReshapeChecks {
    fn cases(&self, emit: Emit<'_>) {
        let shapes: [(Shape, Shape); 12] = [
            ([].into(), [].into()),
            ([0].into(), [0, 3].into()),
            ([2, 0, 3].into(), [0].into()),
            ([4, 6].into(), [24].into()),
            ([4, 6].into(), [2, 2, 6].into()),
            ([4, 6].into(), [6, 4].into()),
            ([4, 6].into(), [4, 1, 6].into()),
            ([2, 3, 4].into(), [6, 4].into()),
            ([2, 3, 4].into(), [2, 12].into()),
            ([1].into(), [].into()),
            ([].into(), [1, 1].into()),
            ([0, 3].into(), [5, 0].into()),
        ];
        for (from, to) in shapes {
            sweep(&from, |name, dtype, x| {
                let op = Operation::Layout(Layout::Reshape { x, shape: to.clone() });
                emit(Case::new(format!("{name} to {to:?}"), dtype, op));
            });
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        vec![Operation::Layout(Layout::Reshape { x, shape: [COLS, ROWS].into() })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let x = signed([2, 3]).laid_out(MemoryLayout::Transposed);
        vec![call("", Operation::Layout(Layout::Reshape { x, shape: [3, 2].into() }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let shape = match calls.random.below(4) {
            0 => calls.random.shape(),
            1 => calls.random.numbers(2, 4).into(),
            2 => [x.shape.num_elements()].into(),
            _ => x.shape.iter().rev().copied().chain([1]).collect(),
        };
        Operation::Layout(Layout::Reshape { x, shape })
    }
}

/// Checks of [`Family::Permute`].
pub struct PermuteChecks;

impl PermuteChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, axes: &Dims) -> Outputs<Expected> {
        Expected::moved(permute(x, axes))
    }
}

impl OperationChecks for PermuteChecks {
    fn cases(&self, emit: Emit<'_>) {
        let permutations: [(Shape, Dims); 8] = [
            ([2, 0, 3].into(), [2, 0, 1].into()),
            ([5, 9].into(), [1, 0].into()),
            ([5, 9].into(), [0, 1].into()),
            ([2, 3, 4].into(), [2, 0, 1].into()),
            ([2, 3, 4].into(), [1, 0, 2].into()),
            ([2, 3, 4, 5].into(), [0, 3, 1, 2].into()),
            ([0, 3].into(), [1, 0].into()),
            ([].into(), Dims::default()),
        ];
        for (shape, axes) in permutations {
            sweep(&shape, |name, dtype, x| {
                let op = Operation::Layout(Layout::Permute { x, axes: axes.clone() });
                emit(Case::new(format!("{name} by {axes:?}"), dtype, op));
            });
        }
        emit(large(|x| Operation::Layout(Layout::Permute { x, axes: [1, 0].into() })));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        vec![Operation::Layout(Layout::Permute { x, axes: [1, 0].into() })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let x = signed([2, 3, 2]);
        vec![call("", Operation::Layout(Layout::Permute { x, axes: [2, 0, 1].into() }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Layout(Layout::Permute { axes: calls.axes(&x), x })
    }
}

/// Checks of [`Family::Expand`].
pub struct ExpandChecks;

impl ExpandChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, shape: &Shape) -> Outputs<Expected> {
        Expected::moved(Array::build(shape.clone(), x.dtype(), |i| x.at(i)))
    }
}

impl OperationChecks for ExpandChecks {
    fn cases(&self, emit: Emit<'_>) {
        let shapes: [(Shape, Shape); 12] = [
            ([].into(), [].into()),
            ([].into(), [0, 2].into()),
            ([1].into(), [0].into()),
            ([0, 1].into(), [2, 0, 3].into()),
            ([1, 9].into(), [5, 9].into()),
            ([5, 1].into(), [5, 9].into()),
            ([1, 1].into(), [5, 9].into()),
            ([9].into(), [5, 9].into()),
            ([3, 1].into(), [2, 3, 4].into()),
            ([].into(), [2, 2].into()),
            ([1, 3].into(), [0, 3].into()),
            ([5, 9].into(), [5, 9].into()),
        ];
        for (from, to) in shapes {
            sweep(&from, |name, dtype, x| {
                let op = Operation::Layout(Layout::Expand { x, shape: to.clone() });
                emit(Case::new(format!("{name} to {to:?}"), dtype, op));
            });
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let column = spec([ROWS, 1], dtype);
        vec![Operation::Layout(Layout::Expand { x: column, shape: [ROWS, COLS].into() })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        vec![
            call("", Operation::Layout(Layout::Expand { x: signed([2, 1]), shape: [3, 2, 2].into() })),
            call("rank 0", Operation::Layout(Layout::Expand { x: signed([]), shape: [3].into() })),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let extra = calls.random.below(2);
        let wide = |random: &mut Random, size: usize| {
            if size == 1 || random.chance(5) { random.number(3) } else { size }
        };
        let front = calls.random.numbers(extra, 3);
        let own: Vec<usize> = x.shape.iter().map(|&size| wide(calls.random, size)).collect();
        Operation::Layout(Layout::Expand { x, shape: front.iter().copied().chain(own).collect() })
    }
}

/// Checks of [`Family::Flip`].
pub struct FlipChecks;

impl FlipChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, axes: &Dims) -> Outputs<Expected> {
        Expected::moved(flip(x, axes))
    }
}

impl OperationChecks for FlipChecks {
    fn cases(&self, emit: Emit<'_>) {
        let axes: [(Shape, Dims); 8] = [
            ([].into(), Dims::default()),
            ([2, 0, 3].into(), [0, 2].into()),
            ([9].into(), [0].into()),
            ([5, 9].into(), [1].into()),
            ([5, 9].into(), [0, 1].into()),
            ([2, 3, 4].into(), [2, 0].into()),
            ([0, 3].into(), [0].into()),
            ([5, 9].into(), Dims::default()),
        ];
        for (shape, axes) in axes {
            sweep(&shape, |name, dtype, x| {
                let op = Operation::Layout(Layout::Flip { x, axes: axes.clone() });
                emit(Case::new(format!("{name} over {axes:?}"), dtype, op));
            });
        }
        emit(large(|x| Operation::Layout(Layout::Flip { x, axes: [1].into() })));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        vec![Operation::Layout(Layout::Flip { x, axes: [0].into() })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        vec![call("", Operation::Layout(Layout::Flip { x: signed([2, 3]), axes: [0, 1].into() }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Layout(Layout::Flip { axes: calls.dims(&x), x })
    }
}

/// Checks of [`Family::Slice`].
pub struct SliceChecks;

impl SliceChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, slices: &Slices) -> Outputs<Expected> {
        Expected::moved(slice(x, slices))
    }
}

impl OperationChecks for SliceChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (shape, slices) in slices() {
            sweep(&shape, |name, dtype, x| {
                let op = Operation::Layout(Layout::Slice { x, slices: slices.clone().into() });
                emit(Case::new(format!("{name} at {slices:?}"), dtype, op));
            });
        }
        let half = vec![Slice::from(3..270), Slice { start: 1, end: 262, step: 2 }];
        emit(large(|x| Operation::Layout(Layout::Slice { x, slices: half.clone().into() })));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let half = half_of_rows();
        vec![Operation::Layout(Layout::Slice { x, slices: half })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let slices = stepped().into_iter().collect();
        vec![call("", Operation::Layout(Layout::Slice { x: signed([3, 5]), slices }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Layout(Layout::Slice { slices: calls.slices(&x), x })
    }
}

/// Checks of [`Family::SliceAssign`].
pub struct SliceAssignChecks;

impl SliceAssignChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, slices: &Slices, value: &Array) -> Outputs<Expected> {
        Expected::moved(slice_assign(x, slices, value))
    }
}

impl OperationChecks for SliceAssignChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (shape, slices) in slices() {
            let size = |d: usize| slices.get(d).map_or(shape[d], Slice::len);
            let part: Shape = (0..shape.rank()).map(size).collect();
            sweep(&shape, |name, dtype, x| {
                for layout in [MemoryLayout::Contiguous, MemoryLayout::Transposed, MemoryLayout::Expanded] {
                    let value = crate::input::spread(part.clone(), dtype, 5.0, 9.0).laid_out(layout);
                    let op = Operation::Layout(Layout::SliceAssign {
                        x: x.clone(),
                        slices: slices.clone().into(),
                        value,
                    });
                    emit(Case::new(format!("{name} at {slices:?} from {layout:?}"), dtype, op));
                }
            });
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let half = half_of_rows();
        vec![Operation::Layout(Layout::SliceAssign { x, slices: half, value: spec([ROWS / 2, COLS], dtype) })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let (x, slices, value) = (signed([3, 5]), stepped().into_iter().collect(), positive([2, 3]));
        vec![call("", Operation::Layout(Layout::SliceAssign { x, slices, value }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let slices = calls.slices(&x);
        let shape = sliced(&x, &slices);
        Operation::Layout(Layout::SliceAssign { value: calls.exactly(shape, x.dtype), x, slices })
    }
}

/// Checks of [`Family::Cat`].
pub struct CatChecks;

impl CatChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(xs: &[Array], &dim: &usize) -> Outputs<Expected> {
        Expected::moved(cat(xs, dim))
    }
}

impl OperationChecks for CatChecks {
    fn cases(&self, emit: Emit<'_>) {
        let lists: [(usize, Vec<Shape>); 9] = [
            (0, vec![[0].into(), [0].into()]),
            (1, vec![[0, 2].into(), [0, 3].into()]),
            (0, vec![[3].into(), [4].into()]),
            (0, vec![[2, 3].into(), [1, 3].into(), [4, 3].into()]),
            (1, vec![[2, 3].into(), [2, 1].into()]),
            (1, vec![[2, 3, 4].into(), [2, 2, 4].into()]),
            (0, vec![[5, 9].into()]),
            (1, vec![[2, 0].into(), [2, 3].into(), [2, 0].into()]),
            (0, vec![[0, 3].into(), [0, 3].into()]),
        ];
        for dtype in DType::ALL {
            for (dim, shapes) in &lists {
                for layout in MemoryLayout::ALL {
                    let xs =
                        shapes.iter().map(|shape| ordinary(shape.clone(), dtype).laid_out(layout)).collect();
                    let op = Operation::Layout(Layout::Cat { xs, dim: *dim });
                    emit(Case::new(format!("{shapes:?} along {dim}, {layout:?}"), dtype, op));
                }
            }
            let x = ordinary([2, 3], dtype);
            let op = Operation::Layout(Layout::Cat { xs: vec![x.clone(), x.clone(), x], dim: 1 });
            emit(Case { alias: true, ..Case::new("three times the same tensor", dtype, op) });
        }
        let part = || ordinary([130, 271], DType::F32);
        emit(Case::new(
            "large",
            DType::F32,
            Operation::Layout(Layout::Cat { xs: vec![part(), part()], dim: 1 }),
        ));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let other = matrix(dtype);
        let dim = 0;
        vec![Operation::Layout(Layout::Cat { xs: vec![x, other], dim })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let xs = vec![signed([2, 1]), positive([2, 2]), signed([2, 3])];
        vec![call("", Operation::Layout(Layout::Cat { xs, dim: 1 }))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let dim = calls.dim(&x);
        let count = calls.random.below(4);
        let next = |this: &mut Calls<'_>| {
            let mut shape = x.shape.clone();
            if let Some(size) = shape.get_mut(dim) {
                *size = this.random.below(4);
            }
            this.exactly(shape, x.dtype)
        };
        Operation::Layout(Layout::Cat { xs: (0..count).map(|_| next(calls)).collect(), dim })
    }
}

/// Checks of [`Family::RepeatDim`].
pub struct RepeatDimChecks;

impl RepeatDimChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize, &times: &usize) -> Outputs<Expected> {
        Expected::moved(repeat_dim(x, dim, times))
    }
}

impl OperationChecks for RepeatDimChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in DType::ALL {
            for (name, x) in operands(dtype) {
                for dim in 0..x.data.shape.rank() {
                    for times in [0, 1, 3] {
                        let op = Operation::Layout(Layout::RepeatDim { x: x.clone(), dim, times });
                        emit(Case::new(format!("{name}, {times} times along {dim}"), dtype, op));
                    }
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        vec![Operation::Layout(Layout::RepeatDim { x, dim, times: 2 })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |dim| Operation::Layout(Layout::RepeatDim { x: signed([2, 3]), dim, times: 3 });
        (0..2).map(|dim| call(format!("{dim}"), op(dim))).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Layout(Layout::RepeatDim { dim: calls.dim(&x), x, times: calls.random.number(3) })
    }
}

/// `ordinary` values of `shape` in every layout, of every dtype.
fn sweep(shape: &Shape, mut f: impl FnMut(String, DType, Input)) {
    for dtype in DType::ALL {
        for layout in MemoryLayout::ALL {
            f(format!("{shape:?}, {layout:?}"), dtype, ordinary(shape.clone(), dtype).laid_out(layout));
        }
    }
}

/// A matrix of more than 70,000 elements.
fn large(op: impl Fn(Input) -> Operation<Input>) -> Case {
    Case::new("large", DType::F32, op(ordinary([271, 263], DType::F32)))
}

fn slices() -> Vec<(Shape, Vec<Slice>)> {
    let step = |start, end, step| Slice { start, end, step };
    vec![
        ([9].into(), vec![step(2, 7, 1)]),
        ([9].into(), vec![step(1, 9, 3)]),
        ([5, 9].into(), vec![step(1, 4, 1), step(2, 9, 2)]),
        ([5, 9].into(), vec![step(0, 5, 2)]),
        ([5, 9].into(), vec![step(0, 5, 1), step(8, 9, 1)]),
        ([5, 9].into(), vec![step(0, 5, 1), step(0, 9, 1)]),
        ([5, 9].into(), vec![step(2, 2, 1), step(0, 9, 1)]),
        ([5, 9].into(), vec![step(0, 5, 7), step(0, 9, 100)]),
        ([2, 3, 4].into(), vec![step(1, 2, 1), step(0, 3, 2), step(1, 4, 2)]),
        ([2, 3, 4].into(), vec![]),
        ([0, 3].into(), vec![step(0, 0, 1), step(1, 3, 1)]),
        ([2, 0, 3].into(), vec![step(1, 2, 1), step(0, 0, 3), step(2, 3, 1)]),
        ([5, 9].into(), vec![step(1, 4, 1), step(9, 9, 1)]),
        ([].into(), vec![]),
    ]
}

fn permute(x: &Array, axes: &Dims) -> Array {
    let shape = axes.iter().map(|&axis| x.shape()[axis]).collect();
    Array::build(shape, x.dtype(), |i| {
        let mut from = Dims::from(i);
        axes.iter().zip(i).for_each(|(&axis, &at)| from[axis] = at);
        x.at(&from)
    })
}

fn flip(x: &Array, axes: &Dims) -> Array {
    Array::build(x.shape().clone(), x.dtype(), |i| {
        let mut from = Dims::from(i);
        axes.iter().for_each(|&axis| from[axis] = x.shape()[axis] - 1 - i[axis]);
        x.at(&from)
    })
}

/// Where index `i` of a slice is in the tensor.
fn place(i: &[usize], slices: &[Slice]) -> Dims {
    let at = |d: usize| slices.get(d).map_or(i[d], |slice| slice.start + i[d] * slice.step);
    (0..i.len()).map(at).collect()
}

fn slice(x: &Array, slices: &[Slice]) -> Array {
    let size = |(d, &size): (usize, &usize)| match slices.get(d) {
        Some(slice) => (slice.start..slice.end).step_by(slice.step).count(),
        None => size,
    };
    let shape: Shape = x.shape().iter().enumerate().map(size).collect();
    Array::build(shape, x.dtype(), |i| x.values[flat(&place(i, slices), x.shape())])
}

fn slice_assign(x: &Array, slices: &[Slice], value: &Array) -> Array {
    let mut out = x.clone();
    for i in indices(value.shape()) {
        *out.at_mut(&place(&i, slices)) = value.at(&i);
    }
    out
}

fn flat(index: &[usize], shape: &Shape) -> usize {
    index.iter().zip(shape.iter()).fold(0, |at, (&i, &size)| at * size + i)
}

fn cat(xs: &[Array], dim: usize) -> Array {
    let total = xs.iter().map(|x| x.shape()[dim]).sum();
    let shape = xs[0].shape().with(dim, total);
    Array::build(shape, xs[0].dtype(), |i| {
        let mut at = i[dim];
        for x in xs {
            let size = x.shape()[dim];
            if at < size {
                return x.at(&replace(i, dim, at));
            }
            at -= size;
        }
        unreachable!("the sizes add up")
    })
}

fn repeat_dim(x: &Array, dim: usize, times: usize) -> Array {
    let size = x.shape()[dim];
    let shape = x.shape().with(dim, size * times);
    Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, i[dim] % size)))
}

/// Slices of a matrix, one of them with a step.
fn stepped() -> Vec<burn_backend::Slice> {
    let slice = |start, end, step| burn_backend::Slice { start, end, step };
    vec![slice(1, 3, 1), slice(0, 5, 2)]
}

/// Returns the shape of the slice, where it is valid.
fn sliced(x: &TensorSpec, slices: &Slices) -> Shape {
    let slice = Operation::Layout(Layout::Slice { x: x.clone(), slices: slices.clone() });
    output_specs(&slice).map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone())
}

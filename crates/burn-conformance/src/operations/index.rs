//! Operations that read or write at indices.

use super::*;

/// Checks of [`Family::Gather`].
pub struct GatherChecks;

impl GatherChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize, indices: &Array) -> Outputs<Expected> {
        Expected::moved(gather(x, dim, indices))
    }
}

impl OperationChecks for GatherChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (dtype, index) in dtypes() {
            for (shape, dim, at) in gathers() {
                for layout in MemoryLayout::ALL {
                    let name = format!("{at:?} of {shape:?} along {dim} by {index}, {layout:?}");
                    let indices = places(&at, shape[dim], index).laid_out(layout);
                    let x = ordinary(shape.clone(), dtype).laid_out(layout);
                    emit(Case::new(name, dtype, Operation::Index(Index::Gather { x, dim, indices })));
                }
            }
        }
        let (x, indices) = (ordinary([300, 250], DType::F32), places(&[300, 250].into(), 300, DType::I64));
        emit(Case::new("large", DType::F32, Operation::Index(Index::Gather { x, dim: 0, indices })));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let indices = matrix(DType::I64);
        vec![Operation::Index(Index::Gather { x, dim, indices })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |dim| Operation::Index(Index::Gather { x: signed([3, 4]), dim, indices: matrix_indices() });
        vec![call("along 0", op(0)), call("along 1", op(1))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, dtype, shape, .. } = RandomArgs::new(calls);
        Operation::Index(Index::Gather { indices: calls.exactly(shape, dtype), x, dim })
    }
}

/// Checks of [`Family::Scatter`].
pub struct ScatterChecks;

impl ScatterChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(
        x: &Array,
        &dim: &usize,
        indices: &Array,
        value: &Array,
        &update: &IndexUpdate,
    ) -> Outputs<Expected> {
        written(scatter(x, dim, indices, value, update), update).into()
    }
}

impl OperationChecks for ScatterChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (dtype, index) in dtypes() {
            for (shape, dim, at) in gathers() {
                for (update, layout) in updates_in_layouts(dtype) {
                    let name = format!("{update:?} {at:?} into {shape:?} along {dim} by {index}, {layout:?}");
                    let indices = places(&at, shape[dim], index).laid_out(layout);
                    let value = spread(at.clone(), dtype, 5.0, 9.0).laid_out(layout);
                    let x = ordinary(shape.clone(), dtype).laid_out(layout);
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Index(Index::Scatter { x, dim, indices, value, update }),
                    ));
                }
            }
        }
        large_write(emit, |x, value, update| {
            let indices = places(&[300, 250].into(), 300, DType::I64);
            Operation::Index(Index::Scatter { x, dim: 0, indices, value, update })
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let indices = matrix(DType::I64);
        let other = matrix(dtype);
        let update = IndexUpdate::Add;
        vec![Operation::Index(Index::Scatter { x, dim, indices, value: other, update })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_updates(|update| {
            let (x, indices, value) = (signed([3, 4]), matrix_indices(), positive([3, 2]));
            Operation::Index(Index::Scatter { x, dim: 0, indices, value, update })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, dtype, update, shape, .. } = RandomArgs::new(calls);
        let indices = calls.exactly(shape.clone(), dtype);
        Operation::Index(Index::Scatter { value: calls.exactly(shape, x.dtype), x, dim, indices, update })
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let scatter = |update, x: &[f64], value: &[f64]| {
            let (x, value, indices) = (values(x), values(value), repeated_indices());
            Operation::Index(Index::Scatter { x, dim: 0, indices, value, update })
        };
        let zero = scatter(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 5.0, 0.0, 0.0]);
        let factors = scatter(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[7.0, 0.5, 5.0, 2.0, 3.0]);
        let minima = scatter(IndexUpdate::Min, &[1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 5.0, 2.0, 0.0]);
        let third = 1.0 / 3.0;
        vec![
            ("a zero among factors", zero, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 10.0, 3.0]),
            ("factors of zero", factors, vec![3.5, 10.0, 3.0, 1.0, 0.0, 0.0, 4.0, 10.0, 3.0]),
            (
                "equal minima of an element share",
                minima,
                vec![third, 0.5, 0.0, 1.0, third, third, 0.0, 0.5, 1.0],
            ),
        ]
    }
}

/// Checks of [`Family::Select`].
pub struct SelectChecks;

impl SelectChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize, indices: &Array) -> Outputs<Expected> {
        Expected::moved(select(x, dim, indices))
    }
}

impl OperationChecks for SelectChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (dtype, index) in dtypes() {
            for (shape, dim, count) in selects() {
                for layout in MemoryLayout::ALL {
                    let name = format!("{count} of {shape:?} along {dim} by {index}, {layout:?}");
                    let indices = places(&[count].into(), shape[dim], index).laid_out(layout);
                    let x = ordinary(shape.clone(), dtype).laid_out(layout);
                    emit(Case::new(name, dtype, Operation::Index(Index::Select { x, dim, indices })));
                }
            }
        }
        let (x, indices) = (ordinary([300, 250], DType::F32), places(&[600].into(), 300, DType::I64));
        emit(Case::new("large", DType::F32, Operation::Index(Index::Select { x, dim: 0, indices })));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let list = spec([ROWS], DType::I64);
        vec![Operation::Index(Index::Select { x, dim, indices: list })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |shape: [usize; 2], dim| {
            Operation::Index(Index::Select { x: signed(shape), dim, indices: list_indices() })
        };
        vec![call("along 0", op([3, 2], 0)), call("along 1", op([2, 3], 1))]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, dtype, count, .. } = RandomArgs::new(calls);
        Operation::Index(Index::Select { x, dim, indices: calls.exactly([count].into(), dtype) })
    }
}

/// Checks of [`Family::SelectAssign`].
pub struct SelectAssignChecks;

impl SelectAssignChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(
        x: &Array,
        &dim: &usize,
        indices: &Array,
        value: &Array,
        &update: &IndexUpdate,
    ) -> Outputs<Expected> {
        written(select_assign(x, dim, indices, value, update), update).into()
    }
}

impl OperationChecks for SelectAssignChecks {
    fn cases(&self, emit: Emit<'_>) {
        for (dtype, index) in dtypes() {
            for (shape, dim, count) in selects() {
                for (update, layout) in updates_in_layouts(dtype) {
                    let name = format!("{update:?} {count} of {shape:?} along {dim} by {index}, {layout:?}");
                    let indices = places(&[count].into(), shape[dim], index).laid_out(layout);
                    let value = spread(shape.with(dim, count), dtype, 5.0, 9.0).laid_out(layout);
                    let x = ordinary(shape.clone(), dtype).laid_out(layout);
                    emit(Case::new(
                        name,
                        dtype,
                        Operation::Index(Index::SelectAssign { x, dim, indices, value, update }),
                    ));
                }
            }
        }
        large_write(emit, |x, value, update| {
            let indices = places(&[300].into(), 300, DType::I64);
            Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update })
        });
        // As the gradient of an embedding: each row is the sum of many.
        for (rows, sizes) in [(5, [700, 33]), (90, [2000, 4]), (1, [300, 1])] {
            let name = format!("Add {} of {rows} rows", sizes[0]);
            let (x, value) = (ordinary([rows, sizes[1]], DType::F32), spread(sizes, DType::F32, 5.0, 9.0));
            let (indices, update) = (places(&[sizes[0]].into(), rows, DType::I32), IndexUpdate::Add);
            let op = Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update });
            emit(Case::new(name, DType::F32, op));
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let list = spec([ROWS], DType::I64);
        let other = matrix(dtype);
        let update = IndexUpdate::Add;
        vec![Operation::Index(Index::SelectAssign { x, dim, indices: list, value: other, update })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients_of_updates(|update| {
            let (x, indices, value) = (signed([3, 2]), list_indices(), positive([4, 2]));
            Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, dtype, update, count, shape } = RandomArgs::new(calls);
        let indices = calls.exactly([count].into(), dtype);
        let value = calls.exactly(shape, x.dtype);
        Operation::Index(Index::SelectAssign { value, x, dim, indices, update })
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let assign = |update| {
            let (x, value) = (values(&[2.0; 4]), values(&[0.0, 3.0, 0.0, 0.0, 2.0]));
            Operation::Index(Index::SelectAssign { x, dim: 0, indices: repeated_indices(), value, update })
        };
        let (factors, maxima) = (assign(IndexUpdate::Multiply), assign(IndexUpdate::Max));
        vec![
            ("two zeros among factors", factors, vec![0.0, 0.0, 2.0, 1.0, 6.0, 0.0, 0.0, 0.0, 2.0]),
            ("equal maxima of an element share", maxima, vec![0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0, 0.5]),
        ]
    }
}

/// `count` positions below `size`, some of them twice.
fn places(shape: &Shape, size: usize, index: DType) -> Input {
    let at = |k: usize| (k * 7 + k / 3) as i128 % size as i128;
    given(&(0..shape.num_elements()).map(at).collect::<Vec<_>>(), shape, index)
}

/// Dtypes of values with that of indices: every dtype of each, once with the usual other one.
fn dtypes() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().map(|dtype| (dtype, DType::I64)).chain(ints().map(|index| (DType::F32, index)))
}

/// `x`, `dim`, and the shape of the indices.
fn gathers() -> [(Shape, usize, Shape); 12] {
    [
        ([0, 3].into(), 1, [0, 5].into()),
        ([0, 3].into(), 0, [0, 3].into()),
        ([3, 0].into(), 0, [2, 0].into()),
        ([5, 9].into(), 1, [0, 2].into()),
        ([9].into(), 0, [5].into()),
        ([9].into(), 0, [20].into()),
        ([5, 9].into(), 0, [3, 9].into()),
        ([5, 9].into(), 1, [5, 4].into()),
        ([5, 9].into(), 1, [3, 12].into()),
        ([3, 4, 5].into(), 1, [2, 6, 5].into()),
        ([5, 9].into(), 1, [5, 0].into()),
        ([3, 4, 5].into(), 2, [3, 4, 1].into()),
    ]
}

/// Each of [`updates`] with operands in each memory layout.
fn updates_in_layouts(dtype: DType) -> impl Iterator<Item = (IndexUpdate, MemoryLayout)> {
    updates(dtype).into_iter().flat_map(|update| MemoryLayout::ALL.map(|layout| (update, layout)))
}

/// The updates that `dtype` has.
fn updates(dtype: DType) -> Vec<IndexUpdate> {
    IndexUpdate::ALL.into_iter().filter(|update| update.accepts(dtype)).collect()
}

fn large_write(emit: Emit<'_>, op: impl Fn(Input, Input, IndexUpdate) -> Operation<Input>) {
    for update in IndexUpdate::ALL {
        let (x, value) = (ordinary([300, 250], DType::F32), spread([300, 250], DType::F32, 0.0, 1.0));
        emit(Case::new(format!("large, {update:?}"), DType::F32, op(x, value, update)));
    }
}

/// `x`, `dim`, and how many positions are named.
fn selects() -> [(Shape, usize, usize); 11] {
    [
        ([0].into(), 0, 0),
        ([0, 3].into(), 1, 2),
        ([0, 3].into(), 0, 0),
        ([3, 0].into(), 0, 4),
        ([9].into(), 0, 5),
        ([5, 9].into(), 0, 3),
        ([5, 9].into(), 0, 12),
        ([5, 9].into(), 1, 4),
        ([3, 4, 5].into(), 1, 6),
        ([3, 4, 5].into(), 2, 1),
        ([5, 9].into(), 1, 0),
    ]
}

fn gather(x: &Array, dim: usize, at: &Array) -> Array {
    Array::build(at.shape().clone(), x.dtype(), |i| x.at(&replace(i, dim, at.at(i).index())))
}

fn select(x: &Array, dim: usize, at: &Array) -> Array {
    let shape = x.shape().with(dim, at.values.len());
    Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, at.values[i[dim]].index())))
}

fn update(update: IndexUpdate, old: &mut Number, value: Number) {
    *old = update.function().map_or(value, |op| number::binary(op, *old, value));
}

fn scatter(x: &Array, dim: usize, at: &Array, value: &Array, how: IndexUpdate) -> Array {
    let mut out = x.clone();
    for i in indices(at.shape()) {
        update(how, out.at_mut(&replace(&i, dim, at.at(&i).index())), value.at(&i));
    }
    out
}

fn select_assign(x: &Array, dim: usize, at: &Array, value: &Array, how: IndexUpdate) -> Array {
    let mut out = x.clone();
    for i in indices(value.shape()) {
        update(how, out.at_mut(&replace(&i, dim, at.values[i[dim]].index())), value.at(&i));
    }
    out
}

/// A few values may have been added at one index.
fn written(array: Array, how: IndexUpdate) -> Expected {
    let largest = array.values.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    Expected { array, tolerance: tolerance::written(how, largest) }
}

/// Indices of a matrix; some are written twice: of assigned values, the last one counts.
fn matrix_indices() -> Input {
    index_values(&[2, 0, 1, 1, 1, 0], [3, 2])
}

/// Indices along one dimension; one is written twice.
fn list_indices() -> Input {
    index_values(&[2, 0, 2, 1], [4])
}

fn gradients_of_updates(op: impl Fn(IndexUpdate) -> Operation<Input>) -> Vec<GradientCall> {
    IndexUpdate::ALL.map(|update| call(format!("{update:?}"), op(update))).into()
}

/// Operand and arguments that a random call chooses from.
struct RandomArgs {
    x: TensorSpec,
    dim: usize,
    dtype: DType,
    update: IndexUpdate,
    count: usize,
    /// Shape of `x` with `count` elements along the dimension.
    shape: Shape,
}

impl RandomArgs {
    fn new(calls: &mut Calls<'_>) -> Self {
        let x = calls.spec();
        let (dim, dtype, update) = (calls.dim(&x), calls.index(), calls.random.pick(&IndexUpdate::ALL));
        let count = calls.random.below(4);
        let mut shape = x.shape.clone();
        if let Some(size) = shape.get_mut(dim) {
            *size = count;
        }
        RandomArgs { x, dim, dtype, update, count, shape }
    }
}

/// The indices that five values are written to: the first three of four elements.
fn repeated_indices() -> Input {
    given(&[0, 0, 1, 1, 2], [5], DType::I64)
}

//! Sorted elements and extreme ones, with their indices.

use super::*;
use std::cmp::Ordering;

/// Checks of [`Family::ArgReduce`].
pub struct ArgReduceChecks;

impl ArgReduceChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &Extremum, x: &Array, &dim: &usize, &index: &DType) -> Outputs<Expected> {
        Expected::moved(first(x, Ranking::Extreme(op), 1, dim, index).1)
    }
}

impl OperationChecks for ArgReduceChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(emit, |x, dim, index| {
            Extremum::ALL
                .map(|op| Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index }))
                .into()
        });
        large(emit, |x, dim, index| {
            Operation::Reduction(Reduction::ArgReduce { op: Extremum::Max, x, dim, index })
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let index = DType::I64;
        let dim = 0;
        let last = 1;
        Extremum::ALL
            .into_iter()
            .flat_map(|op| {
                [dim, last]
                    .map(|dim| Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index }))
            })
            .collect()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |dim: usize, flag: bool| {
            let (op, x) = (Extremum::ALL[usize::from(flag)], signed([3, 4]));
            Operation::Reduction(Reduction::ArgReduce { op, x, dim, index: DType::I64 })
        };
        gradients(op).into_iter().map(|call| GradientCall { differentiable: false, ..call }).collect()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, index, op } = RandomArgs::new(calls);
        Operation::Reduction(Reduction::ArgReduce { op, x, dim, index })
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let (op, dim) = (random.pick(&Extremum::ALL), random.below(x.shape.rank()));
        vec![Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index: DType::I32 })]
    }
}

/// Checks of [`Family::ReduceWithIndices`].
pub struct ReduceWithIndicesChecks;

impl ReduceWithIndicesChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &Extremum, x: &Array, &dim: &usize, &index: &DType) -> Outputs<Expected> {
        moved_two(first(x, Ranking::Extreme(op), 1, dim, index))
    }
}

impl OperationChecks for ReduceWithIndicesChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(emit, |x, dim, index| {
            Extremum::ALL
                .map(|op| Operation::Reduction(Reduction::ReduceWithIndices { op, x: x.clone(), dim, index }))
                .into()
        });
        large(emit, |x, dim, index| {
            Operation::Reduction(Reduction::ReduceWithIndices { op: Extremum::Min, x, dim, index })
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let index = DType::I64;
        let dim = 0;
        Extremum::ALL
            .map(|op| Operation::Reduction(Reduction::ReduceWithIndices { op, x: x.clone(), dim, index }))
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|dim, flag| {
            let (op, x) = (Extremum::ALL[usize::from(flag)], signed([3, 4]));
            Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index: DType::I64 })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, index, op } = RandomArgs::new(calls);
        Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index })
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let (op, x) = (Extremum::Max, values(&[1.0, 3.0, 3.0]));
        let maximum = Reduction::ReduceWithIndices { op, x, dim: 0, index: DType::I64 };
        vec![("with an index the first maximum takes all", maximum.into(), vec![0.0, 1.0, 0.0])]
    }
}

/// Checks of [`Family::Sort`].
pub struct SortChecks;

impl SortChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize, &descending: &bool) -> Outputs<Expected> {
        let order = Ranking::Sorted { descending };
        Expected::moved(first(x, order, x.shape()[dim], dim, DType::I64).0)
    }
}

impl OperationChecks for SortChecks {
    fn cases(&self, emit: Emit<'_>) {
        let op = |x, dim, descending| Operation::Order(Order::Sort { x, dim, descending });
        for dtype in DType::ALL {
            for (name, x, dim) in operands(dtype) {
                for descending in [false, true] {
                    let op = op(x.clone(), dim, descending);
                    emit(Case::new(format!("{name}, descending {descending}"), dtype, op));
                }
            }
        }
        empty(emit, |x, dim, _| op(x, dim, false));
        large(emit, |x, dim, _| op(x, dim, true));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let descending = true;
        let row = spec([ROWS * COLS], dtype);
        [&x, &row].map(|x| Operation::Order(Order::Sort { x: x.clone(), dim, descending })).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|dim, descending| Operation::Order(Order::Sort { x: signed([3, 4]), dim, descending }))
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, .. } = RandomArgs::new(calls);
        Operation::Order(Order::Sort { x, dim, descending: calls.flag() })
    }
}

/// Checks of [`Family::SortWithIndices`].
pub struct SortWithIndicesChecks;

impl SortWithIndicesChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dim: &usize, &descending: &bool, &index: &DType) -> Outputs<Expected> {
        let order = Ranking::Sorted { descending };
        moved_two(first(x, order, x.shape()[dim], dim, index))
    }
}

impl OperationChecks for SortWithIndicesChecks {
    fn cases(&self, emit: Emit<'_>) {
        let op = |x, dim, descending, index| {
            Operation::Order(Order::SortWithIndices { x, dim, descending, index })
        };
        sweep(emit, |x, dim, index| [false, true].map(|down| op(x.clone(), dim, down, index)).into());
        empty(emit, |x, dim, index| op(x, dim, false, index));
        large(emit, |x, dim, index| op(x, dim, true, index));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let descending = true;
        let index = DType::I64;
        vec![Operation::Order(Order::SortWithIndices { x, dim, descending, index })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|dim, descending| {
            let (x, index) = (signed([3, 4]), DType::I64);
            Operation::Order(Order::SortWithIndices { x, dim, descending, index })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, index, .. } = RandomArgs::new(calls);
        Operation::Order(Order::SortWithIndices { x, dim, descending: calls.flag(), index })
    }

    fn folding(&self, random: &mut Random, x: &TensorSpec) -> Vec<Op> {
        let (dim, descending) = (random.below(x.shape.rank()), random.chance(50));
        let (x, index) = (x.clone(), DType::I64);
        vec![Operation::Order(Order::SortWithIndices { x, dim, descending, index })]
    }
}

/// Checks of [`Family::TopK`].
pub struct TopKChecks;

impl TopKChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(
        x: &Array,
        &k: &usize,
        &dim: &usize,
        &largest: &bool,
        &index: &DType,
    ) -> Outputs<Expected> {
        let order = Ranking::Sorted { descending: largest };
        moved_two(first(x, order, k, dim, index))
    }
}

impl OperationChecks for TopKChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(emit, |x, dim, index| {
            let size = x.data.shape[dim];
            let mut ks = vec![0, 1, size.div_ceil(2)];
            ks.dedup();
            let both = ks.into_iter().flat_map(|k| [(k, true), (k, false)]);
            both.map(|(k, largest)| Operation::Order(Order::TopK { x: x.clone(), k, dim, largest, index }))
                .collect()
        });
        empty(emit, |x, dim, index| {
            let k = x.data.shape[dim];
            Operation::Order(Order::TopK { x, k, dim, largest: true, index })
        });
        large(emit, |x, dim, index| Operation::Order(Order::TopK { x, k: 5, dim, largest: true, index }));
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let dim = 0;
        let index = DType::I64;
        let row = spec([ROWS * COLS], dtype);
        let k = ROWS * COLS / 5;
        vec![
            Operation::Order(Order::TopK { x: row, k, dim, largest: true, index }),
            Operation::Order(Order::TopK { x, k: ROWS / 2, dim, largest: false, index }),
        ]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|dim, largest| {
            let (x, index) = (signed([3, 4]), DType::I64);
            Operation::Order(Order::TopK { x, k: 2, dim, largest, index })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, dim, index, .. } = RandomArgs::new(calls);
        let k = calls.random.number(x.shape.get(dim).copied().unwrap_or(2));
        Operation::Order(Order::TopK { x, k, dim, largest: calls.flag(), index })
    }
}

/// Operands, and a dimension to order along: distinct values, many equal ones, NaN, extremes.
fn operands(dtype: DType) -> Vec<(String, Input, usize)> {
    let shapes: [(Shape, usize); 8] = [
        ([0, 3].into(), 1),
        ([37].into(), 0),
        ([1].into(), 0),
        ([5, 9].into(), 0),
        ([5, 9].into(), 1),
        ([3, 4, 5].into(), 1),
        ([3, 1, 5].into(), 1),
        ([2, 70].into(), 1),
    ];
    let mut operands = Vec::new();
    for (shape, dim) in shapes {
        for layout in MemoryLayout::ALL {
            let name = format!("{shape:?} along {dim}, {layout:?}");
            operands.push((name.clone(), ordinary(shape.clone(), dtype).laid_out(layout), dim));
            operands.push((
                format!("{name}, equals"),
                repetitive(shape.clone(), dtype).laid_out(layout),
                dim,
            ));
        }
    }
    for class in classes(dtype) {
        operands.push((class.name.into(), list(&class.values, dtype), 0));
    }
    if dtype.is_float() {
        for places in [vec![0], vec![5, 20], vec![36]] {
            let mut x = ordinary([37], dtype).array();
            places.iter().for_each(|&at| x.values[at] = Number::Float(f64::NAN));
            operands.push((format!("NaN at {places:?}"), Input::new(x.to_data()), 0));
        }
        let nan = list(&[Number::Float(f64::NAN); 3], dtype);
        operands.push(("nothing but NaN".into(), nan, 0));
    }
    operands
}

/// The dtypes that indices come in: all of them for one kind of operand, `i64` for the others.
fn index_dtypes(dtype: DType, size: usize) -> Vec<DType> {
    if dtype != DType::F32 {
        return vec![DType::I64];
    }
    super::ints().filter(|&index| crate::number::highest(index) >= size as i128).collect()
}

fn sweep(emit: Emit<'_>, op: impl Fn(Input, usize, DType) -> Vec<Operation<Input>>) {
    for dtype in DType::ALL {
        for (name, x, dim) in operands(dtype) {
            for index in index_dtypes(dtype, x.data.shape[dim]) {
                for op in op(x.clone(), dim, index) {
                    emit(Case::new(format!("{name}, index {index}"), dtype, op));
                }
            }
        }
    }
}

fn large(emit: Emit<'_>, op: impl Fn(Input, usize, DType) -> Operation<Input>) {
    for dim in 0..2 {
        let x = ordinary([260, 271], DType::F32);
        emit(Case::new(format!("large, along {dim}"), DType::F32, op(x, dim, DType::I64)));
    }
}

/// Nothing to order is allowed here.
fn empty(emit: Emit<'_>, op: impl Fn(Input, usize, DType) -> Operation<Input>) {
    for dtype in DType::ALL {
        for (dim, layout) in (0..2).flat_map(|dim| MemoryLayout::ALL.map(|layout| (dim, layout))) {
            let op = op(ordinary([0, 3], dtype).laid_out(layout), dim, DType::I64);
            emit(Case::new(format!("empty, along {dim}, {layout:?}"), dtype, op));
        }
    }
}

/// Which elements come first.
#[derive(Clone, Copy)]
pub enum Ranking {
    /// NaN is the extreme of both ends.
    Extreme(Extremum),
    /// NaN is larger than everything.
    Sorted { descending: bool },
}

impl Ranking {
    fn compare(self, x: Number, y: Number) -> Ordering {
        match self {
            Ranking::Extreme(Extremum::Max) | Ranking::Sorted { descending: true } => y.order(x),
            Ranking::Sorted { descending: false } => x.order(y),
            Ranking::Extreme(Extremum::Min) => y.is_nan().cmp(&x.is_nan()).then(x.order(y)),
        }
    }
}

/// The first `k` along `dim` in this order, of equals the earlier one first; and where they were.
pub fn first(x: &Array, order: Ranking, k: usize, dim: usize, index: DType) -> (Array, Array) {
    let shape = x.shape().with(dim, k);
    let mut places = Array::build(shape.clone(), index, |_| Number::Int(0));
    for line in indices(&shape.with(dim, k.min(1))) {
        let value = |at: usize| x.at(&replace(&line, dim, at));
        let mut sorted: Vec<usize> = (0..x.shape()[dim]).collect();
        sorted.sort_by(|&a, &b| order.compare(value(a), value(b)));
        for (rank, &place) in sorted.iter().take(k).enumerate() {
            *places.at_mut(&replace(&line, dim, rank)) = Number::Int(place as i128);
        }
    }
    let values = Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, places.at(i).index())));
    (values, places)
}

/// Returns calls along each dimension of a matrix, with both values of a flag.
fn gradients(op: impl Fn(usize, bool) -> Operation<Input>) -> Vec<GradientCall> {
    [(0, false), (0, true), (1, false), (1, true)]
        .map(|(dim, flag)| call(format!("along {dim}, {flag}"), op(dim, flag)))
        .into()
}

/// Operand and arguments that a random call chooses from.
pub(super) struct RandomArgs {
    pub x: TensorSpec,
    pub dim: usize,
    index: DType,
    op: Extremum,
}

impl RandomArgs {
    pub fn new(calls: &mut Calls<'_>) -> Self {
        let (x, index) = (calls.spec(), calls.index());
        RandomArgs { dim: calls.dim(&x), op: calls.random.pick(&Extremum::ALL), x, index }
    }
}

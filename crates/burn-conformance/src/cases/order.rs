use super::Emit;
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, repetitive};
use crate::number::Number;
use crate::values::classes;
use burn_backend::{DType, Extremum, Operation, Order, Reduction, Shape};

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

pub fn arg_reduce(emit: Emit<'_>) {
    sweep(emit, |x, dim, index| {
        Extremum::ALL
            .map(|op| Operation::Reduction(Reduction::ArgReduce { op, x: x.clone(), dim, index }))
            .into()
    });
    large(emit, |x, dim, index| {
        Operation::Reduction(Reduction::ArgReduce { op: Extremum::Max, x, dim, index })
    });
}

pub fn reduce_with_indices(emit: Emit<'_>) {
    sweep(emit, |x, dim, index| {
        Extremum::ALL
            .map(|op| Operation::Reduction(Reduction::ReduceWithIndices { op, x: x.clone(), dim, index }))
            .into()
    });
    large(emit, |x, dim, index| {
        Operation::Reduction(Reduction::ReduceWithIndices { op: Extremum::Min, x, dim, index })
    });
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

pub fn sort(emit: Emit<'_>) {
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

pub fn sort_with_indices(emit: Emit<'_>) {
    let op =
        |x, dim, descending, index| Operation::Order(Order::SortWithIndices { x, dim, descending, index });
    sweep(emit, |x, dim, index| [false, true].map(|down| op(x.clone(), dim, down, index)).into());
    empty(emit, |x, dim, index| op(x, dim, false, index));
    large(emit, |x, dim, index| op(x, dim, true, index));
}

pub fn topk(emit: Emit<'_>) {
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

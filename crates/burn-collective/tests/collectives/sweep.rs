//! Every function with every element type, on tensors without elements, of one, of views and above the size
//! from which ranks share the work, against integers.

use crate::tensors::B;
use burn::collective::{Communicator, Reduction};
use burn::tensor::{Bool, DType, Float, Int, Numeric, Tensor, TensorData, TensorKind};

/// Rows of a rank's part, and columns.
const SHAPES: [[usize; 2]; 4] = [[0, 3], [1, 1], [2, 3], [7, 2500]];

/// Numbers of which all sums and products over 8 ranks are exact in every element type.
fn number(rank: usize, at: usize) -> usize {
    (at * 3 + rank) % 2 + 1
}

/// Returns the matrix of `rank` with these rows, as a view of its transpose.
fn view<K: TensorKind>(rank: usize, [rows, columns]: [usize; 2], dtype: DType) -> Tensor<B, 2, K> {
    let numbers: Vec<i64> = (0..columns)
        .flat_map(|column| (0..rows).map(move |row| (row, column)))
        .map(|(row, column)| element(rank, row * columns + column, dtype))
        .collect();
    let data = TensorData::new(numbers, [columns, rows]).convert_dtype(dtype);
    Tensor::from_data(data, (&Default::default(), dtype)).transpose()
}

fn element(rank: usize, at: usize, dtype: DType) -> i64 {
    let number = number(rank, at) as i64;
    if dtype == DType::Bool { number - 1 } else { number }
}

/// Checks the elements and the type of a result.
fn expect<K: TensorKind>(
    what: &str,
    x: Tensor<B, 2, K>,
    (shape, dtype): ([usize; 2], DType),
    expected: impl Fn(usize) -> f64,
) {
    assert_eq!((x.dims(), x.dtype()), (shape, dtype), "{what}");
    let expected: Vec<f64> = (0..shape[0] * shape[1]).map(expected).collect();
    let expected = TensorData::new(expected, shape).convert_dtype(dtype);
    assert!(x.into_data() == expected, "{what} of {dtype} and {shape:?}");
}

fn reduced(reduction: Reduction, ranks: usize, at: usize, dtype: DType) -> f64 {
    let numbers = (0..ranks).map(|rank| number(rank, at) as f64);
    match reduction {
        Reduction::Sum => numbers.sum(),
        Reduction::Mean if dtype.is_float() => numbers.sum::<f64>() / ranks as f64,
        Reduction::Mean => (numbers.sum::<f64>() / ranks as f64).trunc(),
        Reduction::Min => numbers.fold(f64::INFINITY, f64::min),
        Reduction::Max => numbers.fold(0.0, f64::max),
        Reduction::Product => numbers.product(),
    }
}

/// Reductions, for numbers.
fn reductions<K: Numeric>(group: &Communicator, dtype: DType) {
    let (rank, ranks) = (group.rank(), group.world_size());
    for reduction in [Reduction::Sum, Reduction::Mean, Reduction::Min, Reduction::Max, Reduction::Product] {
        for shape in SHAPES {
            let all = group.all_reduce(view::<K>(rank, shape, dtype), reduction).unwrap();
            expect("all_reduce", all, (shape, dtype), |at| reduced(reduction, ranks, at, dtype));
            let whole = [shape[0] * ranks, shape[1]];
            let part = group.reduce_scatter(view::<K>(rank, whole, dtype), 0, reduction).unwrap();
            let start = rank * shape[0] * shape[1];
            expect("reduce_scatter", part, (shape, dtype), |at| reduced(reduction, ranks, start + at, dtype));
        }
        let list = SHAPES.map(|shape| view::<K>(rank, shape, dtype)).to_vec();
        let list = group.all_reduce_list(list, reduction).unwrap();
        for (all, shape) in list.into_iter().zip(SHAPES) {
            expect("all_reduce_list", all, (shape, dtype), |at| reduced(reduction, ranks, at, dtype));
        }
        let list = SHAPES.map(|shape| view::<K>(rank, [shape[0] * ranks, shape[1]], dtype)).to_vec();
        let list = group.reduce_scatter_list(list, 0, reduction).unwrap();
        for (part, shape) in list.into_iter().zip(SHAPES) {
            let start = rank * shape[0] * shape[1];
            expect("reduce_scatter_list", part, (shape, dtype), |at| {
                reduced(reduction, ranks, start + at, dtype)
            });
        }
    }
}

/// Functions that move elements as they are.
fn moves<K: TensorKind>(group: &Communicator, dtype: DType) {
    let (rank, ranks) = (group.rank(), group.world_size());
    let own = |shape| view::<K>(rank, shape, dtype);
    for shape in SHAPES {
        let count = shape[0] * shape[1];
        let all = group.all_gather(own(shape), 0).unwrap();
        let rows = [shape[0] * ranks, shape[1]];
        expect("all_gather", all, (rows, dtype), |at| element(at / count, at % count, dtype) as f64);
        let columns = [shape[0], shape[1] * ranks];
        let all = group.all_gather(own(shape), 1).unwrap();
        expect("all_gather", all, (columns, dtype), |at| {
            let (row, column) = (at / columns[1], at % columns[1]);
            element(column / shape[1], row * shape[1] + column % shape[1], dtype) as f64
        });
        let root = ranks - 1;
        let one = group.broadcast(own(shape), root).unwrap();
        expect("broadcast", one, (shape, dtype), |at| element(root, at, dtype) as f64);
        if ranks > 1 {
            let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            let received = group.start_receive::<B, 2, K>(previous, &Default::default()).unwrap();
            group.send(own(shape), next).unwrap();
            let received = received.wait().unwrap();
            expect("receive", received, (shape, dtype), |at| element(previous, at, dtype) as f64);
        }
    }
    let list = group.broadcast_list(SHAPES.map(own).to_vec(), 0).unwrap();
    for (one, shape) in list.into_iter().zip(SHAPES) {
        expect("broadcast_list", one, (shape, dtype), |at| element(0, at, dtype) as f64);
    }
    let list = group.all_gather_list(SHAPES.map(own).to_vec(), 1).unwrap();
    for (all, shape) in list.into_iter().zip(SHAPES) {
        let columns = [shape[0], shape[1] * ranks];
        expect("all_gather_list", all, (columns, dtype), |at| {
            let (row, column) = (at / columns[1], at % columns[1]);
            element(column / shape[1], row * shape[1] + column % shape[1], dtype) as f64
        });
    }
}

pub fn every_function_with_every_dtype(group: &Communicator) {
    for dtype in DType::ALL {
        if dtype.is_float() {
            reductions::<Float>(group, dtype);
            moves::<Float>(group, dtype);
        } else if dtype == DType::Bool {
            moves::<Bool>(group, dtype);
        } else {
            reductions::<Int>(group, dtype);
            moves::<Int>(group, dtype);
        }
    }
}

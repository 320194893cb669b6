//! Reductions of views have the bits of those of contiguous copies.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};

type Leaf = NdArray<f32>;

fn tensor(shape: &[usize], dtype: DType) -> NdTensor {
    let value = |i: usize| ((i as f64 * 0.618_033_988_749_895).fract() - 0.3) * 4.0;
    let values: Vec<f64> = (0..shape.iter().product()).map(value).collect();
    let data = TensorData::new(values, shape.iter().copied().collect::<Shape>());
    Leaf::from_data(data.convert_dtype(dtype), &Default::default())
}

/// The bytes of the elements; one NaN is like another.
fn bits(x: NdTensor) -> Vec<Option<u64>> {
    let data = block_on(Leaf::into_data(x)).expect("ready").expect("readable");
    data.iter::<f64>().map(|x| (!x.is_nan()).then_some(x.to_bits())).collect()
}

/// Views of all kinds, of three dimensions each: what they are called, and their elements.
fn views([a, b, c]: [usize; 3], dtype: DType) -> Vec<(&'static str, NdTensor)> {
    let slice =
        |start: usize, size: usize, step: usize| Slice { start, end: start + (size - 1) * step + 1, step };
    let sliced = |x: NdTensor, slices: [Slice; 3]| Leaf::slice(x, slices.into_iter().collect());
    let turned = |shape: [usize; 3], axes: [usize; 3]| Leaf::permute(tensor(&shape, dtype), Dims::from(axes));
    let plain = || tensor(&[a, b, c], dtype);
    vec![
        ("turned round", turned([c, b, a], [2, 1, 0])),
        ("last dimension first", turned([c, a, b], [1, 2, 0])),
        ("last two exchanged", turned([a, c, b], [0, 2, 1])),
        ("first two exchanged", turned([b, a, c], [1, 0, 2])),
        ("flipped", Leaf::flip(plain(), Dims::from([0, 2]))),
        ("turned and flipped", Leaf::flip(turned([c, b, a], [2, 1, 0]), Dims::from([1]))),
        (
            "stepped",
            sliced(tensor(&[2 * a, b, 3 * c], dtype), [slice(1, a, 2), slice(0, b, 1), slice(0, c, 3)]),
        ),
        (
            "a window",
            sliced(tensor(&[a + 2, b + 1, c + 3], dtype), [slice(1, a, 1), slice(1, b, 1), slice(2, c, 1)]),
        ),
        ("rows repeated", Leaf::expand(tensor(&[a, 1, c], dtype), Shape::from([a, b, c]))),
        ("columns repeated", Leaf::expand(tensor(&[1, b, 1], dtype), Shape::from([a, b, c]))),
    ]
}

/// A tensor of its own, in row-major order.
fn copy(x: &NdTensor) -> NdTensor {
    let data = block_on(Leaf::into_data(x.clone())).expect("ready").expect("readable");
    Leaf::from_data(data, &Default::default())
}

const SHAPES: [[usize; 3]; 12] = [
    [3, 5, 7],
    [2, 17, 4],
    [6, 1, 9],
    [1, 64, 65],
    [70, 3, 33],
    [2, 130, 3],
    [5, 2, 700],
    [600, 3, 2],
    [2, 520, 16],
    [40, 30, 20],
    [3, 9000, 2],
    [1, 20, 1000],
];

#[test]
fn reductions_of_views_are_those_of_copies() {
    for shape in SHAPES {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::I16, DType::U8] {
            for (name, x) in views(shape, dtype) {
                let copy = copy(&x);
                for dims in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
                    for op in [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                        if op == ReduceOp::Mean && !dtype.is_float() {
                            continue;
                        }
                        let of = |x: &NdTensor| bits(Leaf::reduce(op, x.clone(), Dims::from(dims)));
                        assert_eq!(
                            of(&x),
                            of(&copy),
                            "{op:?} of {shape:?} {dtype:?}, {name}, along {dims:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Sums along the first dimension, which are sums of columns, and those of a copy whose rows are these
/// columns.
fn columns_are_rows(x: &NdTensor) {
    let turned = copy(&Leaf::permute(x.clone(), Dims::from([1, 0])));
    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max] {
        let columns = Leaf::reduce(op, x.clone(), Dims::from([0]));
        let rows = Leaf::reduce(op, turned.clone(), Dims::from([1]));
        let (shape, dtype) = (&x.spec().shape, x.spec().dtype);
        assert!(bits(columns) == bits(rows), "{op:?} of {shape:?} {dtype:?}");
    }
}

#[test]
fn sums_of_columns_are_those_of_rows_whatever_their_number() {
    for rows in [1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 1000] {
        for columns in [5, 16, 37, 64, 100, 130, 200, 1030] {
            columns_are_rows(&tensor(&[rows, columns], DType::F32));
        }
        columns_are_rows(&tensor(&[rows, 77], DType::F64));
        columns_are_rows(&tensor(&[rows, 300], DType::I32));
    }
}

/// Rows are read in other ways where they come from far caches or from memory, and where there are gaps
/// between them.
#[test]
fn sums_of_columns_of_large_matrices_are_those_of_rows() {
    let windows = |x: NdTensor, columns: usize| {
        let rows = x.spec().shape[0];
        let part = |end: usize| Slice { start: 0, end, step: 1 };
        Leaf::slice(x, [part(rows), part(columns)].into_iter().collect())
    };
    for [rows, columns] in [[1100, 500], [9000, 70], [40, 90_000], [3200, 1040], [100_000, 3], [70, 50_000]] {
        let x = tensor(&[rows, columns], DType::F32);
        columns_are_rows(&windows(x.clone(), columns - 1));
        columns_are_rows(&x);
    }
}

#[test]
fn what_reduces_on_its_way_gives_the_same_for_views() {
    for shape in SHAPES {
        for (name, x) in views(shape, DType::F32) {
            let copy = copy(&x);
            let all = |x: &NdTensor| {
                let last = x.spec().shape[2];
                let weight = tensor(&[last], DType::F32);
                let norm = LayerNormArgs { x: x.clone(), weight: Some(weight), bias: None, epsilon: 1e-5 };
                let mut found: Vec<_> = (0..3)
                    .flat_map(|dim| {
                        [
                            Leaf::softmax(x.clone(), dim),
                            Leaf::log_softmax(x.clone(), dim),
                            Leaf::cumulative(CumulativeOp::Sum, x.clone(), dim),
                            Leaf::cumulative(CumulativeOp::Prod, x.clone(), dim),
                            Leaf::arg_reduce(Extremum::Max, x.clone(), dim, DType::I32),
                            Leaf::sort(x.clone(), dim, true),
                            Leaf::sort_with_indices(x.clone(), dim, false, DType::I64).1,
                        ]
                    })
                    .map(bits)
                    .collect();
                found.push(bits(Leaf::layer_norm(norm)));
                found
            };
            assert!(all(&x) == all(&copy), "{shape:?}, {name}");
        }
    }
}

/// Sums and extremes by their definition, in `f64`.
#[test]
fn reductions_along_any_dimensions_are_those_of_the_definition() {
    for shape in SHAPES {
        let strides = [shape[1] * shape[2], shape[2], 1];
        for dtype in [DType::F32, DType::BF16, DType::I8] {
            for (name, x) in views(shape, dtype) {
                let values = block_on(Leaf::into_data(x.clone())).expect("ready").expect("readable").to_f64();
                for dims in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2]] {
                    let kept: Vec<usize> =
                        (0..3).map(|d| if dims.contains(&d) { 1 } else { shape[d] }).collect();
                    let mut sums = vec![(0.0, 0.0, f64::MIN); kept.iter().product()];
                    for (at, &x) in values.iter().enumerate() {
                        let place = |d: usize| at / strides[d] % shape[d] % kept[d];
                        let (sum, size, most) =
                            &mut sums[(place(0) * kept[1] + place(1)) * kept[2] + place(2)];
                        (*sum, *size, *most) = (*sum + x, *size + x.abs(), most.max(x));
                    }
                    let of = |op| {
                        let result = Leaf::reduce(op, x.clone(), Dims::from(dims));
                        block_on(Leaf::into_data(result)).expect("ready").expect("readable").to_f64()
                    };
                    let (found, largest) = (of(ReduceOp::Sum), of(ReduceOp::Max));
                    for ((&(sum, size, most), &found), &largest) in sums.iter().zip(&found).zip(&largest) {
                        let unit = match dtype {
                            DType::F32 => f64::from(f32::EPSILON),
                            DType::BF16 => 1.0 / 128.0,
                            _ => 0.0,
                        };
                        let (slack, wraps) =
                            (16.0 * f64::from(f32::EPSILON) * size + unit * sum.abs(), dtype == DType::I8);
                        let differs = if wraps { (found - sum) % 256.0 } else { found - sum };
                        assert!(
                            differs.abs() <= slack,
                            "{found} is not {sum}: {shape:?} {dtype:?}, {name}, {dims:?}"
                        );
                        assert_eq!(largest, most, "{shape:?} {dtype:?}, {name}, {dims:?}");
                    }
                }
            }
        }
    }
}

//! sizes, axes and ranges as arrays, slices and vectors, and other forms of calls that ports use.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, float, int};
use burn::prelude::*;
use burn::tensor::{DType, Element, linalg, signal};

fn counted(shape: [usize; 3]) -> Tensor<B, 3, Int> {
    Tensor::<B, 1, Int>::arange(0..shape.iter().product::<usize>() as i64, CPU).reshape(shape)
}

#[test]
fn x_027_sizes_are_arrays_slices_and_vectors() {
    let (sizes, signed) = (vec![3_usize, 2], vec![-1_i64, 2]);
    let x = || int::<2>([[1, 2, 3], [4, 5, 6]]);
    let expected = [[1, 2], [3, 4], [5, 6]];
    exactly(x().reshape::<2, _>(&sizes), expected);
    exactly(x().reshape::<2, _>(sizes.as_slice()), expected);
    exactly(x().reshape::<2, _>(&signed), expected);
    exactly(x().reshape::<2, _>(&[3, 2]), expected);
    exactly(x().reshape::<2, _>(&Shape::from([3, 2])), expected);
    exactly(x().reshape::<2, _>(sizes.clone()), expected);
    let row = || int::<1>([7, 8]);
    for wide in [
        row().expand::<2>(&sizes),
        row().expand(&sizes[..]),
        row().expand(&[3, -1]),
        row().expand(sizes.clone()),
    ] {
        exactly(wide, [[7, 8], [7, 8], [7, 8]]);
    }
    let counts = vec![1_usize, 2];
    let twice = [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]];
    exactly(x().repeat(&counts), twice);
    exactly(x().repeat(counts.clone()), twice);
    exactly(x().repeat([1, 2]), twice);
    exactly(x().repeat(&[1, 2]), twice);
    exactly(x().tile([2]), twice);
    exactly(x().split_with_sizes(vec![1, 2], 1)[1].clone(), [[2, 3], [5, 6]]);
    assert!(panics(|| x().reshape::<2, _>(&vec![6_usize])).contains("the result has rank 2"));
}

#[test]
fn x_027_axes_are_arrays_slices_and_vectors() {
    let axes = vec![2_usize, 0, 1];
    let x = || counted([2, 3, 4]);
    for turned in
        [x().permute([2, 0, 1]), x().permute(&axes), x().permute(&axes[..]), x().permute(axes.clone())]
    {
        assert_eq!(turned.dims(), [4, 2, 3]);
        // Element [k, i, j] is element [i, j, k] = 12 i + 4 j + k.
        assert_eq!(turned.slice([3..4, 1..2, 2..3]).into_scalar(), 12 + 8 + 3);
    }
    assert!(panics(|| x().permute(&axes[..2])).contains("permute: "));
    let y = || int::<2>([[1, 2], [3, 4]]);
    exactly(y().flip([]), [[1, 2], [3, 4]]);
    exactly(y().flip([0_usize]), [[3, 4], [1, 2]]);
    exactly(y().flip(vec![0_i64, 1]), [[4, 3], [2, 1]]);
    exactly(y().flip(&vec![-1]), [[2, 1], [4, 3]]);
    exactly(y().flip(&[1_u32][..]), [[2, 1], [4, 3]]);
    exactly(y().movedim(&vec![0], &[1]), [[1, 3], [2, 4]]);
}

#[test]
fn x_027_ranges_are_arrays_slices_and_vectors() {
    let x = || int::<2>([[1, 2, 3], [4, 5, 6]]);
    let ranges = vec![0..1, 1..3];
    exactly(x().slice(&ranges), [[2, 3]]);
    exactly(x().slice(ranges.as_slice()), [[2, 3]]);
    exactly(x().slice(&[0..1, 1..3]), [[2, 3]]);
    exactly(x().slice(1..), [[4, 5, 6]]);
    exactly(x().slice(0..1), [[1, 2, 3]]);
    exactly(x().slice_assign(&ranges, int([[0, 0]])), [[1, 0, 0], [4, 5, 6]]);
}

/// NumPy: `expand_dims(x, (0, 4, 5)).shape` of `[3, 4, 5]` is `(1, 3, 4, 5, 1, 1)`.
#[test]
fn x_009_unsqueeze_dims_names_a_dimension_again() {
    let x = || counted([3, 4, 5]);
    assert_eq!(x().unsqueeze_dims::<6>(&[0, -1, -1]).dims(), [1, 3, 4, 5, 1, 1]);
    assert_eq!(x().unsqueeze_dims::<6>([0, 0, -1]).dims(), [1, 1, 3, 4, 5, 1]);
    assert_eq!(x().unsqueeze_dims::<5>(vec![1, 1]).dims(), [3, 1, 1, 4, 5]);
    assert_eq!(x().unsqueeze_dims::<5>(&[-2, -2]).dims(), [3, 4, 1, 1, 5]);
    assert!(x().try_unsqueeze_dims::<5>(&[4, 4]).is_err());
}

#[test]
fn tf_016_one_hot_of_float_classes() {
    exactly(
        float::<1>([0.0, 1.0, 4.0]).one_hot::<2>(5),
        [[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]],
    );
    let options = (CPU, DType::F64);
    assert_eq!(Tensor::<B, 1>::one_hot(1, 3, options).dtype(), DType::F64);
    exactly(Tensor::<B, 1>::one_hot(1, 3, CPU), [0.0, 1.0, 0.0]);
    assert_eq!(Tensor::<B, 1>::from_data([1.0], options).one_hot::<2>(2).dtype(), DType::F64);
    let message = panics(|| float::<1>([0.5]).one_hot::<2>(3));
    assert!(message.starts_with("one_hot: "), "{message}");
    assert!(float::<1>([3.0]).try_one_hot::<2>(3).unwrap_err().to_string().contains("3 classes"));
}

/// `[[1, 3], [2, 4]]` by hand: row 1 is the pivot, the factor 1/2, and the rest 3 - 4/2.
#[test]
fn lu_decomposition_is_packed() {
    let (packed, rows) = linalg::lu_decomposition(float::<2>([[1.0, 3.0], [2.0, 4.0]]));
    exactly(packed, [[2.0, 4.0], [0.5, 1.0]]);
    exactly(rows, [1, 0]);
}

#[test]
fn x_027_options_take_the_dtype_of_an_element() {
    fn dtypes<E: Element>() -> [DType; 2] {
        let options = (CPU, E::dtype());
        [
            signal::hann_window::<B>(4, true, options).dtype(),
            Tensor::<B, 2>::ones([2, 2], options).tril(0).dtype(),
        ]
    }
    assert_eq!(dtypes::<f64>(), [DType::F64; 2]);
    assert_eq!(dtypes::<burn::tensor::f16>(), [DType::F16; 2]);
    let mask = Tensor::<B, 2, Bool>::tril_mask([2, 2], 0, CPU);
    exactly(mask, [[false, true], [false, false]]);
}

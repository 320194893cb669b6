//! tensors whose rank is known at run time only.

use crate::expect::{exactly, nearly};
use crate::given::CPU;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::{Bool, DType, DynTensor, Int, Shape, Tensor, TensorData, Tolerance, s};

type Dyn = DynTensor<NdArray>;

fn numbers(shape: &[usize]) -> Dyn {
    let count = shape.iter().product::<usize>();
    let values: Vec<f32> = (0..count).map(|at| at as f32).collect();
    Dyn::from_data(TensorData::new(values, Shape::from(shape.to_vec())), CPU)
}

#[track_caller]
fn is(x: Dyn, expected: impl Into<TensorData>) {
    x.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::strict());
}

#[test]
fn x_023_the_rank_leaves_the_type_and_comes_back() {
    let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], CPU);
    let dynamic = DynTensor::from(x.clone());
    assert_eq!((dynamic.rank(), dynamic.shape(), dynamic.dtype()), (2, Shape::new([2, 2]), DType::F32));
    assert_eq!(dynamic.device(), x.device());
    exactly(Tensor::<NdArray, 2>::try_from(dynamic.clone()).expect("rank 2"), [[1.0, 2.0], [3.0, 4.0]]);
    exactly(dynamic.clone().into_rank::<2>(), x.clone().into_data());
    let error = Tensor::<NdArray, 3>::try_from(dynamic).expect_err("rank 2 is not 3");
    assert!(error.to_string().contains("shape [2, 2] has rank 2, the tensor has rank 3"), "{error}");
    assert!(error.to_string().contains(file!()), "the line of the program: {error}");
    let (flags, ints) = (x.clone().greater_elem(2.5).into_dyn(), x.int().into_dyn());
    exactly(flags.into_rank::<2>(), [[false, false], [true, true]]);
    exactly(ints.float().into_rank::<2>(), [[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn x_023_shapes_of_any_rank() {
    let x = numbers(&[2, 3, 4]);
    assert_eq!(x.clone().reshape(&[4, -1]).shape(), Shape::new([4, 6]));
    assert_eq!(x.clone().permute(&[2, 0, 1]).shape(), Shape::new([4, 2, 3]));
    is(x.clone().permute(&[-1, 0, 1]).slice(s![1, 0, ..]), [[[1.0, 5.0, 9.0]]]);
    assert_eq!(x.clone().unsqueeze_dim(-1).unsqueeze_dim(0).shape(), Shape::new([1, 2, 3, 4, 1]));
    assert_eq!(x.clone().unsqueeze_dim(1).squeeze_dim(1).shape(), x.shape());
    assert_eq!(x.clone().slice(s![0, .., 2..]).squeeze().shape(), Shape::new([3, 2]));
    is(numbers(&[3]).expand([2, 3]), [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]);
    is(numbers(&[2, 2]).flip(&[1]), [[1.0, 0.0], [3.0, 2.0]]);
    is(numbers(&[2, 2]).swap_dims(0, 1), [[0.0, 2.0], [1.0, 3.0]]);
    let scalar = numbers(&[1]).reshape(&[]);
    assert_eq!((scalar.rank(), scalar.clone().unsqueeze_dim(0).rank()), (0, 1));
    let picked = x.select(2, Tensor::<NdArray, 1, Int>::from_data([3, 0], CPU));
    is(picked.slice(s![1, 2..]), [[[23.0, 20.0]]]);
}

#[test]
fn x_023_operators_broadcast_over_ranks() {
    let (matrix, row) = (numbers(&[2, 3]), numbers(&[3]));
    is(matrix.clone() + row.clone(), [[0.0, 2.0, 4.0], [3.0, 5.0, 7.0]]);
    is(row.clone() - matrix.clone(), [[0.0, 0.0, 0.0], [-3.0, -3.0, -3.0]]);
    is((-(matrix.clone() * 2) + 1) / 2, [[0.5, -0.5, -1.5], [-2.5, -3.5, -4.5]]);
    is(matrix.clone() % 2, [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]);
    let large: DynTensor<NdArray, Bool> = matrix.clone().greater(row.clone());
    is(matrix.clone().mask_fill(large, -1), [[0.0, 1.0, 2.0], [-1.0, -1.0, -1.0]]);
    is(row.clone().elementwise(Tensor::square), [0.0, 1.0, 4.0]);
    let product = numbers(&[2, 2, 3]).matmul(numbers(&[3, 1]));
    is(product, [[[5.0], [14.0]], [[23.0], [32.0]]]);
    assert_eq!(row.clone().cast(DType::F64).dtype(), DType::F64);
    assert!(row.clone().try_cast(DType::I32).is_err());
    assert!(matrix.clone().try_add(numbers(&[2])).is_err());
    assert!(matrix.try_matmul(row).is_err());
}

#[test]
fn x_023_reductions_keep_dims_or_not() {
    let x = numbers(&[2, 3]);
    is(x.clone().sum_dims(&[1], true), [[3.0], [12.0]]);
    is(x.clone().sum_dims(&[-1], false), [3.0, 12.0]);
    is(x.clone().mean_dims(&[0], false), [1.5, 2.5, 3.5]);
    is(x.clone().prod_dims(&[1], false), [0.0, 60.0]);
    is(x.clone().max_dims(&[0, 1], true), [[5.0]]);
    is(x.clone().min_dims(&x.all_axes(), false).unsqueeze_dim(0), [0.0]);
    let any = x.clone().any_dims(&[1], false).into_data();
    assert_eq!(any, TensorData::from([true, true]));
    assert_eq!(x.clone().all_dims(&[1], false).into_data(), TensorData::from([false, true]));
    assert!(x.clone().try_sum_dims(&[2], false).is_err());
    assert!(x.try_sum_dims(&[0, 0], false).is_err());
}

#[test]
fn x_023_tensors_are_joined() {
    let x = numbers(&[1, 2]);
    is(DynTensor::cat(vec![x.clone(), x.clone() + 2], 0), [[0.0, 1.0], [2.0, 3.0]]);
    is(DynTensor::stack(vec![x.clone(), x.clone() + 2], -1), [[[0.0, 2.0], [1.0, 3.0]]]);
    assert!(DynTensor::try_stack(vec![x.clone(), numbers(&[2, 1])], 0).is_err());
    assert!(DynTensor::try_cat(vec![x.clone(), numbers(&[2])], 0).is_err());
    assert!(Dyn::try_cat(Vec::new(), 0).is_err());
    assert!(Dyn::try_zeros([usize::MAX, 2], CPU).is_err());
    assert_eq!(x.to_string(), x.clone().into_rank::<2>().to_string());
}

#[test]
fn x_023_gradients_flow_through() {
    let x = Tensor::<Autodiff<NdArray>, 2>::from_data([[1.0, 2.0]], CPU).require_grad();
    let y = (x.clone().into_dyn() * x.clone().into_dyn()).sum_dims(&[0, 1], false).unsqueeze_dim(0);
    let gradients = y.into_rank::<1>().backward();
    nearly(x.grad(&gradients).expect("tracked"), [[2.0, 4.0]]);
}

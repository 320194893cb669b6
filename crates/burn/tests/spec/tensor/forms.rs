//! other ways to write a call, which programs that are ported here use.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, float, int};
use burn::backend::Autodiff;
use burn::tensor::{Bool, DType, Int, Slice, Tensor, TensorData, module, s};

#[test]
fn x_008_a_step_for_one_dimension() {
    let x = || int::<2>([[1, 2, 3, 4], [5, 6, 7, 8]]);
    exactly(x().slice_dim(1, s![..;-1]), [[4, 3, 2, 1], [8, 7, 6, 5]]);
    exactly(x().slice_dim(1, s![1..;2]), [[2, 4], [6, 8]]);
    exactly(x().slice_dim(-1, s![-1]), [[4], [8]]);
    exactly(int::<1>([1, 2, 3, 4]).slice([s![0..3;2]]), [1, 3]);
    exactly(x().slice([s![..;-1], s![0..3;2]]), [[5, 7], [1, 3]]);
    exactly(x().slice_fill([s![..], s![..;2]], 0), [[0, 2, 0, 4], [0, 6, 0, 8]]);
}

#[test]
fn x_027_a_slice_is_a_value() {
    let x = || int::<2>([[1, 2, 3, 4], [5, 6, 7, 8]]);
    exactly(x().slice([Slice::full(), Slice::new(0, Some(3), 2)]), [[1, 3], [5, 7]]);
    exactly(x().slice_dim(1, Slice::new(0, None, -2)), [[4, 2], [8, 6]]);
    exactly(x().slice(Slice::index(-1)), [[5, 6, 7, 8]]);
    exactly(x().slice([Slice::from(0..1), Slice::from(-2..).with_step(-1)]), [[4, 3]]);
    let [rows, columns] = s![.., 1..3;2];
    assert_eq!((rows, columns), (Slice::new(0, None, 1), Slice::new(1, Some(3), 2)));
    assert!(x().try_slice(Slice::new(0, None, 0)).is_err());
}

#[test]
fn x_027_tensors_from_data_on_the_default_device() {
    let x = Tensor::<B, 2>::from([[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(x.dtype(), DType::F32);
    exactly(x, [[1.0, 2.0], [3.0, 4.0]]);
    exactly(Tensor::<B, 1, Int>::from(vec![1_i64, 2]), [1, 2]);
    exactly(Tensor::<B, 1, Bool>::from([true]), [true]);
    let data = TensorData::new([1.0_f64, 2.0], [2, 1]);
    exactly(Tensor::<Autodiff<B>, 2>::from(data.clone()), [[1.0], [2.0]]);
    let converted: Tensor<B, 2> = data.into();
    exactly(converted, [[1.0], [2.0]]);
    let message = panics(|| Tensor::<B, 2>::from([1.0]));
    assert!(message.starts_with("from_data: ") && message.contains("rank"), "{message}");
}

#[test]
fn x_027_reshape_with_its_generic_arguments() {
    let x = || float::<1>([1.0, 2.0, 3.0, 4.0]);
    exactly(x().reshape::<2, _>([2, 2]), [[1.0, 2.0], [3.0, 4.0]]);
    exactly(x().reshape::<2, _>([-1, 1]).reshape::<1, _>([4]), [1.0, 2.0, 3.0, 4.0]);
    exactly(x().reshape::<2, _>(vec![1, 4]), [[1.0, 2.0, 3.0, 4.0]]);
    exactly(x().reshape([2, 2]), [[1.0, 2.0], [3.0, 4.0]]);
    assert!(x().try_reshape::<2, _>([3, 2]).is_err());
}

/// Where dimension `source[i]` is at `destination[i]`, and the others are in order.
#[test]
fn x_027_movedim_takes_lists() {
    let x = || Tensor::<B, 4>::zeros([2, 3, 4, 5], CPU);
    assert_eq!(x().movedim([2, 3], [1, 2]).dims(), [2, 4, 5, 3]);
    assert_eq!(x().movedim([0, 1], [-1, 0]).dims(), [3, 4, 5, 2]);
    assert_eq!(x().movedim(vec![3, 0], vec![0, 3]).dims(), [5, 3, 4, 2]);
    assert_eq!(x().movedim(&[0_usize, 1][..], &[1_usize, 0][..]).dims(), [3, 2, 4, 5]);
    assert_eq!(x().movedim([0, 1, 2, 3], [3, 2, 1, 0]).dims(), [5, 4, 3, 2]);
    assert_eq!(x().movedim([0; 0], [0; 0]).dims(), [2, 3, 4, 5]);
    exactly(int::<2>([[1, 2], [3, 4]]).movedim([0, 1], [1, 0]), [[1, 3], [2, 4]]);
    let message = panics(|| x().movedim([0, 1], [0, 0]));
    assert!(message.starts_with("movedim: ") && message.contains("[0, 0]"), "{message}");
    assert!(x().try_movedim([0, 1], [0]).is_err());
    assert!(x().try_movedim([0, 4], [0, 1]).is_err());
    assert!(x().try_movedim([0, -4], [0, 1]).is_err());
}

#[test]
fn x_027_max_pools_with_indices() {
    let x = float::<3>([[[1.0, 3.0, 2.0, 5.0, 4.0]]]);
    let (values, indices) = module::max_pool1d_with_indices(x, 2, 2, 1, 1);
    exactly(values, [[[1.0, 3.0, 5.0]]]);
    exactly(indices, [[[0, 1, 3]]]);
    let x = float::<4>([[[[1.0, 2.0, 9.0], [4.0, 3.0, 0.0], [7.0, 8.0, 6.0]]]]);
    let (values, indices) = module::max_pool2d_with_indices(x, [2, 2], [1, 1], [0, 0], [1, 1]);
    exactly(values, [[[[4.0, 9.0], [8.0, 8.0]]]]);
    exactly(indices, [[[[3, 2], [7, 7]]]]);
    let x = float::<5>([[[[[1.0, 2.0], [3.0, 4.0]], [[8.0, 7.0], [6.0, 5.0]]]]]);
    let (values, indices) = module::max_pool3d_with_indices(x, [2; 3], [2; 3], [0; 3], [1; 3]);
    exactly(values, [[[[[8.0]]]]]);
    exactly(indices, [[[[[4]]]]]);
}

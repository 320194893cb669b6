//! tensors of rank 0 and dims of size 0. Results are those of PyTorch.

use crate::expect::exactly;
use crate::given::{B, CPU};
use burn::tensor::{Bool, DType, Distribution, Int, Tensor, TensorData, activation, einsum};

const NAN: f32 = f32::NAN;

fn scalar(value: f32) -> Tensor<B, 0> {
    Tensor::from_data(TensorData::new([value], [0; 0]), CPU)
}

#[track_caller]
fn is(tensor: Tensor<B, 0>, expected: f32) {
    exactly(tensor, TensorData::new([expected], [0; 0]));
}

#[test]
fn x_017_rank_0_through_the_methods() {
    let x = || scalar(5.0);
    assert_eq!((x().dims(), x().rank(), x().shape().num_elements()), ([0; 0], 0, 1));
    assert_eq!(x().into_scalar(), 5.0);
    is(x() + scalar(2.0), 7.0);
    is(x() * 3, 15.0);
    is(-x(), -5.0);
    is(x().sqrt().square().round(), 5.0);
    is(x().clamp(0, 1), 1.0);
    is(x().max_pair(scalar(9.0)), 9.0);
    is(x().mask_fill(x().greater_elem(1), 8), 8.0);
    is(x().mask_where(x().lower_elem(1), scalar(3.0)), 5.0);
    is(x().cast(DType::F16).cast(DType::F32), 5.0);
    is(x().int().float(), 5.0);
    is(x().sum_dims(&[0; 0]), 5.0);
    is(x().flip([0; 0]), 5.0);
    is(x().permute([0; 0]), 5.0);
    is(x().nan_to_num(0.0, None, None).frac(), 0.0);
    is(activation::gelu(activation::relu(scalar(-1.0))), 0.0);
    is(x().detach().to_device(CPU), 5.0);
    is(Tensor::zeros([0; 0], CPU), 0.0);
    is(Tensor::full([0; 0], 2.5, CPU), 2.5);
    is(x().ones_like(), 1.0);
    is(x().repeat(&[]), 5.0);
    is(einsum(",->", (x(), scalar(2.0))), 10.0);
    assert_eq!(Tensor::<B, 0>::random([0; 0], Distribution::Default, CPU).dims(), [0; 0]);
    exactly(x().sum(), [5.0]);
    exactly(x().prod(), [5.0]);
    exactly(x().mean(), [5.0]);
    exactly(x().max(), [5.0]);
    exactly(x().min(), [5.0]);
    exactly(x().max_abs(), [5.0]);
    exactly(x().any(), [true]);
    exactly(x().all(), [true]);
    exactly(x().reshape([1]), [5.0]);
    exactly(x().unsqueeze::<2>(), [[5.0]]);
    exactly(x().unsqueeze_dim::<1>(-1), [5.0]);
    exactly(x().unsqueeze_dims::<2>(&[0, 1]), [[5.0]]);
    exactly(x().expand([2, 2]), [[5.0; 2]; 2]);
    exactly(Tensor::stack::<1>(vec![x(), scalar(6.0)], 0), [5.0, 6.0]);
    exactly(x().mask_select(x().greater_elem(1)), [5.0]);
    exactly(x().equal(scalar(5.0)), TensorData::new([true], [0; 0]));
    is(Tensor::<B, 2>::from_data([[5.0]], CPU).squeeze::<0>(), 5.0);
    is(Tensor::<B, 1>::from_data([4.0, 5.0], CPU).select_dim::<0>(0, 1), 5.0);
    is(Tensor::<B, 1>::from_data([4.0, 5.0], CPU).sum_dims_squeeze::<0>(&[0]), 9.0);
    assert!(x().to_string().contains("5.0"));
    assert!(x().all_close(scalar(5.0), None, None));
}

#[test]
fn x_017_rank_0_has_no_dimension() {
    let x = || scalar(5.0);
    assert!(x().try_sum_dim(0).is_err() && x().try_cumsum(-1).is_err() && x().try_argmax(0).is_err());
    assert!(x().try_narrow(0, 0, 1).is_err() && x().try_sort(0).is_err() && x().try_roll_dim(1, 0).is_err());
    assert!(
        x().try_split(1, 0).is_err()
            && x().try_chunk(1, 0).is_err()
            && x().try_select_dim::<0>(0, 0).is_err()
    );
    assert!(Tensor::try_cat(vec![x(), x()], 0).is_err());
    assert!(x().try_transpose().is_err() && x().try_matmul(x()).is_err());
}

#[test]
fn x_017_gradients_of_rank_0() {
    type A = crate::slopes::A;
    let x = Tensor::<A, 0>::from_data(TensorData::new([3.0_f64], [0; 0]), CPU).require_grad();
    let y = x.clone() * x.clone() + x.clone().expand([4]).sum().squeeze::<0>();
    let gradient = x.grad(&y.backward()).expect("tracked");
    exactly(gradient, TensorData::new([10.0_f64], [0; 0]));
}

fn empty() -> Tensor<B, 3> {
    Tensor::zeros([2, 0, 3], CPU)
}

#[test]
fn x_017_reductions_of_nothing() {
    exactly(empty().sum_dim(1), [[[0.0; 3]]; 2]);
    exactly(empty().prod_dim(1), [[[1.0; 3]]; 2]);
    exactly(empty().mean_dim(1), [[[NAN; 3]]; 2]);
    exactly(empty().var(1), [[[NAN; 3]]; 2]);
    exactly(empty().logsumexp(1), [[[-f32::INFINITY; 3]]; 2]);
    exactly(empty().sum_dims(&[0, 1]), [[[0.0; 3]]]);
    exactly(empty().sum(), [0.0]);
    exactly(empty().prod(), [1.0]);
    exactly(empty().mean(), [NAN]);
    exactly(empty().bool().all(), [true]);
    exactly(empty().bool().any(), [false]);
    assert_eq!(empty().sum_dim(0).dims(), [1, 0, 3]);
    assert!(empty().try_max().is_err() && empty().try_max_dim(1).is_err() && empty().try_argmin(1).is_err());
    assert!(empty().try_median(1).is_err() && empty().try_quantile(0.5, 1).is_err());
    assert!(Tensor::<B, 1, Int>::zeros([0], CPU).try_mean().is_err());
}

#[test]
fn x_017_dims_of_size_0_through_the_methods() {
    let x = empty;
    let same = |tensor: Tensor<B, 3>| assert_eq!(tensor.dims(), [2, 0, 3]);
    same(x() + x());
    same(x() * 2);
    same(x() + Tensor::ones([1, 1, 3], CPU));
    same(x().exp().sqrt().frac());
    same(x().clamp(0, 1));
    same(x().cumsum(1).cumprod(0).cummax(1));
    same(x().logcumsumexp(1));
    same(x().sort(1));
    same(x().sort_descending_with_indices(0).0);
    same(x().flip([0, 1]));
    same(x().roll(&[1, 1], &[0, 1]));
    same(x().mask_fill(x().greater_elem(0), 1));
    same(x().mask_where(x().equal(x()), x()));
    same(x().slice_fill([0..1], 1));
    same(x().repeat(&[1, 5, 1]));
    same(x().repeat_interleave(2, 1));
    same(activation::softmax(x(), 1));
    same(activation::log_softmax(x(), 2));
    same(Tensor::cat(vec![x(), x()], 1));
    same(x().gather(1, Tensor::zeros([2, 0, 3], CPU)));
    same(x().scatter_add(1, Tensor::zeros([2, 0, 3], CPU), x()));
    same(x().select(1, Tensor::zeros([0], CPU)));
    same(x().topk(0, 1));
    same(x().cast(DType::F64).int().float());
    same(x().expand([2, 0, 3]));
    same(x().swap_dims(0, 1).movedim(0, 1));
    assert_eq!(x().reshape([0, 7]).dims(), [0, 7]);
    assert_eq!(x().flatten::<1>(0, -1).dims(), [0]);
    assert_eq!(x().argmax(2).dims(), [2, 0, 1]);
    assert_eq!(x().unfold::<4>(2, 2, 1).dims(), [2, 0, 2, 2]);
    assert_eq!(x().iter_dim(1).count(), 0);
    assert_eq!(x().pad([(1, 1), (0, 0)], 4).dims(), [2, 2, 3]);
    assert_eq!(x().mask_select(x().greater_elem(0)).dims(), [0]);
    assert_eq!(x().greater_elem(0).argwhere().dims(), [0, 3]);
    assert_eq!(x().matmul(Tensor::zeros([2, 3, 4], CPU)).dims(), [2, 0, 4]);
    exactly(Tensor::<B, 2>::zeros([2, 0], CPU).matmul(Tensor::zeros([0, 3], CPU)), [[0.0; 3]; 2]);
    assert_eq!(Tensor::<B, 2>::eye(0, CPU).dims(), [0, 0]);
    assert_eq!(Tensor::<B, 1, Int>::arange(3..3, CPU).dims(), [0]);
    assert_eq!(Tensor::<B, 1, Bool>::empty([0], CPU).bool_not().dims(), [0]);
    assert_eq!(Tensor::<B, 2>::stack::<3>(vec![Tensor::zeros([0, 2], CPU)], 1).dims(), [0, 1, 2]);
}

//! Messages of invalid calls: the operation, the shapes, the dim, at the line of the program.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, bool, float, int};
use burn::backend::{Autodiff, NdArray};
use burn::tensor::activation::{log_softmax, prelu, softmax};
use burn::tensor::module::{ConvTransposeOptions, conv_transpose2d, conv1d, embedding};
use burn::tensor::ops::ConvOptions;
use burn::tensor::signal::{StftOptions, fftfreq, istft, rfftfreq};
use burn::tensor::{DType, Int, PadMode, Tensor, TensorData, s};

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::zeros(shape, CPU)
}

/// Each part is in the message, in this order.
#[track_caller]
fn says(message: &str, parts: &[&str]) {
    let mut rest = message;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("`{message}` lacks `{part}` after what precedes it") };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn shapes_that_do_not_broadcast() {
    says(&panics(|| zeros([2, 3]) + zeros([2, 4])), &["add", "[2, 3]", "[2, 4]", "dimension 1", "3", "4"]);
    says(&panics(|| zeros([5, 1]).mul(zeros([3, 4]))), &["mul", "[5, 1]", "[3, 4]", "dimension 0", "5", "3"]);
    says(&panics(|| zeros([2]).max_pair(zeros([3]))), &["max", "[2]", "[3]", "dimension 0"]);
    says(&panics(|| zeros([2, 2]).greater(zeros([2, 3]))), &["greater", "[2, 2]", "[2, 3]", "dimension 1"]);
    says(&panics(|| bool::<1>([true; 2]).bool_and(bool([true; 3]))), &["and", "[2]", "[3]", "dimension 0"]);
}

#[test]
fn matrices_that_do_not_fit() {
    says(
        &panics(|| zeros([2, 3]).matmul(zeros([4, 5]))),
        &["matmul", "[2, 3]", "3 columns", "[4, 5]", "4 rows"],
    );
    says(&panics(|| zeros([2]).matmul(zeros([2]))), &["matmul", "rank 2", "[2]"]);
    says(
        &panics(|| zeros([2, 3, 4]).matmul(zeros([5, 4, 3]))),
        &["matmul", "[2, 3, 4]", "[5, 4, 3]", "dimension 0"],
    );
}

#[test]
fn tensors_that_do_not_join() {
    says(
        &panics(|| Tensor::cat(vec![zeros([2, 3]), zeros([3, 4])], 0)),
        &["cat", "[2, 3]", "dimension 1", "3", "4"],
    );
    says(&panics(|| Tensor::<B, 1>::cat(vec![], 0)), &["cat", "at least one"]);
    says(&panics(|| Tensor::cat(vec![zeros([2])], 1)), &["cat", "dimension 1", "[2]"]);
    says(
        &panics(|| Tensor::stack::<3>(vec![zeros([2, 3]), zeros([2, 4])], 0)),
        &["stack", "[2, 3]", "[2, 4]"],
    );
    says(&panics(|| Tensor::stack::<2>(vec![zeros([2, 3])], 0)), &["stack", "rank 3", "2"]);
}

#[test]
fn shapes_of_another_size() {
    says(&panics(|| zeros([2, 3]).reshape([4, 2])), &["reshape", "[2, 3]", "6", "[4, 2]", "8"]);
    says(&panics(|| zeros([2, 3]).reshape([4, -1])), &["reshape", "6", "[2, 3]", "[4, -1]"]);
    says(&panics(|| zeros([2, 3]).reshape([-1, -1])), &["reshape", "[-1, -1]"]);
    says(&panics(|| zeros([2, 3]).expand([2, 4])), &["expand", "[2, 3]", "[2, 4]", "dimension 1"]);
    says(&panics(|| zeros([2, 3]).squeeze_dim::<1>(1)), &["squeeze_dim", "dimension 1", "[2, 3]", "3"]);
    says(&panics(|| zeros([2, 3, 4]).flatten::<2>(0, 2)), &["flatten", "0..=2", "[2, 3, 4]", "rank 2"]);
    says(&panics(|| zeros([1, 2]).unsqueeze_dim::<4>(0)), &["unsqueeze_dim", "rank 3", "4"]);
    says(&panics(|| zeros([1, 2]).unsqueeze::<1>()), &["unsqueeze", "2", "1"]);
    says(&panics(|| TensorData::new(vec![1.0_f32; 5], [2, 3])), &["TensorData", "5 values", "[2, 3]", "6"]);
}

#[test]
fn ranges_beyond_a_dim() {
    says(&panics(|| zeros([2, 3]).slice([0..1, 0..4])), &["slice", "0..4", "dimension 1", "3"]);
    says(&panics(|| zeros([2, 3]).slice(s![5])), &["slice", "dimension 0", "2"]);
    says(&panics(|| zeros([2, 3]).slice(s![.., -4..])), &["slice", "-4", "dimension 1", "3"]);
    says(&panics(|| zeros([2]).slice([0..1, 0..1])), &["slice", "2 ranges", "[2]", "rank 1"]);
    says(&panics(|| zeros([2]).slice(s![..;0])), &["slice", "step", "dimension 0"]);
    says(&panics(|| zeros([2, 3]).narrow(1, 2, 2)), &["narrow", "2..4", "dimension 1", "[2, 3]"]);
    says(
        &panics(|| zeros([2, 3]).slice_assign([0..1, 0..2], zeros([1, 3]))),
        &["slice_assign", "[1, 3]", "[1, 2]", "dimension 1"],
    );
}

#[test]
fn dims_that_do_not_exist() {
    says(&panics(|| zeros([2, 3]).sum_dim(2)), &["sum_dim", "dimension 2", "[2, 3]", "rank 2"]);
    says(&panics(|| zeros([2, 3]).mean_dim(-3)), &["mean_dim", "dimension -3", "[2, 3]"]);
    says(&panics(|| zeros([2, 3]).argmax(5)), &["argmax", "dimension 5", "[2, 3]"]);
    says(&panics(|| zeros([2, 3]).sort(2)), &["sort", "dimension 2", "[2, 3]"]);
    says(&panics(|| zeros([2, 3]).swap_dims(0, 2)), &["swap_dims", "dimension 2", "[2, 3]"]);
    says(&panics(|| zeros([2, 3]).flip([2])), &["flip", "dimension 2", "[2, 3]"]);
    says(&panics(|| zeros([2, 3]).permute([0, 0])), &["permute", "permutation"]);
    says(&panics(|| zeros([2, 3]).permute([0, 2])), &["permute", "dimension 2", "[2, 3]"]);
    says(&panics(|| zeros([1, 3]).squeeze_dims::<1>(&[2])), &["squeeze_dims", "dimension 2", "[1, 3]"]);
    says(&panics(|| zeros([1, 3]).unsqueeze_dims::<3>(&[3])), &["unsqueeze_dims", "dimension 3"]);
    says(&panics(|| zeros([3]).expand([-1, 3])), &["expand", "[-1, 3]"]);
    says(&panics(|| zeros([2, 3]).repeat(&[2])), &["repeat", "1 counts", "2", "[2, 3]"]);
    says(&panics(|| softmax(zeros([2, 3]), 2)), &["softmax", "dimension 2", "[2, 3]"]);
    says(&panics(|| log_softmax(zeros([2, 3]), -3)), &["log_softmax", "dimension -3", "[2, 3]"]);
    says(&panics(|| zeros([3]).transpose()), &["transpose", "rank 2", "[3]"]);
}

#[test]
fn indices_that_do_not_fit() {
    says(
        &panics(|| zeros([2, 3]).gather(1, int([[0], [1], [2]]))),
        &["gather", "[3, 1]", "[2, 3]", "dimension 0", "3", "2"],
    );
    says(
        &panics(|| zeros([2, 3]).scatter(1, int([[0], [1]]), zeros([2, 2]))),
        &["scatter", "[2, 1]", "[2, 2]", "dimension 1"],
    );
    says(
        &panics(|| zeros([2, 3]).select_assign(0, int([0, 1]), zeros([1, 3]))),
        &["select_assign", "[2, 3]", "[1, 3]", "dimension 0"],
    );
    says(&panics(|| zeros([2, 3]).topk(4, 1)), &["top", "4", "dimension 1", "[2, 3]"]);
}

#[test]
fn masks_and_pads_that_do_not_fit() {
    says(
        &panics(|| zeros([2, 3]).mask_fill(bool([[true, false]]), 0)),
        &["mask_fill", "[1, 2]", "[2, 3]", "dimension 1"],
    );
    says(
        &panics(|| zeros([2, 3]).mask_where(bool([[true; 3]; 2]), zeros([2, 4]))),
        &["mask_where", "[2, 4]", "[2, 3]", "dimension 1"],
    );
    says(&panics(|| zeros([2]).pad([(1, 1), (1, 1)], 0)), &["pad", "2 pairs", "[2]", "rank 1"]);
    says(&panics(|| zeros([2]).pad([(2, 0)], PadMode::Reflect)), &["pad", "dimension 0", "[2]"]);
    says(&panics(|| prelu(zeros([2, 3]), float([0.1, 0.2]))), &["prelu", "2", "[2, 3]"]);
}

#[test]
fn nothing_has_no_largest_element() {
    says(&panics(|| zeros([0]).max()), &["max", "dimension 0", "[0]"]);
    says(&panics(|| zeros([2, 0]).argmin(1)), &["argmin", "dimension 1", "[2, 0]"]);
    says(&panics(|| zeros([2, 0]).min_dim_with_indices(1)), &["min", "dimension 1", "[2, 0]"]);
}

#[test]
fn element_types_that_do_not_mix() {
    let wide = || Tensor::<B, 2>::zeros([2, 2], (CPU, DType::F64));
    says(&panics(|| zeros([2, 2]).matmul(wide())), &["matmul", "f32", "f64", "cast"]);
    says(&panics(|| zeros([2]).cast(DType::I32)), &["cast", "Float", "i32", "int()"]);
}

#[test]
fn a_tensor_of_the_wrong_rank_or_size() {
    says(&panics(|| Tensor::<B, 3>::from_data([[1.0]], CPU)), &["from_data", "[1, 1]", "rank 2", "rank 3"]);
    says(&panics(|| Tensor::<B, 2>::zeros([4], CPU)), &["[4]", "rank 1", "rank 2"]);
    says(&panics(|| zeros([2, 3]).into_scalar()), &["into_scalar", "6", "[2, 3]"]);
    says(&panics(|| Tensor::<B, 1>::one_hot(4, 3, CPU)), &["one_hot", "4", "3"]);
}

#[test]
fn a_loss_that_depends_on_nothing() {
    let x = Tensor::<Autodiff<NdArray>, 1>::from_data([1.0], CPU);
    says(&panics(|| x.sum().backward()), &["backward", "require_grad"]);
}

/// Values that the element type or the classes do not have are errors, and no other values.
#[test]
fn values_that_would_be_others_are_refused() {
    type Whole = Tensor<B, 1, Int>;
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e19] {
        says(&panics(|| Whole::from_data([1.0, value], CPU)), &["from_data", "element 1", "i64"]);
    }
    says(&panics(|| Whole::from_data([300], (CPU, DType::I8))), &["from_data", "element 0 is 300", "i8"]);
    says(&panics(|| Whole::from_data([-1], (CPU, DType::U8))), &["from_data", "element 0 is -1", "u8"]);
    says(&panics(|| Whole::from_data([u64::MAX], CPU)), &["from_data", "18446744073709551615", "i64"]);
    let kept = Whole::from_data([2.9, -0.9, -128.5, 127.5], (CPU, DType::I8));
    exactly(kept, [2, 0, -128, 127]);
    exactly(Whole::from_data([i64::MIN, i64::MAX], CPU).equal_elem(i64::MAX), [false, true]);

    says(&panics(|| int::<1>([0, 1, 7, -1]).one_hot::<2>(3)), &["one_hot", "class 7", "[4]", "3 classes"]);
    says(&panics(|| int::<1>([0, -1]).one_hot::<2>(3)), &["one_hot", "class -1", "[2]"]);
    says(&panics(|| int::<1>([0]).one_hot::<2>(0)), &["one_hot", "at least 1 class", "[1]"]);
    says(&panics(|| Tensor::<B, 1>::one_hot(0, usize::MAX, CPU)), &["one_hot", "18446744073709551615"]);
    exactly(Tensor::<B, 1, Int>::zeros([0], CPU).one_hot::<2>(3).sum_dim(0), [[0, 0, 0]]);

    says(&panics(|| zeros([1, 4]).expand([-3, 4])), &["expand", "-1", "[-3, 4]"]);
    says(&panics(|| fftfreq::<B>(4, 0.0, CPU)), &["fftfreq", "spacing", "0"]);
    says(&panics(|| rfftfreq::<B>(4, f64::NAN, CPU)), &["rfftfreq", "spacing", "NaN"]);
    says(&panics(|| Whole::full([2], f64::NAN, CPU)), &["full", "NaN", "i64"]);
    says(&panics(|| Whole::full([2], 0.5, CPU)), &["full", "0.5", "i64"]);
    says(&panics(|| int::<1>([1]).full_like(0.5)), &["full_like", "0.5", "i64"]);
    says(&panics(|| Whole::arange(0..300, (CPU, DType::I8))), &["arange", "i8", "0", "299"]);
    exactly(Whole::arange_step(-128..128, 255, (CPU, DType::I8)), [-128, 127]);
}

/// As `torch.split` and `torch.sign`.
#[test]
fn parts_of_nothing_and_the_sign_of_zero_are_those_of_pytorch() {
    let parts = zeros([0, 3]).split(0, 0);
    assert_eq!(parts.iter().map(Tensor::dims).collect::<Vec<_>>(), [[0, 3]]);
    says(&panics(|| zeros([2, 3]).split(0, 0)), &["split", "size 0", "[2, 3]"]);
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        let signs = Tensor::<B, 1>::from_data([-0.0, 0.0, -2.0, 3.0, f64::NAN], (CPU, dtype)).sign();
        let signs = signs.into_data().to_f64();
        assert_eq!(
            signs[..4].iter().map(|sign| 1.0 / sign).collect::<Vec<_>>(),
            [f64::INFINITY, f64::INFINITY, -1.0, 1.0]
        );
        assert!(signs[4].is_nan(), "decision 13");
    }
}

/// An error names the operation that was called, not one that it is made of.
#[test]
fn composed_operations_name_themselves() {
    says(&panics(|| zeros([2, 3]).lerp(zeros([2, 4]), 0.5)), &["lerp: ", "[2, 3]", "[2, 4]"]);
    says(&panics(|| Tensor::stack::<2>(Vec::<Tensor<B, 1>>::new(), 0)), &["stack: "]);
    says(&panics(|| embedding(zeros([4, 2]), int([[0, 9]]))), &["embedding: ", "9", "[4, 2]"]);
    let options = || ConvOptions::new(1);
    says(
        &panics(|| conv1d(zeros([1, 3, 8]), zeros([4, 2, 3]), None, options())),
        &["conv1d: ", "[1, 3, 8]", "[4, 2, 3]"],
    );
    let groups = || ConvTransposeOptions { groups: 0, ..ConvTransposeOptions::new(2) };
    says(
        &panics(|| conv_transpose2d(zeros([1, 3, 8, 8]), zeros([3, 2, 3, 3]), None, groups())),
        &["conv_transpose2d: ", "[1, 3, 8, 8]", "0 groups"],
    );
    let frames = StftOptions::new(4);
    says(
        &panics(|| istft(zeros([1, 3, 2]), zeros([1, 3, 2]), Some(zeros([9])), &frames, None)),
        &["istft: ", "9"],
    );
}

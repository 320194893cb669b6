//! Messages of misuse, word for word: as a value, as a panic, and with the line of the program.
//!
//! The messages are in `golden.txt`, one line for each misuse below, in order.

use crate::expect::panics;
use crate::given::{B, CPU, bool, float, int};
use burn::backend::{Autodiff, NdArray};
use burn::tensor::activation::{
    log_softmax, prelu, quiet_softmax, softmax, try_log_softmax, try_prelu, try_quiet_softmax, try_softmax,
};
use burn::tensor::module::{conv2d, linear, max_pool2d};
use burn::tensor::module::{try_conv2d, try_embedding, try_linear, try_max_pool2d};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Bool, DType, Int, PadMode, Shape, Tensor, TensorError, s};
use std::cell::Cell;
use std::fmt::Debug;

const GOLDEN: &str = include_str!("golden.txt");

struct Misuse {
    call: &'static str,
    line: u32,
    value: TensorError,
    panic: String,
}

fn misuse<T: Debug>(call: &'static str, line: u32, value: Result<T, TensorError>, panic: String) -> Misuse {
    let Err(value) = value else { panic!("{call} is no misuse: {value:?}") };
    Misuse { call, line, value, panic }
}

/// One call in both forms.
macro_rules! misuses {
    ($([$($call:tt)*])*) => { vec![$(misuses!(@one $($call)*)),*] };
    (@one $receiver:expr => $fallible:ident $plain:ident $(::<$rank:literal $(, $rest:tt)?>)? ($($argument:expr),*)) => {
        misuses!(@both $plain, $receiver.$fallible $(::<$rank $(, $rest)?>)? ($($argument),*), $receiver.$plain $(::<$rank $(, $rest)?>)? ($($argument),*))
    };
    (@one of $ty:ty => $fallible:ident $plain:ident $(::<$rank:literal $(, $rest:tt)?>)? ($($argument:expr),*)) => {
        misuses!(@both $plain, <$ty>::$fallible $(::<$rank $(, $rest)?>)? ($($argument),*), <$ty>::$plain $(::<$rank $(, $rest)?>)? ($($argument),*))
    };
    (@one fn $fallible:ident $plain:ident ($($argument:expr),*)) => {
        misuses!(@both $plain, $fallible($($argument),*), $plain($($argument),*))
    };
    (@both $plain:ident, $value:expr, $panic:expr) => {
        misuse(stringify!($plain), line!(), $value, panics(|| $panic))
    };
}

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::zeros(shape, CPU)
}

fn whole<const D: usize>(shape: [usize; D]) -> Tensor<B, D, Int> {
    Tensor::zeros(shape, CPU)
}

fn truth<const D: usize>(shape: [usize; D]) -> Tensor<B, D, Bool> {
    zeros(shape).equal_elem(0)
}

fn elementwise() -> Vec<Misuse> {
    misuses! {
        [zeros([2, 3]) => try_add add(zeros([2, 4]))]
        [zeros([5, 1]) => try_mul mul(zeros([3, 4]))]
        [zeros([2]) => try_sub sub(zeros([3]))]
        [zeros([4, 1, 2]) => try_div div(zeros([3, 2, 2]))]
        [zeros([2, 2]) => try_remainder remainder(zeros([2, 3]))]
        [zeros([2]) => try_max_pair max_pair(zeros([3]))]
        [zeros([2]) => try_powf powf(zeros([3]))]
        [zeros([2, 2]) => try_greater greater(zeros([2, 3]))]
        [zeros([2, 2]) => try_equal equal(zeros([3, 2]))]
        [bool::<1>([true; 2]) => try_bool_and bool_and(bool([true; 3]))]
        [whole([2]) => try_add_scalar add_scalar(0.5)]
        [whole([2]) => try_mul_scalar mul_scalar(f64::NAN)]
        [whole([2]) => try_clamp clamp(0, 1.5)]
        [whole([2]) => try_cast cast(DType::F32)]
        [zeros([2]) => try_cast cast(DType::I64)]
        [zeros([2, 2]) => try_mask_fill mask_fill(truth([3, 2]), 1.0)]
        [whole([2]) => try_mask_fill mask_fill(truth([2]), 0.25)]
        [zeros([2, 2]) => try_mask_where mask_where(truth([2, 2]), zeros([2, 3]))]
    }
}

fn layout() -> Vec<Misuse> {
    misuses! {
        [zeros([2, 3]) => try_reshape reshape([4, 2])]
        [zeros([2, 3]) => try_reshape reshape([4, -1])]
        [zeros([2, 3]) => try_reshape reshape([-1, -1])]
        [zeros([2, 3]) => try_reshape reshape::<3, _>(Shape::from([2, 3]))]
        [zeros([2, 3, 4]) => try_flatten flatten::<1>(0, 1)]
        [zeros([2, 3]) => try_squeeze squeeze::<1>()]
        [zeros([2, 3]) => try_squeeze_dim squeeze_dim::<1>(1)]
        [zeros([1, 3]) => try_squeeze_dims squeeze_dims::<0>(&[0])]
        [zeros([2, 3]) => try_unsqueeze unsqueeze::<1>()]
        [zeros([2, 3]) => try_unsqueeze_dim unsqueeze_dim::<3>(3)]
        [zeros([2, 3]) => try_unsqueeze_dims unsqueeze_dims::<4>(&[3, 3])]
        [zeros([2, 3]) => try_expand expand([2, 4])]
        [zeros([2, 3]) => try_expand expand([-1, 2, 3])]
        [zeros([2, 3]) => try_permute permute([0, 0])]
        [zeros([2, 3]) => try_swap_dims swap_dims(0, 2)]
        [zeros([2, 3]) => try_flip flip([-3])]
        [zeros([2]) => try_transpose transpose()]
        [zeros([2, 3]) => try_repeat repeat(&[2])]
        [zeros([2, 3]) => try_slice slice([0..3])]
        [zeros([2, 3]) => try_slice slice(s![.., -4])]
        [zeros([2, 3]) => try_slice slice(s![0..1, ..;0])]
        [zeros([2, 3]) => try_slice slice([0..1, 0..1, 0..1])]
        [zeros([2, 3]) => try_slice_assign slice_assign([0..1], zeros([2, 3]))]
        [zeros([2, 3]) => try_narrow narrow(1, 2, 2)]
        [zeros([2, 3]) => try_pad pad((3, 0, 0, 0), PadMode::Reflect)]
        [zeros([2, 3]) => try_chunk chunk(0, 0)]
        [of Tensor<B, 2> => try_cat cat(vec![zeros([2, 3]), zeros([3, 4])], 0)]
        [of Tensor<B, 1> => try_cat cat(vec![], 0)]
        [of Tensor<B, 2> => try_stack stack::<3>(vec![zeros([2, 3]), zeros([2, 4])], 0)]
    }
}

fn reduced_and_ordered() -> Vec<Misuse> {
    misuses! {
        [zeros([2, 3]) => try_sum_dim sum_dim(2)]
        [zeros([2, 3]) => try_mean_dim mean_dim(-3)]
        [zeros([0, 3]) => try_max max()]
        [zeros([0, 3]) => try_min_dim min_dim(0)]
        [whole([0]) => try_mean mean()]
        [zeros([0]) => try_argmax argmax(0)]
        [zeros([2, 3]) => try_sort sort(5)]
        [zeros([2, 3]) => try_topk topk(4, 1)]
        [float::<1>([1.0, 2.0]) => try_into_scalar into_scalar()]
    }
}

fn indexed() -> Vec<Misuse> {
    misuses! {
        [zeros([2, 3]) => try_gather gather(0, whole([2, 4]))]
        [zeros([2, 3]) => try_select select(2, int([0]))]
        [zeros([2, 3]) => try_scatter scatter(0, whole([1, 3]), zeros([2, 3]))]
        [zeros([2, 3]) => try_select_assign select_assign(1, int([0, 1]), zeros([2, 3]))]
    }
}

fn networks() -> Vec<Misuse> {
    misuses! {
        [zeros([2, 3]) => try_matmul matmul(zeros([4, 5]))]
        [zeros([2]) => try_matmul matmul(zeros([2]))]
        [zeros([2, 3, 4]) => try_matmul matmul(zeros([5, 4, 3]))]
        [fn try_linear linear(zeros([2, 3]), zeros([4, 5]), None)]
        [fn try_conv2d conv2d(zeros([1, 3, 8, 8]), zeros([4, 2, 3, 3]), None, ConvOptions::new(2))]
        [fn try_conv2d conv2d(zeros([1, 3, 2, 2]), zeros([4, 3, 3, 3]), None, ConvOptions::new(2))]
        [fn try_max_pool2d max_pool2d(zeros([1, 1, 2, 2]), [3, 3], [1, 1], [0, 0], [1, 1])]
        [fn try_softmax softmax(zeros([2, 3]), 2)]
        [fn try_log_softmax log_softmax(zeros([2, 3]), -3)]
        [fn try_quiet_softmax quiet_softmax(zeros([2]), 1)]
        [fn try_prelu prelu(zeros([2, 3]), zeros([2]))]
    }
}

fn created() -> Vec<Misuse> {
    misuses! {
        [of Tensor<B, 2> => try_zeros zeros([2], CPU)]
        [of Tensor<B, 2> => try_ones ones([usize::MAX, 2], CPU)]
        [of Tensor<B, 1> => try_from_data from_data([[1.0, 2.0]], CPU)]
        [of Tensor<B, 1> => try_one_hot one_hot(3, 2, CPU)]
        [of Tensor<B, 1, Int> => try_arange_step arange_step(0..4, 0, CPU)]
        [of Tensor<B, 2, Bool> => try_tril_mask tril_mask([3], 0, CPU)]
    }
}

/// Indices are values: the form that gives an error looks at them, a backend may not have them yet.
#[test]
fn an_index_out_of_range_is_named() {
    let pair = || float::<1>([1.0, 2.0]);
    let errors = [
        pair().try_gather(0, int([0, 5])).unwrap_err(),
        pair().try_select(0, int([-1])).unwrap_err(),
        pair().try_scatter(0, int([2]), float([1.0])).unwrap_err(),
        pair().try_select_assign(0, int([7]), float([1.0])).unwrap_err(),
        try_embedding(zeros([4, 2]), int([[0, 9]])).unwrap_err(),
    ];
    let expected = [
        "gather: index 5 is out of range for dimension 0 of [2], which has size 2",
        "select: index -1 is out of range for dimension 0 of [2], which has size 2",
        "scatter: index 2 is out of range for dimension 0 of [2], which has size 2",
        "select_assign: index 7 is out of range for dimension 0 of [2], which has size 2",
        "embedding: index 9 is out of range for dimension 0 of [4, 2], which has size 4",
    ];
    for (error, expected) in errors.iter().zip(expected) {
        assert_eq!(error.to_string(), format!("{expected} ({})", error.location()));
        assert!(error.location().file().ends_with("errors/golden.rs"));
    }
    // Where the backend computes at once it says the same.
    let panic = std::panic::catch_unwind(|| pair().gather(0, int([5]))).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message");
    assert_eq!(message, "gather: index 5 is out of range for dimension 0 of [2], which has size 2");
}

/// Line of the panic of `f`, if it is one of this file.
fn panics_at(f: impl FnOnce() + std::panic::UnwindSafe) -> Option<u32> {
    thread_local! {
        static LINE: Cell<Option<u32>> = const { Cell::new(None) };
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let here = panic.location().filter(|location| location.file().ends_with("errors/golden.rs"));
        LINE.set(here.map(std::panic::Location::line));
        before(panic);
    }));
    std::panic::catch_unwind(f).expect_err("it panics");
    LINE.take()
}

/// The kernel finds it, under decorators too; the line is that of the program.
#[test]
fn the_line_of_an_index_out_of_range_is_that_of_the_call() {
    let line = panics_at(|| drop(zeros([3, 2]).select(0, int([3]))));
    assert_eq!(line, Some(line!() - 1));
    let tracked = || Tensor::<Autodiff<NdArray>, 2>::ones([3, 2], &Default::default()).require_grad();
    let index = || Tensor::<Autodiff<NdArray>, 1, Int>::from_data([-1], &Default::default());
    let line = panics_at(|| drop(tracked().select(0, index())));
    assert_eq!(line, Some(line!() - 1));
    let line = panics_at(|| drop(tracked().gather(0, index().reshape([1, 1]))));
    assert_eq!(line, Some(line!() - 1));
}

#[test]
fn the_line_is_that_of_the_call() {
    let error = zeros([2, 3]).try_add(zeros([2, 4])).unwrap_err();
    assert_eq!(error.location().line(), line!() - 1);
    assert_eq!(error.operation(), "add");
}

/// The messages are compared as a whole: who changes one sees here what users will read.
#[test]
fn misuses_say_what_was_expected_and_what_came() {
    let groups = [elementwise(), layout(), reduced_and_ordered(), indexed(), networks(), created()];
    let found: Vec<Misuse> = groups.into_iter().flatten().collect();
    let text: String = found.iter().map(|misuse| format!("{}\n", misuse.panic)).collect();
    assert!(found.len() >= 60, "{} misuses", found.len());
    assert_eq!(text.lines().collect::<Vec<_>>(), GOLDEN.lines().collect::<Vec<_>>(), "\n{text}");
    for Misuse { call, line, value, panic } in &found {
        assert!(value.location().file().ends_with("errors/golden.rs"), "{call}: {:?}", value.location());
        assert_eq!(value.location().line(), *line, "{call}");
        assert_eq!(value.to_string(), format!("{panic} ({})", value.location()), "{call}");
    }
}

//! Memory that the machine does not have is an error of the operation that needed it, and the program goes
//! on.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::linalg::try_outer;
use burn::tensor::ops::OpErrorKind;
use burn::tensor::signal::{try_fftfreq, try_hann_window, try_rfft, try_rfftfreq};
use burn::tensor::{
    Bool, Distribution, Int, MeshIndexing, Tensor, TensorError, activation, meshgrid, try_meshgrid,
};
use std::fmt::Debug;
use std::process::Command;

/// Elements, of which Linux may promise the memory, but no machine that runs tests has it.
const HUGE: usize = 1 << 40;

fn ones<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    Tensor::ones(shape, CPU)
}

/// The error of `call`, which names it, and says how much was asked for, at a line of this file.
#[track_caller]
fn refused<T: Debug>(call: &str, result: Result<T, TensorError>) -> TensorError {
    let error = result.map(drop).expect_err(call);
    let text = error.to_string();
    assert!(text.starts_with(&format!("{call}: ")), "{call} says `{text}`");
    assert!(text.contains("memory"), "{call} says `{text}`");
    assert_eq!(error.location().file(), file!(), "{text}");
    error
}

#[test]
fn creation_of_more_than_there_is_names_the_call_and_the_amount() {
    refused("zeros", Tensor::<B, 1>::try_zeros([HUGE], CPU));
    refused("ones", Tensor::<B, 2>::try_ones([1 << 20, 1 << 20], CPU));
    refused("full", Tensor::<B, 1, Bool>::try_full([HUGE], true, CPU));
    refused("empty", Tensor::<B, 1>::try_empty([HUGE], CPU));
    refused("random", Tensor::<B, 1>::try_random([HUGE], Distribution::Default, CPU));
    refused("arange", Tensor::<B, 1, Int>::try_arange(0..HUGE as i64, CPU));
    refused("randperm", Tensor::<B, 1, Int>::try_randperm(HUGE, CPU));
    refused("eye", Tensor::<B, 2>::try_eye(1 << 20, CPU));
    refused("one_hot", Tensor::<B, 1>::try_one_hot(3, HUGE, CPU));
    refused("one_hot", Tensor::<B, 1>::try_one_hot(0, usize::MAX, CPU));
    refused("linspace", Tensor::<B, 1>::try_linspace(0.0, 1.0, HUGE, CPU));
    refused("logspace", Tensor::<B, 1>::try_logspace(0.0, 1.0, HUGE, 2.0, CPU));
    refused("cartesian_grid", Tensor::<B, 3, Int>::try_cartesian_grid([1 << 20, 1 << 20], CPU));
    refused("hann_window", try_hann_window::<B>(HUGE, true, CPU));
    refused("fftfreq", try_fftfreq::<B>(HUGE, 1.0, CPU));
    refused("rfftfreq", try_rfftfreq::<B>(HUGE, 1.0, CPU));
    refused("tril_mask", Tensor::<B, 2, Bool>::try_tril_mask([1 << 33, 1 << 33], 0, CPU));
    refused("diag_mask", Tensor::<B, 2, Bool>::try_diag_mask([usize::MAX, 2], 0, CPU));

    let error = refused("zeros", Tensor::<B, 1>::try_zeros([HUGE], CPU));
    assert!(error.to_string().starts_with("zeros: [1099511627776] f32 takes 4.00 TiB of memory"), "{error}");
    let kind = error.call().map(|error| &*error.kind);
    let Some(OpErrorKind::Memory { bytes, .. }) = kind else { panic!("{error}") };
    assert_eq!(*bytes, Some(4 * HUGE));
    exactly(Tensor::<B, 1>::zeros([2], CPU), [0.0, 0.0]);
}

#[test]
fn results_larger_than_memory_name_the_call() {
    let column = || ones([1, 1]).expand([1 << 20, 1]);
    let row = || ones([1, 1]).expand([1, 1 << 20]);
    refused("matmul", column().try_matmul(row()));
    refused("add", column().try_add(row()));
    refused("greater", column().try_greater(row()));
    refused("outer", try_outer::<B, 1, 2, _>(ones([1]).expand([1 << 20]), ones([1]).expand([1 << 20])));
    refused("repeat", ones([3]).try_repeat(&[HUGE]));
    refused("repeat_dim", ones([3]).try_repeat_dim(0, HUGE));
    refused("pad", ones([3]).try_pad([(HUGE, 0)], 0));
    refused("multinomial", ones([3]).try_multinomial(HUGE, true));
    refused("one_hot", Tensor::<B, 1, Int>::zeros([1], CPU).try_one_hot::<2>(HUGE));
    refused("rfft", try_rfft(ones([1, 3]), 1, Some(HUGE)));
    refused("to_data", ones([1]).expand([HUGE]).try_to_data());
    refused("cumsum", ones([1]).expand([HUGE]).try_cumsum(0));
    // A grid is views, and needs memory only when it is computed with.
    let line = || ones([1]).expand([1 << 20]);
    let [x, y] = try_meshgrid(&[line(), line()], MeshIndexing::Matrix).expect("views");
    refused("mul", x.try_mul(y));
    let lines = [ones([1]).expand([1_i64 << 32]), ones([1]).expand([1_i64 << 32])];
    refused("meshgrid", try_meshgrid(&lines, MeshIndexing::Matrix));
    exactly(ones([2]) + ones([2]), [2.0, 2.0]);
}

#[test]
fn functions_of_each_element_name_the_call_and_the_amount() {
    let huge = || ones([1]).expand([HUGE]);
    refused("exp", huge().try_exp());
    refused("expm1", huge().try_expm1());
    refused("neg", huge().try_neg());
    refused("recip", huge().try_recip());
    refused("sinc", huge().try_sinc());
    refused("logit", huge().try_logit(Some(0.1)));
    refused("sigmoid", activation::try_sigmoid(huge()));
    refused("gelu", activation::try_gelu(huge()));
    refused("softplus", activation::try_softplus(huge(), 1.0));
    refused("int", huge().try_int());
    refused("is_nan", huge().try_is_nan());
    refused("contains_nan", huge().try_contains_nan());
    refused("greater_elem", huge().try_greater_elem(0));
    refused("zeros_like", huge().try_zeros_like());
    let truth = || Tensor::<B, 1, Bool>::full([1], true, CPU).expand([HUGE]);
    refused("bool_not", truth().try_bool_not());
    refused("float", truth().try_float());
    let error = refused("exp", huge().try_exp());
    assert!(error.to_string().starts_with("exp: [1099511627776] f32 takes 4.00 TiB of memory"), "{error}");
}

#[test]
fn the_panicking_forms_panic_at_the_line_of_the_program() {
    let says = |message: String, call: &str| {
        assert!(message.starts_with(&format!("{call}: ")) && message.contains("memory"), "{message}");
    };
    says(panics(|| Tensor::<B, 1>::zeros([HUGE], CPU)), "zeros");
    says(panics(|| Tensor::<B, 1>::linspace(0.0, 1.0, HUGE, CPU)), "linspace");
    says(panics(|| ones([1, 1]).expand([1 << 20, 1]).matmul(ones([1, 1]).expand([1, 1 << 20]))), "matmul");
    says(panics(|| ones([3]).repeat(&[HUGE])), "repeat");
    says(panics(|| ones([1, 1]).expand([1 << 20, 1]) + ones([1, 1]).expand([1, 1 << 20])), "add");
    says(panics(|| ones([1]).expand([HUGE]) * 2), "mul");
    let huge = || ones([1]).expand([HUGE]);
    says(panics(|| huge().exp()), "exp");
    says(panics(|| -huge()), "neg");
    says(panics(|| activation::relu(huge())), "relu");
    says(panics(|| activation::mish(huge())), "mish");
    says(panics(|| huge().ones_like()), "ones_like");
    says(panics(|| huge().lower_elem(2)), "lower_elem");
    let line = || ones([1]).expand([1_i64 << 32]);
    says(panics(|| meshgrid(&[line(), line()], MeshIndexing::Matrix)), "meshgrid");
}

/// Decorators pass the error on; where calls wait, it comes with the reading.
#[test]
fn decorated_backends_give_the_error_too() {
    let device = Default::default();
    let tracked = Tensor::<Autodiff<NdArray>, 2>::ones([1, 1], &device).require_grad();
    let column = tracked.clone().expand([1 << 20, 1]);
    refused("matmul", column.clone().try_matmul(column.transpose()));
    let gradients = (tracked.clone() * 3).sum().try_backward().expect("the tape works");
    exactly(tracked.grad(&gradients).expect("it is tracked"), [[3.0]]);

    let column = Tensor::<Fusion<NdArray>, 2>::ones([1, 1], &device).expand([1 << 20, 1]);
    let sum = column.clone().matmul(column.transpose()).sum();
    refused("into_data", sum.try_into_data());
    let after = Tensor::<Fusion<NdArray>, 1>::ones([2], &device) * 2 + 1;
    assert_eq!(after.into_data().to_f64(), [3.0, 3.0]);
}

const CHILD: &str = "BURN_TEST_LITTLE_MEMORY";

/// A limit of the address space makes the system refuse what the machine has.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_on_the_way_is_an_error_and_the_next_call_works() {
    if std::env::var_os(CHILD).is_some() {
        return run_out();
    }
    let program = std::env::current_exe().expect("a path");
    let name = "backend::allocation::memory_that_runs_out_on_the_way_is_an_error_and_the_next_call_works";
    let limited = "ulimit -v 1200000; exec \"$0\" --exact \"$1\" --nocapture";
    let output = Command::new("sh").args(["-c", limited]).arg(program).arg(name).env(CHILD, "1").output();
    let output = output.expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{:?}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("ran out at"), "{text}");
}

#[cfg(target_os = "linux")]
fn run_out() {
    // 32 MiB each.
    let x = ones([1 << 23]);
    let mut kept = Vec::new();
    let error = loop {
        match x.clone().try_add_scalar(kept.len() as i64) {
            Ok(sum) => kept.push(sum),
            Err(error) => break error,
        }
    };
    refused("add_scalar", Err::<(), _>(error));
    println!("ran out at {}", kept.len());
    kept.truncate(kept.len() / 2);
    exactly((x.clone() + 1).narrow(0, 0, 2), [2.0, 2.0]);
}

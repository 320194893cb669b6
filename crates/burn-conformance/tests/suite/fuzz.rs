//! A few thousand random calls, and those that once went wrong. `cargo xtask fuzz` goes on for longer.

use crate::files;
use burn_autodiff::Autodiff;
use burn_backend::dynamic::DynamicDevice;
use burn_backend::{DType, TypedCalls};
use burn_conformance::fuzz::{Random, assert_no_failure, check, parse};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::signal::StftOptions;
use burn_tensor::{Int, PadMode, Tensor, activation, grad, module, signal};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn device() -> DynamicDevice {
    DynamicDevice::new::<NdArray>(Default::default())
}

burn_conformance_methods::random_suite!(
    NdArray,
    fusion = Fusion<NdArray>,
    twice = Autodiff<Autodiff<NdArray>>
);

/// The names that begin with `try_` in all sources below a folder, one a word.
fn names(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            names(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            found.extend(words.filter(|word| word.len() > 4 && word.starts_with("try_")).map(str::to_owned));
        }
    }
}

/// Every name counts, so that those which macros make are among them.
#[test]
fn every_method_that_gives_an_error_as_a_value_is_called() {
    // Methods of iterators and of the standard library, and those that take a function.
    let others =
        ["try_fold", "try_for_each", "try_into", "try_reserve", "try_convert_dtype", "try_in_operation"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut written, mut called) = (BTreeSet::new(), BTreeSet::new());
    names(&root.join("../burn-tensor/src"), &mut written);
    names(&root.join("../burn-conformance-methods/src"), &mut called);
    written.retain(|name| !called.contains(name) && !others.contains(&name.as_str()));
    assert!(written.is_empty(), "methods that no random call calls: {written:?}");
}

#[test]
fn what_once_went_wrong_does_not_any_more() {
    let device = device();
    let cases = include_str!("fuzz.jsonl").lines().map(|line| parse(line).expect("the call can be read"));
    let failures: Vec<String> = cases.filter_map(|op| check(&op, &device).err()).collect();
    assert_no_failure(&failures);
}

/// Each of these panicked, in index arithmetic or half way through a composition.
#[test]
fn methods_that_once_panicked_give_an_error() {
    let device = Default::default();
    let floats = |shape: [usize; 2]| Tensor::<NdArray, 2>::zeros(shape, &device);
    let error = floats([2, 3]).try_slice([0..=isize::MAX]).unwrap_err();
    assert_eq!(error.operation(), "slice");
    let error = floats([2, 3]).try_slice_assign([0..=isize::MAX], floats([2, 3])).unwrap_err();
    assert_eq!(error.operation(), "slice_assign");
    let empty = module::group_norm(floats([3, 0]), usize::MAX, None, None, 1e-5);
    assert_eq!(empty.dims(), [3, 0]);
    for mode in [PadMode::Constant(0.into()), PadMode::Edge] {
        let error = floats([0, 3]).try_pad([(usize::MAX, usize::MAX)], mode).unwrap_err();
        assert_eq!(error.operation(), "pad");
    }
    let error = signal::try_rfft(floats([0, 3]), 1, Some(usize::MAX)).unwrap_err();
    assert_eq!(error.operation(), "rfft");
    for (n_fft, hop_length, time) in [(1 << 61, 1, 1 << 60), (4, 1, 1 << 60), (1 << 62, usize::MAX, 3)] {
        let options = StftOptions::new(n_fft).with_hop_length(hop_length).with_center(time == 3);
        let error = signal::try_stft(floats([0, time]), None, &options).unwrap_err();
        assert_eq!(error.operation(), "stft");
    }
    let classes = Tensor::<NdArray, 1, Int>::zeros([0], &device);
    let error = classes.try_one_hot::<2>(usize::MAX).unwrap_err();
    assert_eq!(error.operation(), "one_hot");
}

/// Classes of a narrow dtype are distinguished beyond what it holds.
#[test]
fn one_hot_of_bytes_counts_beyond_them() {
    let narrow = NdArray::<f32>::cast(
        Tensor::<NdArray, 1, Int>::from_ints([1, 255], &Default::default()).into_handle(),
        DType::U8,
    );
    let classes = Tensor::<NdArray, 1, Int>::from_handle(narrow).try_one_hot::<2>(300).expect("it fits");
    let sums = classes.clone().sum_dim(1).into_data().to_f64();
    assert_eq!(sums, [1.0, 1.0]);
    assert_eq!(classes.argmax(1).into_data().to_f64(), [1.0, 255.0]);
}

/// Arguments of several dtypes give one matrix, in the dtype that they have in common.
#[test]
fn hessian_matrix_of_two_dtypes_is_in_the_wider() {
    type Twice = Autodiff<Autodiff<NdArray>>;
    let device = Default::default();
    let x = Tensor::<NdArray, 1>::from_floats([2.0], &device);
    let y = Tensor::<NdArray, 1>::from_floats([3.0], &device).cast(DType::F64);
    let f = |(x, y): (Tensor<Twice, 1>, Tensor<Twice, 1>)| (x.square() * y.square()).sum();
    let hessian = grad::hessian_matrix(f, (x, y));
    assert_eq!(hessian.dtype(), DType::F64);
    // 2 y^2 and 2 x^2 on the diagonal, 4 x y beside it.
    assert_eq!(hessian.into_data().to_f64(), [18.0, 24.0, 24.0, 8.0]);
}

/// The distance between the ends is no `i64`.
#[test]
fn arange_over_all_integers_counts_its_steps() {
    let x = Tensor::<NdArray, 1, Int>::arange_step(i64::MIN..i64::MAX, 1 << 62, &Default::default());
    let expected = [i64::MIN, -(1 << 62), 0, 1 << 62];
    assert_eq!(x.into_data().iter::<i64>().collect::<Vec<_>>(), expected);
}

#[test]
fn one_hot_fill_of_more_classes_than_memory_holds_is_an_error() {
    let x = Tensor::<NdArray, 1>::zeros([0], &Default::default());
    let error = x.try_one_hot_fill::<2>(usize::MAX, 1, 0, 0).unwrap_err();
    assert_eq!(error.operation(), "one_hot_fill");
}

#[test]
fn prelu_of_two_dtypes_is_no_panic() {
    let x = Tensor::<NdArray, 2>::zeros([2, 3], &Default::default());
    let alpha = Tensor::<NdArray, 1>::zeros([3], &Default::default()).cast(DType::BF16);
    match activation::try_prelu(x, alpha) {
        Ok(y) => assert_eq!(y.dims(), [2, 3]),
        Err(error) => assert_eq!(error.operation(), "prelu"),
    }
}

/// `cargo xtask fuzz --files` goes on for longer, and measures memory too.
#[test]
fn damaged_files_are_loaded_or_refused() {
    let mut random = Random::new(15);
    let files = files::Files::new(15, "").expect("there are readers");
    let (mut failures, mut loaded, mut refused) = (Vec::new(), 0, 0);
    for _ in 0..5_000 {
        let (_, outcome) = files.run(&mut random, &|load| {
            load();
            0
        });
        match outcome {
            Ok(files::Outcome::Loaded) => loaded += 1,
            Ok(files::Outcome::Refused) => refused += 1,
            Err(error) => failures.push(error),
        }
    }
    assert_no_failure(&failures);
    // Neither kind is rare.
    assert!(loaded > 100 && refused > 2_500, "{loaded} loaded, {refused} refused");
}

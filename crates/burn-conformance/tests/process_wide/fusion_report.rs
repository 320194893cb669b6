//! Statistics of fusion. The numbers are those of the process, so no other test of this binary fuses here,
//! and these go one after the other.

use burn_fusion::{Fusion, Mode, Report};
use burn_ndarray::NdArray;
use burn_tensor::{Int, Tensor};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

type Fused = Fusion<NdArray>;

static ALONE: Mutex<()> = Mutex::new(());

fn numbers() -> Tensor<Fused, 2> {
    Tensor::from_floats([[-1.0, 0.5, 2.0], [0.0, 1.0, -3.0]], &Default::default())
}

fn gelu(x: Tensor<Fused, 2>) -> Vec<f32> {
    let y = x.clone() * ((x / 2_f64.sqrt()).erf() + 1.0) / 2.0;
    y.into_data().to_vec().expect("floats")
}

#[test]
fn pf_001_a_gelu_written_by_a_user_is_one_pass_on_the_cpu() {
    let _alone = ALONE.lock();
    let x = numbers();
    // Five calls in one pass: 4 unary ones and a product would move 11 tensors, the pass moves 2.
    let before = Report::now();
    let fused = gelu(x.clone());
    let report = Report::now() - before;
    assert_eq!((report.blocks, report.fused, report.alone, report.dropped), (1, 5, 0, 0), "{report}");
    assert_eq!(report.bytes_saved, 9 * 6 * 4);
    assert_eq!(
        report.to_string(),
        "5 calls in 1 kernels: 5 in 1 blocks, 0 alone; 0 not needed; 216 bytes not moved"
    );
    for (x, y) in x.into_data().to_f64().into_iter().zip(fused) {
        let expected = 0.5 * x * (1.0 + libm::erf(x / 2_f64.sqrt()));
        assert!((f64::from(y) - expected).abs() < 1e-6, "gelu({x}) is {expected}, found {y}");
    }
}

#[test]
fn blocks_calls_and_lines() {
    let _alone = ALONE.lock();
    let x = numbers();
    // Calls whose results are dropped do not run.
    let before = Report::now();
    drop(x.clone().exp().sin());
    let _ = (x.clone() + 1.0).into_data();
    let report = Report::now() - before;
    assert_eq!((report.alone, report.dropped), (1, 2), "{report}");

    // An index that only the kernel sees is reported with the line of the call, wherever the value is read.
    let indices = Tensor::<Fused, 1, Int>::from_ints([7], &Default::default());
    let (wrong, line) = (x.clone().select(0, indices), line!());
    let panic = catch_unwind(AssertUnwindSafe(|| wrong.into_data())).expect_err("there is no row 7");
    let message = panic.downcast_ref::<String>().expect("a message");
    let at = format!("called at {}:{line}:", file!());
    assert!(message.contains("select") && message.contains(&at), "{message}");

    let fused = gelu(x.clone());
    Mode::Off.set();
    let before = Report::now();
    let alone = gelu(x);
    let report = Report::now() - before;
    assert_eq!((report.blocks, report.alone), (0, 5), "{report}");
    assert_eq!(fused, alone);
    Mode::On.set();
}

//! Measurements of `Profile`. The ledger is one for each type, and tests run together: each test has a type
//! of its own.

use burn::backend::profile::{Mode, Profile, Report, Row, Synced};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::{DType, Tensor};
use serde_json::Value;
use std::time::Duration;

fn row(report: &Report, name: &str) -> Row {
    report
        .by_name()
        .into_iter()
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("no {name} in\n{report}"))
}

/// Unsynced, and a type of its own for each number.
#[derive(Clone, Copy, Debug, Default)]
struct Own<const N: u8>;

impl<const N: u8> Mode for Own<N> {
    const SYNCED: bool = false;
}

#[test]
fn calls_are_counted_with_their_bytes() {
    type P = Profile<NdArray, Own<0>>;
    let device = Default::default();
    let x = Tensor::<P, 2>::ones([2, 3], &device);
    let y = Tensor::<P, 2>::ones([3, 4], &device);
    for _ in 0..3 {
        let _ = x.clone().matmul(y.clone());
    }
    let _ = x.sum().into_data();
    let report = P::report();
    let matmul = row(&report, "matmul");
    assert_eq!((matmul.count, matmul.bytes), (3, 3 * 4 * (2 * 3 + 3 * 4 + 2 * 4)));
    assert!(matmul.least <= matmul.mean() && matmul.mean() <= matmul.most && matmul.most <= matmul.total);
    assert_eq!(row(&report, "full").count, 2);
    assert_eq!(row(&report, "into_data").bytes, 4);
    assert_eq!(row(&report, "sum").count, 1);
    let shapes: Vec<_> = report.by_shape().iter().filter(|row| row.name == "matmul").collect();
    let operands = shapes[0].operands.as_deref().unwrap();
    assert_eq!((shapes.len(), operands.len(), operands[1].dtype), (1, 2, DType::F32));
    assert!(report.to_string().lines().count() >= 5, "{report}");
    assert!(format!("{report:#}").contains("matmul f32[2, 3], f32[3, 4]"), "{report:#}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["by_name"].as_array().unwrap().len(), report.by_name().len());
    P::reset();
    assert!(P::report().by_shape().is_empty());
}

#[test]
fn all_threads_write_into_one_ledger() {
    type P = Profile<NdArray, Own<1>>;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let x = Tensor::<P, 1>::ones([5], &Default::default());
                (0..50).fold(x, |x, _| x.exp().log());
            });
        }
    });
    assert_eq!((row(&P::report(), "exp").count, row(&P::report(), "log").count), (200, 200));
}

#[test]
fn the_backward_pass_is_measured_below_autodiff() {
    type P = Profile<NdArray, Own<2>>;
    let x = Tensor::<Autodiff<P>, 2>::ones([4, 4], &Default::default()).require_grad();
    let gradients = x.clone().matmul(x.clone()).sum().backward();
    assert_eq!(x.grad(&gradients).unwrap().into_scalar_sum(), 128.0);
    // One forward, two backward.
    assert_eq!(row(&P::report(), "matmul").count, 3);
}

trait ScalarSum {
    fn into_scalar_sum(self) -> f32;
}

impl ScalarSum for Tensor<Profile<NdArray, Own<2>>, 2> {
    fn into_scalar_sum(self) -> f32 {
        self.sum().into_scalar()
    }
}

#[test]
fn a_fused_block_is_one_call_and_synced_calls_are_alone() {
    type Below = Profile<NdArray, Own<3>>;
    let x = Tensor::<Fusion<Below>, 1>::ones([100], &Default::default());
    let _ = (x.exp() * 2 + 1).into_data();
    let block = row(&Below::report(), "block exp+mul+add");
    assert_eq!((block.count, block.bytes), (1, 800));
    type Above = Profile<Fusion<Below2>, Synced>;
    type Below2 = Profile<NdArray, Own<4>>;
    let x = Tensor::<Above, 1>::ones([100], &Default::default());
    let _ = (x.exp() * 2 + 1).into_data();
    assert_eq!(row(&Above::report(), "mul").count, 1);
    // Each was computed before the next was asked for.
    assert_eq!((row(&Below2::report(), "exp").count, row(&Below2::report(), "add").count), (1, 1));
}

#[test]
fn a_timeline_has_calls_in_order_up_to_its_limit() {
    type P = Profile<NdArray, Own<5>>;
    assert!(P::finish_trace().events.is_empty());
    let x = Tensor::<P, 1>::ones([8], &Default::default());
    P::start_trace(3);
    let _ = x.exp().log().sqrt().abs().floor();
    let trace = P::finish_trace();
    let names: Vec<_> = trace.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!((names, trace.left_out), (vec!["exp", "log", "sqrt"], 2));
    let ends: Vec<Duration> = trace.events.iter().map(|event| event.begin + event.duration).collect();
    assert!(trace.events.windows(2).zip(&ends).all(|(pair, end)| *end <= pair[1].begin), "{trace:?}");
    let json: Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let event = &json["traceEvents"][1];
    assert_eq!(
        (&event["name"], &event["ph"], &event["args"]["operands"]),
        (&"log".into(), &"X".into(), &"f32[8]".into())
    );
    assert_eq!(json["otherData"]["left_out"], 2);
}

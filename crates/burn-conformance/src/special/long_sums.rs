//! Sums of more ones than an `f32` counts one by one: 2^24 + 1 is no `f32`.

use super::situation;
use crate::Subject;
use crate::case::read;
use crate::subject::Report;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{CumulativeOp, DType, Dims, ReduceOp, Scalar, Slice, TensorSpec, TypedCalls};

const COUNT: usize = (1 << 24) + 10;

fn ones(subject: &Subject, columns: usize) -> DynamicTensor {
    let one = TensorSpec::new([1, 1], DType::F32);
    let one = Dynamic::full(one, Scalar::Int(1), &subject.device);
    Dynamic::expand(one, [COUNT, columns].into())
}

/// # Errors
/// When an element of `x` differs from `expected`.
fn equals(x: DynamicTensor, expected: f64) -> Result<(), String> {
    let found = read(x).to_f64();
    let same = found.iter().all(|&x| x == expected);
    if same { Ok(()) } else { Err(format!("found {found:?}, expected {expected}")) }
}

pub fn reduce(subject: &Subject, report: &mut Report<'_>) {
    for (op, expected) in [(ReduceOp::Sum, COUNT as f64), (ReduceOp::Mean, 1.0)] {
        for (name, columns) in [("a long column", 1), ("long columns", 3)] {
            let at = situation(report.family(), op.name(), DType::F32, name);
            report.check(&at, || {
                equals(Dynamic::reduce(op, ones(subject, columns), Dims::from([0])), expected)
            });
        }
    }
}

pub fn cumulative(subject: &Subject, report: &mut Report<'_>) {
    let at = situation(report.family(), CumulativeOp::Sum.name(), DType::F32, "a long column");
    report.check(&at, || {
        let sums = Dynamic::cumulative(CumulativeOp::Sum, ones(subject, 1), 0);
        let last = [Slice::from(COUNT - 1..COUNT)].into_iter().collect();
        equals(Dynamic::slice(sums, last), COUNT as f64)
    });
}

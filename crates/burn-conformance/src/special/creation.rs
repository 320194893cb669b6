use super::{equal, situation};
use crate::array::Array;
use crate::case::read;
use crate::checked::compare;
use crate::expected::Expected;
use crate::number::Number;
use crate::subject::Report;
use crate::tolerance::Tolerance;
use crate::{Family, Subject};
use burn_backend::dynamic::Dynamic;
use burn_backend::{DType, HasSpec, Scalar, Shape, TensorSpec, TypedCalls};

pub fn check(subject: &Subject, report: &mut Report<'_>) {
    for dtype in subject.dtypes() {
        let at = situation(Family::Creation, "full", dtype, "");
        report.check(&at, || full(subject, dtype));
        if dtype != DType::Bool {
            let at = situation(Family::Creation, "range", dtype, "");
            report.check(&at, || range(subject, dtype));
        }
    }
}

fn full(subject: &Subject, dtype: DType) -> Result<(), String> {
    let shapes: [Shape; 4] = [[].into(), [3, 4].into(), [0, 2].into(), [7_001].into()];
    for shape in shapes {
        for value in [Scalar::Int(1), Scalar::Int(0), Scalar::Float(2.5), Scalar::UInt(7), Scalar::Bool(true)]
        {
            let spec = TensorSpec { shape: shape.clone(), dtype };
            let x = Dynamic::full(spec.clone(), value, &subject.device);
            equal("spec", x.spec(), &spec)?;
            let expected = Array::build(shape.clone(), dtype, |_| Number::from_scalar(value, dtype));
            compare(&read(x), &Expected { array: expected, tolerance: Tolerance::Rounded })?;
        }
    }
    Ok(())
}

fn range(subject: &Subject, dtype: DType) -> Result<(), String> {
    let mut ranges = vec![(0.0, 1.0, 10), (3.0, 4.0, 7), (5.0, 1.0, 0), (1.0, 0.0, 3)];
    if dtype.is_signed() {
        ranges.push((5.0, -2.0, 6));
    }
    if dtype.is_float() {
        ranges.push((-1.0, 0.1, 37));
    }
    for (start, step, count) in ranges {
        let spec = TensorSpec::new([count], dtype);
        let number = |x: f64| if dtype.is_float() { Scalar::Float(x) } else { Scalar::Int(x as i64) };
        let x = Dynamic::range(spec.clone(), number(start), number(step), &subject.device);
        equal("spec", x.spec(), &spec)?;
        let at = |i: &[usize]| {
            let exact = start + i[0] as f64 * step;
            if dtype.is_float() { Number::Float(exact) } else { Number::Int(exact as i128) }
        };
        let array = Array::build([count].into(), dtype, at);
        // Start, step and sum are rounded, in the size of the larger end.
        let floor = start.abs().max((start + count as f64 * step).abs());
        compare(&read(x), &Expected { array, tolerance: Tolerance::Ulps { ulps: 2.0, floor } })?;
    }
    Ok(())
}

use super::situation;
use super::statistics::fits;
use crate::subject::Report;
use crate::{Family, Subject};
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{DType, TensorData, TypedCalls};
use burn_tensor::{Int, Tensor};

/// Draws of categories from weights, which the tensor makes of uniform numbers and of other operations.
pub fn check(subject: &Subject, report: &mut Report<'_>) {
    let device = &subject.device;
    for dtype in subject.dtypes().filter(|dtype| dtype.is_float()) {
        subject.seed(7);
        let mut run = |name: &str, check: fn(&DynamicDevice, DType) -> Result<(), String>| {
            report.check(&situation(Family::Random, "random", dtype, name), || check(device, dtype));
        };
        run("multinomial, many draws of few rows", |device, dtype| multinomial(device, dtype, 50, 400));
        run("multinomial, few draws of many rows", |device, dtype| multinomial(device, dtype, 4_000, 5));
        run("multinomial without replacement", without_replacement);
        run("categorical", categorical);
        run("bernoulli", bernoulli);
    }
}

fn tensor(values: &[f64], rows: usize, dtype: DType, device: &DynamicDevice) -> Tensor<Dynamic, 2> {
    let row = TensorData::new(values, [1, values.len()]).convert_dtype(dtype);
    Tensor::<Dynamic, 2>::from_handle(Dynamic::from_data(row, device)).expand([rows, values.len()])
}

/// How often each position was drawn.
fn counts(drawn: Tensor<Dynamic, 2, Int>, places: usize) -> Vec<usize> {
    let mut counts = vec![0; places];
    drawn.into_data().iter::<i64>().for_each(|at| counts[at as usize] += 1);
    counts
}

const WEIGHTS: [f64; 6] = [0.0, 1.0, 2.0, 0.0, 4.0, 0.0];

fn multinomial(device: &DynamicDevice, dtype: DType, rows: usize, count: usize) -> Result<(), String> {
    let drawn = tensor(&WEIGHTS, rows, dtype, device).multinomial(count, true);
    super::equal("shape", drawn.dims(), [rows, count])?;
    fits(&counts(drawn, WEIGHTS.len()), &WEIGHTS.map(|weight| weight / 7.0))
}

/// Two of three: the first by its weight, the second by its weight among the others.
fn without_replacement(device: &DynamicDevice, dtype: DType) -> Result<(), String> {
    let drawn = tensor(&WEIGHTS, 8_000, dtype, device).multinomial(2, false).into_data();
    let places: Vec<usize> = drawn.iter::<i64>().map(|at| at as usize).collect();
    let (mut observed, mut probabilities) = (Vec::new(), Vec::new());
    for first in [1, 2, 4] {
        for second in [1, 2, 4] {
            observed.push(places.chunks(2).filter(|pair| **pair == [first, second]).count());
            let p = WEIGHTS[first] / 7.0 * WEIGHTS[second] / (7.0 - WEIGHTS[first]);
            probabilities.push(if first == second { 0.0 } else { p });
        }
    }
    super::equal("pairs of positive weights", observed.iter().sum(), 8_000)?;
    fits(&observed, &probabilities)
}

fn categorical(device: &DynamicDevice, dtype: DType) -> Result<(), String> {
    let logits = [f64::NEG_INFINITY, 1.0, -0.5, 2.0];
    let drawn = tensor(&logits, 20, dtype, device).categorical(1_000);
    let total: f64 = logits.iter().map(|x| x.exp()).sum();
    fits(&counts(drawn, 4), &logits.map(|x| x.exp() / total))
}

fn bernoulli(device: &DynamicDevice, dtype: DType) -> Result<(), String> {
    let probabilities = [0.0, 0.25, 0.75, 1.0];
    let drawn = tensor(&probabilities, 10_000, dtype, device).bernoulli();
    super::equal("dtype", drawn.dtype(), dtype)?;
    let drawn = drawn.into_data().to_f64();
    for (column, p) in probabilities.into_iter().enumerate() {
        let ones = drawn.iter().skip(column).step_by(4).filter(|&&x| x == 1.0).count();
        let zeros = drawn.iter().skip(column).step_by(4).filter(|&&x| x == 0.0).count();
        super::equal("zeros and ones", ones + zeros, 10_000)?;
        if (0.01..0.99).contains(&p) {
            fits(&[zeros, ones], &[1.0 - p, p])?;
        } else {
            super::equal("what is certain", ones as f64, 10_000.0 * p)?;
        }
    }
    Ok(())
}

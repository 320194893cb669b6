use super::{situation, statistics};
use crate::case::read;
use crate::subject::Report;
use crate::{Family, Subject};
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::random as definition;
use burn_backend::{DType, Distribution, TensorData, TensorSpec, TypedCalls, UnaryOp};

/// Draws per check: means are good to about half a percent of a standard deviation.
const COUNT: usize = 40_000;

pub fn check(subject: &Subject, report: &mut Report<'_>) {
    for dtype in subject.dtypes() {
        for distribution in distributions(dtype) {
            let at = situation(Family::Random, "random", dtype, format!("{distribution:?}"));
            report.check(&at, || moments(&subject.device, dtype, distribution));
            let at = situation(Family::Random, "random", dtype, format!("{distribution:?}, fit"));
            report.check(&at, || {
                subject.seed(11);
                goodness_of_fit(&subject.device, dtype, distribution)
            });
            let at =
                situation(Family::Random, "random", dtype, format!("{distribution:?}, numbers of a seed"));
            report.check(&at, || numbers_of_a_seed(subject, dtype, distribution));
        }
    }
    for dtype in [DType::F32, DType::I64].into_iter().filter(|&dtype| subject.has(dtype)) {
        let at = situation(Family::Random, "random", dtype, "two draws differ");
        report.check(&at, || draws_differ(&subject.device, dtype));
        let at = situation(Family::Random, "random", dtype, "a seed repeats");
        report.check(&at, || seed_repeats(subject, dtype));
    }
    let at = situation(Family::Random, "random", DType::F32, "shapes");
    report.check(&at, || shapes(&subject.device));
}

fn distributions(dtype: DType) -> Vec<Distribution> {
    let mut distributions = vec![Distribution::Bernoulli(0.3)];
    if dtype.is_float() {
        distributions.push(Distribution::Default);
        distributions.push(Distribution::Uniform(-2.0, 6.0));
        distributions.push(Distribution::Normal(1.0, 2.0));
    }
    if dtype.is_int() {
        distributions.push(Distribution::Uniform(3.0, 90.0));
        if crate::number::highest(dtype) >= 255 {
            distributions.push(Distribution::Default);
        }
    }
    distributions
}

fn draw(device: &DynamicDevice, dtype: DType, distribution: Distribution, count: usize) -> TensorData {
    read(Dynamic::random(TensorSpec::new([count], dtype), distribution, device))
}

/// Bounds, mean and variance of the law; for whole numbers `low..high` that of the whole numbers in it.
fn law(dtype: DType, distribution: Distribution) -> (f64, f64, f64, f64) {
    let uniform = |low: f64, high: f64| {
        if dtype.is_float() {
            (low, high, (low + high) / 2.0, (high - low).powi(2) / 12.0)
        } else {
            (low, high - 1.0, (low + high - 1.0) / 2.0, ((high - low).powi(2) - 1.0) / 12.0)
        }
    };
    match distribution {
        Distribution::Default if dtype.is_float() => uniform(0.0, 1.0),
        Distribution::Default => uniform(0.0, 255.0),
        Distribution::Uniform(low, high) => uniform(low, high),
        Distribution::Normal(mean, deviation) => {
            (f64::NEG_INFINITY, f64::INFINITY, mean, deviation * deviation)
        }
        Distribution::Bernoulli(p) => (0.0, 1.0, p, p * (1.0 - p)),
    }
}

fn moments(device: &DynamicDevice, dtype: DType, distribution: Distribution) -> Result<(), String> {
    let xs = draw(device, dtype, distribution, COUNT).to_f64();
    let (low, high, mean, variance) = law(dtype, distribution);
    let is_open =
        dtype.is_float() && matches!(distribution, Distribution::Default | Distribution::Uniform(..));
    if let Some(x) = xs.iter().find(|x| !(low..=high).contains(x) || (is_open && **x == high)) {
        return Err(format!("{x} is not from {low} to {high}"));
    }
    let count = xs.len() as f64;
    let found = xs.iter().sum::<f64>() / count;
    // Five standard deviations of the mean, and the rounding of the dtype.
    let rounding = crate::tolerance::epsilon(dtype) * (mean.abs() + variance.sqrt());
    let slack = 5.0 * (variance / count).sqrt() + rounding;
    if (found - mean).abs() > slack {
        return Err(format!("the mean is {found}, expected {mean} within {slack}"));
    }
    let spread = xs.iter().map(|x| (x - found).powi(2)).sum::<f64>() / count;
    if (spread / variance - 1.0).abs() > 0.05 + 4.0 * crate::tolerance::epsilon(dtype) {
        return Err(format!("the variance is {spread}, expected {variance}"));
    }
    // Independent: neighbours do not go together.
    let pairs = xs.windows(2).map(|pair| (pair[0] - found) * (pair[1] - found));
    let correlation = pairs.sum::<f64>() / count / variance;
    if correlation.abs() > 5.0 / count.sqrt() {
        return Err(format!("neighbours correlate: {correlation}"));
    }
    Ok(())
}

fn goodness_of_fit(device: &DynamicDevice, dtype: DType, distribution: Distribution) -> Result<(), String> {
    let xs = draw(device, dtype, distribution, COUNT).to_f64();
    let (low, high, ..) = law(dtype, distribution);
    // Neighbours of a narrow type differ by this much of the law, at most.
    let rounding = crate::tolerance::epsilon(dtype);
    match distribution {
        Distribution::Default | Distribution::Uniform(..) if dtype.is_float() => {
            statistics::follows(&xs, |x| (x - low) / (high - low), rounding)
        }
        Distribution::Normal(mean, deviation) => {
            let erf = |x: f64| UnaryOp::Erf.eval_f64(x);
            let cdf = |x: f64| 0.5 * (1.0 + erf((x - mean) / deviation / 2_f64.sqrt()));
            statistics::follows(&xs, cdf, rounding)
        }
        Distribution::Default | Distribution::Uniform(..) | Distribution::Bernoulli(_) => {
            let size = (high - low) as usize + 1;
            let mut observed = vec![0; size];
            xs.iter().for_each(|x| observed[(x - low) as usize] += 1);
            let even = vec![1.0 / size as f64; size];
            match distribution {
                Distribution::Bernoulli(p) => statistics::fits(&observed, &[1.0 - p, p]),
                Distribution::Default | Distribution::Uniform(..) | Distribution::Normal(..) => {
                    statistics::fits(&observed, &even)
                }
            }
        }
    }
}

/// The numbers are those of the definition, so that a seed means the same on every backend. Kernels compute
/// logarithms and sines of normal numbers to a few units, and halves are rounded from there.
fn numbers_of_a_seed(subject: &Subject, dtype: DType, distribution: Distribution) -> Result<(), String> {
    let counts = [37, 3_000];
    subject.seed(0x0123_4567_89AB_CDEF);
    let found = counts.map(|count| draw(&subject.device, dtype, distribution, count));
    let mut first = 0;
    for (count, found) in counts.into_iter().zip(found) {
        let expected = definition::draw(distribution, dtype, count, 0x0123_4567_89AB_CDEF, first);
        first += definition::Recipe::new(distribution, dtype).counters(count);
        let slack = match distribution {
            Distribution::Normal(mean, deviation) => {
                let unit = crate::tolerance::epsilon(dtype).max(f64::EPSILON);
                16.0 * unit * (mean.abs() + 8.0 * deviation)
            }
            Distribution::Default | Distribution::Uniform(..) | Distribution::Bernoulli(_) => 0.0,
        };
        let pairs = found.to_f64().into_iter().zip(expected);
        if let Some((at, (x, y))) = pairs.enumerate().find(|(_, (x, y))| (x - y).abs() > slack) {
            return Err(format!("element {at} of {count} is {x}, the seed says {y}"));
        }
    }
    Ok(())
}

fn draws_differ(device: &DynamicDevice, dtype: DType) -> Result<(), String> {
    let draw = || draw(device, dtype, Distribution::Default, 20);
    if draw() == draw() { Err("two draws are the same".into()) } else { Ok(()) }
}

fn seed_repeats(subject: &Subject, dtype: DType) -> Result<(), String> {
    let draws = || {
        subject.seed(42);
        let first = draw(&subject.device, dtype, Distribution::Default, 20);
        (first, draw(&subject.device, dtype, Distribution::Default, 1_000))
    };
    if draws() == draws() { Ok(()) } else { Err("the same seed gives other numbers".into()) }
}

fn shapes(device: &DynamicDevice) -> Result<(), String> {
    for shape in [vec![], vec![0, 3], vec![2, 3, 4]] {
        let spec = TensorSpec::new(shape, DType::F32);
        let found = read(Dynamic::random(spec.clone(), Distribution::Default, device)).shape;
        super::equal("shape", found, spec.shape)?;
    }
    Ok(())
}

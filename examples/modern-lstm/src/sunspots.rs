//! Yearly means of the sunspot number, 1700 to 2008.

use crate::sequence::{LENGTH, Sequence, SeriesPart};
use burn::data::dataset::InMemDataset;

/// The file of `data/README.md`.
const FILE: &str = include_str!("../data/sunspots.csv");

/// First year of the series.
pub const FIRST_YEAR: usize = 1700;

/// Years to validate on, those of the older comparisons of predictors (Weigend, Huberman and Rumelhart 1990);
/// years before are to learn from, years after to test on.
pub const VALID_YEARS: std::ops::RangeInclusive<usize> = 1921..=1955;

/// Returns the sunspot numbers, year after year.
///
/// # Panics
/// Never: the file is part of the program, and a test reads it.
pub fn series() -> Vec<f32> {
    let number = |line: &str| line.split(',').nth(1).and_then(|number| number.parse().ok());
    FILE.lines().skip(1).map(|line| number(line).expect("a row is a year and a number")).collect()
}

/// Returns a sequence for each year to predict: the numbers of the 24 years before, less their mean, by their
/// standard deviation.
pub fn sequences(part: SeriesPart) -> InMemDataset<Sequence> {
    let in_part = |year: usize| match part {
        SeriesPart::Train => year < *VALID_YEARS.start(),
        SeriesPart::Valid => VALID_YEARS.contains(&year),
        SeriesPart::Test => year > *VALID_YEARS.end(),
    };
    let series = series();
    let years = (FIRST_YEAR + LENGTH..).zip(series.windows(LENGTH + 1));
    years.filter(|(year, _)| in_part(*year)).map(|(_, window)| scaled(window)).collect()
}

/// Scales the last number of a window by those before it.
fn scaled(window: &[f32]) -> Sequence {
    let (next, values) = window.split_last().expect("windows are not empty");
    let count = values.len() as f32;
    let mean = values.iter().sum::<f32>() / count;
    let scale = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
    let scaled = |value: &f32| (value - mean) / scale;
    Sequence { values: values.iter().map(scaled).collect(), next: scaled(next), mean, scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::data::dataset::Dataset;

    #[test]
    fn every_year_is_in_one_part_and_comes_back_in_its_unit() {
        let series = series();
        assert_eq!((series.len(), series[0], series[257]), (309, 5.0, 190.2));
        let parts = [SeriesPart::Train, SeriesPart::Valid, SeriesPart::Test].map(sequences);
        assert_eq!(parts.each_ref().map(Dataset::len), [197, 35, 53]);
        let next: Vec<f32> = parts.iter().flat_map(|part| part.iter().map(|s| s.in_unit(s.next))).collect();
        let close = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-3;
        assert!(next.iter().zip(&series[LENGTH..]).all(close) && next.len() == series.len() - LENGTH);
    }
}

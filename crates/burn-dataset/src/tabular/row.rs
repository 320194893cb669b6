use std::io::Read;

use flate2::read::GzDecoder;

/// A row of a table whose rows belong to classes.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledRow<const F: usize> {
    /// The measurements.
    pub features: [f32; F],
    /// The class, a position in the list of classes of the table.
    pub label: usize,
}

/// A row of a table with a number that is to be predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRow<const F: usize> {
    /// The measurements.
    pub features: [f32; F],
    /// The number to predict.
    pub target: f32,
}

impl<const F: usize> MeasuredRow<F> {
    pub(super) fn labelled(self) -> LabelledRow<F> {
        LabelledRow { features: self.features, label: self.target as usize }
    }
}

/// Unpacks a table that is part of the program.
pub(super) fn unpack<const F: usize>(file: &[u8]) -> Vec<MeasuredRow<F>> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("the file inside the program is whole");
    text.lines().map(parse).collect::<Option<_>>().expect("every line inside the program is a row")
}

/// Reads a line of features and a target.
fn parse<const F: usize>(line: &str) -> Option<MeasuredRow<F>> {
    let mut numbers = line.split(',').map(|number| number.parse::<f32>().ok());
    let mut features = [0.0; F];
    for feature in &mut features {
        *feature = numbers.next()??;
    }
    let target = numbers.next()??;
    numbers.next().is_none().then_some(MeasuredRow { features, target })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_row_are_refused() {
        assert_eq!(parse("1,2.5,3"), Some(MeasuredRow { features: [1.0, 2.5], target: 3.0 }));
        for line in ["", "1,2", "1,2,3,4", "1,x,3"] {
            assert_eq!(parse::<2>(line), None, "{line}");
        }
    }
}

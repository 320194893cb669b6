//! Datasets.

use burn::data::dataset::{Dataset, DatasetError};

// ANCHOR: own
/// The lines of a file with their lengths.
struct Lines {
    lines: Vec<String>,
}

impl Dataset<(String, usize)> for Lines {
    fn get(&self, index: usize) -> Option<(String, usize)> {
        self.lines.get(index).map(|line| (line.clone(), line.len()))
    }

    fn len(&self) -> usize {
        self.lines.len()
    }
}
// ANCHOR_END: own

#[test]
fn a_dataset_is_two_functions() {
    let lines = Lines { lines: vec!["one".to_owned(), "three".to_owned()] };
    assert_eq!(lines.iter().map(|(_, length)| length).collect::<Vec<_>>(), [3, 5]);
}

// ANCHOR: sqlite
use burn::data::dataset::source::{SqliteDataset, SqliteDatasetWriter};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Review {
    text: String,
    stars: f32,
    tags: Vec<String>,
}

fn convert(reviews: impl Iterator<Item = Review>) -> Result<SqliteDataset<Review>, DatasetError> {
    let path = "reviews.db";
    let mut writer = SqliteDatasetWriter::new(path)?;
    for review in reviews {
        writer.write("train", &review)?;
    }
    // Before this, nothing is at `path`.
    writer.finish()?;
    SqliteDataset::open(path, "train")
}
// ANCHOR_END: sqlite

#[test]
fn reviews_are_read_from_a_database() {
    let _ = convert as fn(std::iter::Empty<Review>) -> _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let review = Review { text: "good".to_owned(), stars: 4.5, tags: vec!["short".to_owned()] };
    let mut writer = SqliteDatasetWriter::new(&path).unwrap();
    writer.write("train", &review).unwrap();
    writer.finish().unwrap();
    assert_eq!(SqliteDataset::open(&path, "train").unwrap().get(0), Some(review));
}

// ANCHOR: transforms
use burn::data::dataset::InMemDataset;
use burn::data::dataset::transform::{MapperDataset, ShuffledDataset, SplitDataset};

fn split(numbers: InMemDataset<u32>) -> Result<(), DatasetError> {
    let squares = MapperDataset::new(numbers, |number: &u32| number * number);
    let [train, valid, test] = SplitDataset::shuffled(squares, 42)?.fractions([0.8, 0.1, 0.1])?;
    assert_eq!((train.len(), valid.len(), test.len()), (80, 10, 10));

    // Parts are datasets, so they have transforms too.
    let pairs = ShuffledDataset::with_seed(train, 7).windows(2);
    assert_eq!(pairs.len(), 79);
    Ok(())
}
// ANCHOR_END: transforms

#[test]
fn a_dataset_is_split() {
    split((0..100).collect()).unwrap();
}

// ANCHOR: folds
fn cross_validate(numbers: InMemDataset<f64>) -> Result<Vec<f64>, DatasetError> {
    let folds = SplitDataset::shuffled(numbers, 42)?.k_fold(5)?;
    let mean_error = |fold: burn::data::dataset::transform::Fold<_, f64>| {
        // The model is the mean of what it was trained on.
        let model = fold.train.iter().sum::<f64>() / fold.train.len() as f64;
        fold.valid.iter().map(|number| (number - model).abs()).sum::<f64>() / fold.valid.len() as f64
    };
    Ok(folds.into_iter().map(mean_error).collect())
}
// ANCHOR_END: folds

#[test]
fn a_model_is_validated_in_folds() {
    let errors = cross_validate((0..50).map(f64::from).collect()).unwrap();
    assert!(errors.len() == 5 && errors.iter().all(|error| *error < 25.0), "{errors:?}");
}

// ANCHOR: errors
fn readable(dataset: &impl Dataset<String>) -> Vec<String> {
    // Leaves out what cannot be read; `iter` would panic with the reason.
    dataset.try_iter().filter_map(Result::ok).collect()
}
// ANCHOR_END: errors

#[test]
fn what_cannot_be_read_is_left_out() {
    assert_eq!(readable(&InMemDataset::new(vec!["a".to_owned()])), ["a"]);
}

//! Datasets in data frames of Polars (DA-005).

use burn_dataset::source::DataframeDataset;
use burn_dataset::transform::ShuffledDataset;
use burn_dataset::{Dataset, DatasetError};
use polars_core::df;
use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};
use serde::Deserialize;

fn frame() -> DataFrame {
    let tags =
        [Series::new("".into(), ["a", "b"]), Series::new("".into(), [""; 0]), Series::new("".into(), ["c"])];
    let frame = df![
        "name" => ["one", "two", "three"],
        "count" => [1_i64, -2, 3],
        "small" => [1_u32, 2, 255],
        "size" => [Some(0.5_f64), None, Some(-1.25)],
        "good" => [true, false, true],
        "unused" => [0_i32, 0, 0],
    ];
    let mut frame = frame.unwrap();
    frame.with_column(Column::from(Series::new("tags".into(), tags))).unwrap();
    frame
}

#[derive(Deserialize, Clone, Debug, PartialEq)]
struct Item {
    tags: Vec<String>,
    name: String,
    count: i32,
    small: u8,
    size: Option<f32>,
    good: bool,
}

fn item(tags: &[&str], name: &str, count: i32, small: u8, size: Option<f32>, good: bool) -> Item {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Item { tags, name: name.to_owned(), count, small, size, good }
}

#[test]
fn da_005_rows_of_a_data_frame_are_items() {
    let dataset = DataframeDataset::<Item>::new(frame()).unwrap();
    let expected = [
        item(&["a", "b"], "one", 1, 1, Some(0.5), true),
        item(&[], "two", -2, 2, None, false),
        item(&["c"], "three", 3, 255, Some(-1.25), true),
    ];
    assert_eq!(dataset.iter().collect::<Vec<_>>(), expected);
    assert_eq!((dataset.len(), dataset.get(3), dataset.frame().height()), (3, None, 3));
    let mut shuffled: Vec<_> =
        ShuffledDataset::with_seed(dataset, 42).iter().map(|item| item.count).collect();
    shuffled.sort_unstable();
    assert_eq!(shuffled, [-2, 1, 3]);
}

#[test]
fn da_005_pieces_of_a_data_frame_follow_each_other() {
    let mut rows = frame();
    for _ in 0..3 {
        rows.vstack_mut(&frame()).unwrap();
    }
    let dataset = DataframeDataset::<Item>::new(rows).unwrap();
    assert_eq!((dataset.len(), dataset.get(11).unwrap().name.as_str()), (12, "three"));
}

#[test]
fn da_005_items_may_be_tuples_and_single_values() {
    let pairs = df!["a" => ["x", "y"], "b" => [1, 2]].unwrap();
    let pairs = DataframeDataset::<(String, f64)>::new(pairs).unwrap();
    assert_eq!(pairs.get(1), Some(("y".to_owned(), 2.0)));
    let numbers = DataframeDataset::<Option<u8>>::new(df!["a" => [Some(7), None]].unwrap()).unwrap();
    assert_eq!(numbers.iter().collect::<Vec<_>>(), [Some(7), None]);

    #[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
    enum Class {
        Cat,
        Dog,
    }
    let classes = DataframeDataset::<Class>::new(df!["class" => ["Dog", "Cat"]].unwrap()).unwrap();
    assert_eq!(classes.iter().collect::<Vec<_>>(), [Class::Dog, Class::Cat]);
}

#[test]
fn da_005_a_row_that_is_no_item_is_named() {
    let error = |frame| DataframeDataset::<Item>::new(frame).unwrap_err();
    let missing = error(df!["name" => ["one"], "count" => [1]].unwrap());
    assert!(matches!(&missing, DatasetError::WrongRow { row: 0, .. }), "{missing}");
    let text = missing.to_string();
    assert!(text.contains("row 0 of the data frame") && text.contains("Item"), "{text}");
    assert!(text.contains("missing field `tags`") && text.contains("[\"name\", \"count\"]"), "{text}");

    let numbers = DataframeDataset::<u8>::new(df!["a" => [1, 256]].unwrap()).unwrap();
    let error = numbers.try_get(1).unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("integer `256`, expected u8"), "{error}");
    assert_eq!(numbers.get(1), None);
    let several = DataframeDataset::<u8>::new(df!["a" => [1], "b" => [1]].unwrap()).unwrap_err().to_string();
    assert!(several.contains("a row has 2 columns, the item is one value"), "{several}");
    assert_eq!(DataframeDataset::<Item>::new(frame().head(Some(0))).unwrap().len(), 0);
}

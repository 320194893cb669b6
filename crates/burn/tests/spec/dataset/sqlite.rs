//! Datasets in SQLite databases (DA-004, PF-012).

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::source::{SqliteDataset, SqliteDatasetWriter};
use burn::data::dataset::{Dataset, DatasetError, InMemDataset};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Mood {
    Glad,
    Sad { tears: u8 },
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Review {
    text: String,
    stars: f32,
    is_long: bool,
    count: u64,
    letter: char,
    mood: Mood,
    author: Option<String>,
    tags: Vec<String>,
    scores: BTreeMap<String, f64>,
    grid: [[i16; 2]; 2],
    nothing: (),
}

fn review(index: u64) -> Review {
    Review {
        text: format!("review \"{index}\"; 'quoted', ünïcode 🔥"),
        stars: index as f32 / 3.0,
        is_long: index.is_multiple_of(2),
        count: u64::MAX - index,
        letter: 'ß',
        mood: if index == 1 { Mood::Glad } else { Mood::Sad { tears: index as u8 } },
        author: (index == 2).then(|| "somebody".to_owned()),
        tags: vec!["a".to_owned(); index as usize],
        scores: [("depth".to_owned(), -0.0), ("width".to_owned(), f64::INFINITY)].into(),
        grid: [[1, -2], [i16::MIN, i16::MAX]],
        nothing: (),
    }
}

fn write<I: Serialize>(path: &Path, split: &str, items: &[I]) -> Result<(), DatasetError> {
    let mut writer = SqliteDatasetWriter::new(path)?;
    items.iter().try_for_each(|item| writer.write(split, item))?;
    writer.finish()
}

#[test]
fn da_004_items_of_a_database_are_those_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let mut writer = SqliteDatasetWriter::new(&path).unwrap();
    for index in 0..5 {
        writer.write("train", &review(index)).unwrap();
    }
    writer.write_all("test", &InMemDataset::new(vec![review(9)])).unwrap();
    writer.write_all("empty", &InMemDataset::new(Vec::new())).unwrap();
    assert!(!path.exists(), "nobody sees half a database");
    writer.finish().unwrap();

    let train = SqliteDataset::<Review>::open(&path, "train").unwrap();
    assert_eq!(train.iter().collect::<Vec<_>>(), (0..5).map(review).collect::<Vec<_>>());
    assert_eq!((train.get(5), train.get(usize::MAX)), (None, None));
    assert_eq!(train.get_many(&[3, 0, 3]).unwrap(), [review(3), review(0), review(3)]);
    assert_eq!(SqliteDataset::<Review>::open(&path, "test").unwrap().get(0), Some(review(9)));
    assert_eq!(SqliteDataset::<Review>::open(&path, "empty").unwrap().len(), 0);
    assert_eq!(SqliteDataset::<Review>::splits(&path).unwrap(), ["train", "test", "empty"]);
    let files: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["reviews.db"], "no journal or temporary file is left");
}

/// Writes some items and reads them back.
fn round_trip<I: Serialize + DeserializeOwned + Debug>(items: &[I]) -> Vec<I> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.db");
    write(&path, "all", items).unwrap();
    SqliteDataset::open(&path, "all").unwrap().iter().collect()
}

#[test]
fn da_004_items_need_not_be_structs() {
    assert_eq!(round_trip(&[1_u8, 255]), [1, 255]);
    assert_eq!(round_trip(&["a".to_owned(), String::new()]), ["a", ""]);
    assert_eq!(round_trip(&[vec![1_i64, i64::MIN], vec![]]), [vec![1, i64::MIN], vec![]]);
    assert_eq!(round_trip(&[(1_u32, "x".to_owned(), [0.5_f32; 3])]), [(1, "x".to_owned(), [0.5; 3])]);
    assert_eq!(round_trip(&[Mood::Glad, Mood::Sad { tears: 3 }]), [Mood::Glad, Mood::Sad { tears: 3 }]);
    assert_eq!(round_trip(&[Some(1.5_f64), None]), [Some(1.5), None]);
    let map = BTreeMap::from([("key one".to_owned(), 1), ("rowid".to_owned(), 2)]);
    assert_eq!(round_trip(std::slice::from_ref(&map)), [map]);

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Meters(f64);
    assert_eq!(round_trip(&[Meters(2.5)]), [Meters(2.5)]);
}

#[test]
fn da_004_floats_keep_their_bits() {
    #[derive(Serialize, Deserialize, Debug)]
    struct Floats {
        single: f32,
        double: f64,
    }
    let values = [0.0, -0.0, 1.0 / 3.0, f64::NAN, f64::NEG_INFINITY, f64::MIN_POSITIVE / 4.0, 3.0, 1e300];
    let items: Vec<Floats> = values.iter().map(|&double| Floats { single: double as f32, double }).collect();
    for (read, written) in round_trip(&items).iter().zip(&items) {
        assert_eq!(read.double.to_bits(), written.double.to_bits());
        assert_eq!(read.single.to_bits(), written.single.to_bits());
    }
}

#[test]
fn da_004_a_database_of_another_item_type_is_an_error() {
    #[derive(Serialize, Deserialize, Clone, Debug)]
    struct Other {
        text: String,
        label: u8,
    }
    #[derive(Deserialize, Debug)]
    struct TextIsNumber {
        #[allow(dead_code, reason = "it cannot be read")]
        text: f32,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    write(&path, "train", &[review(1)]).unwrap();

    let error = SqliteDataset::<Other>::open(&path, "train").unwrap_err();
    assert!(matches!(&error, DatasetError::WrongItem { .. }), "{error}");
    for part in ["reviews.db", "`train`", "Other`", "missing field `label`", "text"] {
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    let error = SqliteDataset::<TextIsNumber>::open(&path, "train").unwrap_err().to_string();
    assert!(error.contains("column `text`: invalid type: string"), "{error}");
    let error = SqliteDataset::<u64>::open(&path, "train").unwrap_err().to_string();
    assert!(error.contains("the item is one value"), "{error}");

    let mut writer = SqliteDatasetWriter::<serde_json::Value>::new(&path).unwrap();
    writer.write("train", &serde_json::json!({"a": 1})).unwrap();
    let error = writer.write("train", &serde_json::json!({"a": 1, "b": 2})).unwrap_err().to_string();
    assert!(error.contains("item 1 has the fields"), "{error}");
    drop(writer);
    assert!(SqliteDataset::<Review>::open(&path, "train").is_ok(), "the old database is still there");
}

#[test]
fn da_004_missing_and_damaged_files_are_errors_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.db");
    let error = |path: &Path| SqliteDataset::<u8>::open(path, "train").unwrap_err().to_string();
    assert!(error(&path).contains("items.db: "), "{}", error(&path));
    assert!(!path.exists(), "opening makes no file");
    assert!(
        error(folder.path()).contains("a directory; expected a regular file"),
        "{}",
        error(folder.path())
    );

    std::fs::write(&path, "<html>not here</html>".repeat(200)).unwrap();
    assert!(error(&path).contains("items.db: file is not a database"), "{}", error(&path));
    std::fs::write(&path, "").unwrap();
    assert!(error(&path).contains("has no split `train`; it has []"), "{}", error(&path));

    write(&path, "valid", &(0..20_000_u32).collect::<Vec<_>>()).unwrap();
    assert!(error(&path).contains("has no split `train`; it has [\"valid\"]"), "{}", error(&path));
    let whole = std::fs::read(&path).unwrap();
    // The file without its end: the items before are read, the others are errors.
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    if let Ok(half) = SqliteDataset::<u32>::open(&path, "valid") {
        let broken = half.try_iter().filter(Result::is_err).count();
        assert!(broken > 1_000, "{broken} of {}", half.len());
    }
    assert!(SqliteDatasetWriter::<u8>::new(folder.path().join("no/such/folder.db")).is_err());
}

#[test]
fn da_004_damaged_pages_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.db");
    let items: Vec<Review> = (0..50).map(review).collect();
    write(&path, "all", &items).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut random = burn::data::dataset::random::Generator::new(5);
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(damaged.len());
            damaged[at] = random.next_u64() as u8;
        }
        let path = folder.path().join("damaged.db");
        std::fs::write(&path, &damaged).unwrap();
        if let Ok(dataset) = SqliteDataset::<Review>::open(&path, "all") {
            dataset.try_iter().take(1_000).for_each(drop);
        }
    }
}

#[test]
fn da_004_a_table_of_another_program_is_a_dataset() {
    #[derive(Deserialize, Debug, PartialEq)]
    struct Row {
        name: String,
        size: Option<f64>,
        data: Vec<u8>,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs.db");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs
        .execute_batch(
            "CREATE TABLE \"odd \"\"name\" (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size REAL, data BLOB);
             INSERT INTO \"odd \"\"name\" VALUES (-3, 'a', 1, x'0102'), (5, 'b', NULL, x''), (9, 'c', 2.5, x'ff'), (10, 'd', 0, x'00');
             DELETE FROM \"odd \"\"name\" WHERE id = 5;
             CREATE TABLE hidden (x) ; CREATE TABLE keyed (k TEXT PRIMARY KEY) WITHOUT ROWID;",
        )
        .unwrap();
    drop(theirs);
    let rows = SqliteDataset::<Row>::open(&path, "odd \"name").unwrap();
    let names: Vec<String> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names, ["a", "c", "d"], "in order of their ids, gaps or not");
    assert_eq!(rows.get(0), Some(Row { name: "a".into(), size: Some(1.0), data: vec![1, 2] }));
    assert!(SqliteDataset::<String>::open(&path, "keyed").is_err(), "a table without row ids");
}

#[test]
fn da_004_a_replaced_database_is_not_mixed_with_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.db");
    write(&path, "all", &[1_u8, 2, 3]).unwrap();
    let old = SqliteDataset::<u8>::open(&path, "all").unwrap();
    write(&path, "all", &[7_u8, 8, 9]).unwrap();
    assert_eq!(old.get(1), Some(2), "the connection that is open reads on");
    // Readers at the same time need more connections; the name refers to another file now.
    let barrier = std::sync::Barrier::new(4);
    let read: Vec<Result<Option<u8>, DatasetError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    (0..2_000).map(|_| old.try_get(0)).find(Result::is_err).unwrap_or(Ok(Some(1)))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for item in read {
        match item {
            Ok(item) => assert_eq!(item, Some(1)),
            Err(error) => assert!(error.to_string().contains("it was replaced"), "{error}"),
        }
    }
    assert_eq!(SqliteDataset::<u8>::open(&path, "all").unwrap().get(0), Some(7));
}

#[test]
fn pf_012_a_database_is_streamed_by_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.db");
    let items: Vec<(u32, String)> = (0..20_000).map(|index| (index, format!("item {index}"))).collect();
    write(&path, "all", &items).unwrap();
    let dataset = SqliteDataset::<(u32, String)>::open(&path, "all").unwrap();
    let epoch = |workers| -> Vec<Vec<(u32, String)>> {
        let builder = DataLoaderBuilder::new(|items: Vec<(u32, String)>| items);
        let loader = builder.batch_size(64).shuffle(3).num_workers(workers).build(dataset.clone());
        loader.iter().collect()
    };
    let alone = epoch(0);
    assert_eq!(alone, epoch(4));
    let mut all = alone.concat();
    all.sort();
    assert_eq!(all, items);
}

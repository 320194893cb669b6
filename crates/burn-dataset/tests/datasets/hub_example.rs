//! The example of the book, on a folder in place of the hub.

// ANCHOR: hub
use burn::data::dataset::source::{HuggingfaceDatasetLoader, SqliteDataset};
use burn::data::dataset::{Dataset, DatasetError};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone, Debug)]
struct News {
    text: String,
    label: usize,
}

fn news(loader: HuggingfaceDatasetLoader, split: &str) -> Result<SqliteDataset<News>, DatasetError> {
    // `HuggingfaceDatasetLoader::new("fancyzhx/ag_news")` asks the hub; `with_folder` reads a clone.
    loader.dataset(split)
}
// ANCHOR_END: hub

#[test]
fn da_013_the_example_of_the_book_reads_a_clone() {
    let clone = tempfile::tempdir().unwrap();
    let folder = clone.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("test-00000-of-00001.jsonl"), "{\"text\": \"Oil\", \"label\": 2}\n").unwrap();
    let loader = HuggingfaceDatasetLoader::new("fancyzhx/ag_news").with_folder(clone.path());
    let test = news(loader.with_base_dir(clone.path().join("databases")), "test").unwrap();
    let first = test.get(0).unwrap();
    assert_eq!((test.len(), first.text.as_str(), first.label), (1, "Oil", 2));
}

//! Data files of datasets: Parquet, JSON lines and CSV as the Hugging Face hub has them, SQLite databases, and sounds.

use super::target::{Target, pack};
use burn_dataset::Dataset;
use burn_dataset::audio::AudioFolderDataset;
use burn_dataset::source::{HuggingfaceDatasetLoader, SqliteDataset};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Folder of the databases that the loader writes, below that of the run.
const DATABASES: &str = "databases";

/// A row of the fixtures of `burn-dataset`.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Row {
    text: String,
    label: i64,
    tags: Option<Vec<String>>,
    grid: Option<Vec<Vec<f32>>>,
    raw: Option<Vec<u8>>,
}

fn read(folder: &Path, dataset: &str) -> Result<(), String> {
    let databases = folder.join(DATABASES);
    let loader = HuggingfaceDatasetLoader::new("someone/something")
        .with_folder(folder.join(dataset))
        .with_base_dir(&databases)
        .with_size_limit(64 << 20);
    let rows = loader.dataset::<Row>("train").map_err(|error| error.to_string());
    let read = rows.and_then(|rows| {
        rows.try_iter().try_for_each(|row| row.map(drop)).map_err(|error| error.to_string())
    });
    // A file that is refused leaves no database, and no part of one.
    let left = std::fs::read_dir(databases.join("someone--something")).into_iter().flatten().count();
    let _ = std::fs::remove_dir_all(&databases);
    assert!(read.is_ok() || left <= 1, "{left} files are left of databases");
    read
}

fn parquet(folder: &Path) -> Result<(), String> {
    read(folder, "hub-parquet")
}

fn json_lines(folder: &Path) -> Result<(), String> {
    read(folder, "hub-json")
}

fn packed_json_lines(folder: &Path) -> Result<(), String> {
    read(folder, "hub-json-gz")
}

fn csv(folder: &Path) -> Result<(), String> {
    read(folder, "hub-csv")
}

fn database(folder: &Path) -> Result<(), String> {
    let rows =
        SqliteDataset::<Row>::open(folder.join("rows.db"), "train").map_err(|error| error.to_string())?;
    rows.try_iter().try_for_each(|row| row.map(drop)).map_err(|error| error.to_string())
}

fn sound(folder: &Path) -> Result<(), String> {
    let items = vec![(folder.join("sound.wav"), "a".to_owned())];
    let sounds = AudioFolderDataset::new_classification_with_items(items, &["a"]);
    let sounds = sounds.map_err(|error| error.to_string())?;
    sounds.try_iter().try_for_each(|item| item.map(drop)).map_err(|error| error.to_string())
}

/// Sixteen samples of 16 bits in two channels, by the chunks of the WAV format.
fn wav() -> Vec<u8> {
    let samples: Vec<u8> = (0..16_i16).flat_map(|sample| (sample * 1000).to_le_bytes()).collect();
    let chunk = |name: &[u8], content: &[u8]| [name, &(content.len() as u32).to_le_bytes(), content].concat();
    let [format, channels, block, bits] = [1_u16, 2, 4, 16].map(u16::to_le_bytes);
    let [rate, bytes] = [8000_u32, 32_000].map(u32::to_le_bytes);
    let head = [&format[..], &channels, &rate, &bytes, &block, &bits].concat();
    chunk(b"RIFF", &[b"WAVE", &chunk(b"fmt ", &head)[..], &chunk(b"data", &samples)].concat())
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-dataset/tests/datasets/huggingface");
    let fixture = |file: &str| std::fs::read(fixtures.join(file)).expect("the fixture is there");
    let target = |name, file: &'static str, content: Vec<u8>, load| {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be written");
        std::fs::write(path, content).expect("the folder can be written");
        Target::of_file(folder, name, file, None, load)
    };
    let lines = fixture("json/train.jsonl");
    let rows = b"text,label\n\"a, \"\"b\"\"\",1\nc,-2\n,3\n".to_vec();
    let mut targets = vec![
        target(
            "parquet",
            "hub-parquet/train.parquet",
            fixture("parquet/data/train-00000-of-00002.parquet"),
            parquet as fn(&Path) -> _,
        ),
        target("json-lines", "hub-json/train.jsonl", lines.clone(), json_lines),
        target("json-lines-gz", "hub-json-gz/train.jsonl.gz", pack(&lines), packed_json_lines),
        target("hub-csv", "hub-csv/train.csv", rows, csv),
        target("wav", "sound.wav", wav(), sound),
    ];
    // The database that the loader makes of the lines.
    let loader = HuggingfaceDatasetLoader::new("someone/something")
        .with_folder(folder.join("hub-json"))
        .with_base_dir(folder.join(DATABASES));
    drop(loader.dataset::<Row>("train").expect("the rows are read"));
    let made = std::fs::read_dir(folder.join(DATABASES).join("someone--something"));
    let made = made.expect("the folder is there").next().expect("a database").expect("it can be listed");
    let content = std::fs::read(made.path()).expect("the database can be read");
    std::fs::remove_dir_all(folder.join(DATABASES)).expect("the folder can be removed");
    targets.push(target("sqlite", "rows.db", content, database));
    targets
}

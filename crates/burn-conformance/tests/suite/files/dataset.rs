use super::target::{Target, pack};
use burn_dataset::audio::AudioFolderDataset;
use burn_dataset::source::{HuggingfaceDatasetLoader, JsonLinesDataset, SqliteDataset, SqliteDatasetWriter};
use burn_dataset::vision::{ImageFolderDataset, MnistDataset, MnistSplit};
use burn_dataset::{Dataset, DatasetError, InMemDataset};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A text and its class; files may have more columns.
#[derive(Serialize, Deserialize, Clone, Debug)]
struct Labelled {
    text: String,
    label: i64,
}

fn read_all<I>(dataset: Result<impl Dataset<I>, DatasetError>) -> Result<(), String> {
    dataset.map_err(text)?.try_iter().try_for_each(|item| item.map(drop)).map_err(text)
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn load_mnist(folder: &Path) -> Result<(), String> {
    MnistDataset::from_dir(folder, MnistSplit::Test).map(drop).map_err(text)
}

fn load_csv(folder: &Path) -> Result<(), String> {
    let rows =
        InMemDataset::<(u32, f64, String)>::from_csv(folder.join("rows.csv"), &csv::ReaderBuilder::new());
    rows.map(drop).map_err(text)
}

fn load_image(folder: &Path) -> Result<(), String> {
    let items = vec![(folder.join("image.png"), "a".to_owned())];
    read_all(ImageFolderDataset::new_classification_with_items(items, &["a"]))
}

/// The files of a dataset of Hugging Face are written into a database, which is read.
fn load_huggingface(clone: &Path) -> Result<(), String> {
    let databases = clone.join("databases");
    let loader = HuggingfaceDatasetLoader::new("owner/texts").with_folder(clone).with_base_dir(&databases);
    let loaded = read_all(loader.with_size_limit(64 << 20).dataset::<Labelled>("train"));
    // A file that is refused leaves no database, and no part of one.
    let left = std::fs::read_dir(databases.join("owner--texts")).into_iter().flatten().count();
    assert!(loaded.is_ok() || left <= 1, "{left} files are left of databases");
    // Each damaged file has a database of its own.
    std::fs::remove_dir_all(databases).ok();
    loaded
}

fn load_sqlite(folder: &Path) -> Result<(), String> {
    read_all(SqliteDataset::<Labelled>::open(folder.join("texts.db"), "train"))
}

fn load_json_lines(folder: &Path) -> Result<(), String> {
    read_all(JsonLinesDataset::<Labelled>::open(folder.join("texts.jsonl")))
}

fn load_wav(folder: &Path) -> Result<(), String> {
    let items = vec![(folder.join("sound.wav"), "a".to_owned())];
    read_all(AudioFolderDataset::new_classification_with_items(items, &["a"]))
}

fn load_coco(folder: &Path) -> Result<(), String> {
    ImageFolderDataset::new_coco_detection(folder.join("boxes.json"), folder).map(drop).map_err(text)
}

/// Eight samples of 16 bits, by the chunks of the RIFF format.
fn wav() -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    // The format is 1, and there is one channel; a moment has 2 bytes of 16 bits.
    let format = [words(&[16, 1 | 1 << 16, 8000, 16_000]), vec![2, 0, 16, 0]].concat();
    [b"RIFF", &words(&[36 + 16])[..], b"WAVEfmt ", &format, b"data", &words(&[16, 1, 2, 3, 4])].concat()
}

const LINES: &[u8] = b"{\"text\":\"good\",\"label\":1}\n{\"text\":\"b\\u00f6s\",\"label\":0}\n";

const BOXES: &[u8] =
    b"{\"images\":[{\"id\":1,\"file_name\":\"image.png\"}],\"categories\":[{\"id\":3,\"name\":\"cat\"}],\
    \"annotations\":[{\"image_id\":1,\"category_id\":3,\"bbox\":[0.5,1,2,2e0]}]}";

/// Rows that `scripts/parquet_fixtures.py` wrote with pyarrow: numbers, texts, lists, bytes and times.
const PARQUET: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../burn-dataset/tests/datasets/huggingface/parquet/data/train-00001-of-00002.parquet"
));

/// Three images and their labels, as the files of MNIST are laid out.
fn mnist(dims: &[u32], values: Vec<u8>) -> Vec<u8> {
    let words = [0x0800 + dims.len() as u32].into_iter().chain(dims.iter().copied());
    words.flat_map(u32::to_be_bytes).chain(values).collect()
}

/// A grey image of 4 x 4, by the chunks of the PNG format, with a colour profile that unpacks to so many
/// zeros.
fn png(profile: usize) -> Vec<u8> {
    let chunk = |name: &[u8], content: &[u8]| {
        let named = [name, content].concat();
        [&(content.len() as u32).to_be_bytes()[..], &named, &crc32fast::hash(&named).to_be_bytes()].concat()
    };
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    // Each row begins with the number of its filter.
    std::io::Write::write_all(&mut zip, &[0, 1, 2, 3, 4].repeat(4)).expect("a vector can be written");
    let content = zip.finish().expect("a vector can be written");
    let head = chunk(b"IHDR", &[0, 0, 0, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0]);
    let mut zip = flate2::write::ZlibEncoder::new(b"p\0\0".to_vec(), flate2::Compression::best());
    for _ in 0..profile >> 20 {
        std::io::Write::write_all(&mut zip, &[0; 1 << 20]).expect("a vector can be written");
    }
    let profile = match profile {
        0 => Vec::new(),
        _ => chunk(b"iCCP", &zip.finish().expect("a vector can be written")),
    };
    [b"\x89PNG\r\n\x1a\n", &head[..], &profile, &chunk(b"IDAT", &content), &chunk(b"IEND", &[])].concat()
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let target = |name, file: &'static str, content: Vec<u8>, load: fn(&Path) -> Result<(), String>| {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be written");
        std::fs::write(path, content).expect("the folder can be written");
        Target::of_file(folder, name, file, None, load)
    };
    let images = mnist(&[3, 28, 28], vec![7; 3 * 28 * 28]);
    let rows = b"id,price,name\n1,2.5,a\n2,-1e9,\"b \"\"c\"\"\"\n3,inf,d\n".to_vec();
    let mut writer = SqliteDatasetWriter::new(folder.join("texts.db")).expect("the folder can be written");
    for label in 0..40 {
        let row = Labelled { text: "text ".repeat(label), label: label as i64 };
        writer.write("train", &row).expect("the folder can be written");
    }
    writer.finish().expect("the folder can be written");
    vec![
        Target::of_file(folder, "sqlite", "texts.db", None, load_sqlite),
        target("parquet", "parquet/train.parquet", PARQUET.to_vec(), |folder: &Path| {
            load_huggingface(&folder.join("parquet"))
        }),
        target("json lines of a hub", "json/train.jsonl", LINES.to_vec(), |folder: &Path| {
            load_huggingface(&folder.join("json"))
        }),
        target("packed json lines of a hub", "json-gz/train.jsonl.gz", pack(LINES), |folder: &Path| {
            load_huggingface(&folder.join("json-gz"))
        }),
        target(
            "csv of a hub",
            "csv/train.csv",
            b"text,label\ngood,1\n\"b,\",0\n".to_vec(),
            |folder: &Path| load_huggingface(&folder.join("csv")),
        ),
        target("json lines", "texts.jsonl", LINES.to_vec(), load_json_lines),
        target("wav", "sound.wav", wav(), load_wav),
        target("coco", "boxes.json", BOXES.to_vec(), load_coco),
        target("mnist images", "t10k-images-idx3-ubyte.gz", pack(&images), load_mnist),
        target("mnist labels", "t10k-labels-idx1-ubyte", mnist(&[3], vec![1, 2, 3]), load_mnist),
        target("csv", "rows.csv", rows, load_csv),
        target("png", "image.png", png(0), load_image),
        target("png profile", "profile/image.png", png(600 << 20), |folder| {
            load_image(&folder.join("profile"))
        }),
    ]
}

//! Datasets of the Hugging Face hub (DA-013): from folders, and from a hub on this machine.

use std::collections::HashMap;
use std::fmt::Debug;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use burn_dataset::source::HuggingfaceDatasetLoader;
use burn_dataset::{Dataset, DatasetError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A row of the files that `scripts/parquet_fixtures.py` writes.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Wide {
    text: String,
    label: i64,
    score: f32,
    weight: f64,
    good: Option<bool>,
    small: u8,
    large: u64,
    tags: Option<Vec<String>>,
    grid: Vec<Vec<f32>>,
    image: Image,
    raw: Vec<u8>,
    day: i32,
    time: i64,
    price: String,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Image {
    bytes: Vec<u8>,
    path: Option<String>,
}

/// Some columns of a file are enough.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Labelled {
    text: String,
    label: i64,
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/datasets/huggingface").join(path)
}

/// The rows of a split as Python has them.
fn expected<I: DeserializeOwned>(split: &str) -> Vec<I> {
    let lines = fs::read_to_string(fixture(&format!("json/{split}.jsonl"))).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A loader of a folder, whose databases are in another one.
fn loader(folder: &Path, databases: &Path) -> HuggingfaceDatasetLoader {
    HuggingfaceDatasetLoader::new("someone/something").with_folder(folder).with_base_dir(databases)
}

fn load<I: DeserializeOwned + Serialize + Clone + Debug>(
    loader: &HuggingfaceDatasetLoader,
    split: &str,
) -> Result<Vec<I>, DatasetError> {
    loader.dataset(split)?.try_iter().collect()
}

fn error(loader: &HuggingfaceDatasetLoader, split: &str) -> String {
    loader.dataset::<Labelled>(split).unwrap_err().to_string()
}

#[test]
fn da_013_parquet_files_are_the_rows_that_pyarrow_wrote() {
    let databases = tempfile::tempdir().unwrap();
    let loader = loader(&fixture("parquet"), databases.path());
    for split in ["train", "test"] {
        assert_eq!(load::<Wide>(&loader, split).unwrap(), expected::<Wide>(split), "{split}");
    }
    let train = loader.dataset::<Labelled>("training").unwrap();
    assert_eq!((train.len(), train.get(24).unwrap()), (25, Labelled { text: String::new(), label: 19 }));
}

#[test]
fn da_013_json_lines_and_csv_are_rows_too() {
    let folder = tempfile::tempdir().unwrap();
    let databases = tempfile::tempdir().unwrap();
    let json = loader(&fixture("json"), databases.path());
    let rows = load::<Wide>(&json, "train").unwrap();
    assert_eq!(rows, expected::<Wide>("train"));

    // A key that lines lack is nothing in them; numbers of CSV are numbers in all files or in none.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    struct Row {
        name: String,
        code: String,
        size: Option<f64>,
        count: Option<i32>,
        is_new: bool,
    }
    let row = |name: &str, code: &str, size, count, is_new| Row {
        name: name.to_owned(),
        code: code.to_owned(),
        size,
        count,
        is_new,
    };
    let rows = [
        row("a, \"b\"", "007", Some(1.0), Some(3), true),
        row("c\nd", "8", None, None, false),
        row("", "x9", Some(2.5), Some(-4), true),
    ];
    let first = "name,code,size,count,is_new\n\"a, \"\"b\"\"\",007,1,3,True\n\"c\nd\",8,,,False\n";
    fs::write(folder.path().join("train-0.csv"), first).unwrap();
    gzip(&folder.path().join("train-1.csv.gz"), "name,code,size,count,is_new\n,x9,2.5,-4,True\n");
    fs::write(folder.path().join("dev.tsv"), first.replace(',', "\t")).unwrap();
    let lines: Vec<String> = rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect();
    gzip(&folder.path().join("test.jsonl.gz"), &lines.concat().replace("\"size\":null,", ""));
    let loader = loader(folder.path(), databases.path());
    assert_eq!(load::<Row>(&loader, "train").unwrap(), rows);
    assert_eq!(load::<Row>(&loader, "test").unwrap(), rows);
    assert_eq!(load::<Row>(&loader, "validation").unwrap().len(), 2);
}

fn gzip(path: &Path, text: &str) {
    let mut encoder =
        flate2::write::GzEncoder::new(fs::File::create(path).unwrap(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap();
}

#[test]
fn da_013_a_database_is_kept_until_a_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let databases = tempfile::tempdir().unwrap();
    let loader = loader(folder.path(), databases.path());
    let write =
        |rows: &str| fs::write(folder.path().join("train.csv"), format!("text,label\n{rows}")).unwrap();
    let kept = || fs::read_dir(databases.path().join("someone--something")).unwrap().count();
    write("one,1\n");
    let first = loader.dataset::<Labelled>("train").unwrap();
    loader.dataset::<Labelled>("train").unwrap();
    assert_eq!(kept(), 1);
    write("one,1\ntwo,2\n");
    assert_eq!(load::<Labelled>(&loader, "train").unwrap()[1], Labelled { text: "two".to_owned(), label: 2 });
    assert_eq!((kept(), first.len(), first.get(0).unwrap().label), (2, 1, 1));
}

#[test]
fn da_013_an_environment_variable_names_an_offline_folder() {
    let name = "an_environment_variable_names_an_offline_folder";
    if std::env::var_os("RUN_AS_CHILD").is_some() {
        let rows = HuggingfaceDatasetLoader::new("parquet").dataset::<Wide>("test").unwrap();
        assert_eq!(rows.iter().collect::<Vec<_>>(), expected::<Wide>("test"));
        let error = HuggingfaceDatasetLoader::new("someone/else").dataset::<Wide>("test").unwrap_err();
        assert!(matches!(&error, DatasetError::Missing { .. }), "{error}");
        assert!(error.to_string().contains("the dataset `someone/else` was not found in"), "{error}");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([name, "--nocapture"]).env("RUN_AS_CHILD", "1").env("HOME", home.path());
    child.env("BURN_HUGGINGFACE_DIR", fixture("")).env_remove("BURN_HUGGINGFACE_CACHE");
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    let databases = home.path().join(".cache/burn-dataset/huggingface/parquet");
    assert_eq!(fs::read_dir(databases).unwrap().count(), 1);
}

#[test]
fn da_013_bad_files_are_errors_that_name_them_and_leave_no_database() {
    let read = |name: &str, content: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        let databases = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        let error = error(&loader(folder.path(), databases.path()), "train");
        let kept = fs::read_dir(databases.path().join("someone--something"));
        assert_eq!(kept.map_or(0, Iterator::count), 0, "{error}");
        assert!(error.contains(name), "{error}");
        error
    };
    let parquet = fs::read(fixture("parquet/data/test-00000-of-00001.parquet")).unwrap();
    let zstd = fs::read(fixture("zstd/train.parquet")).unwrap();
    for (name, content, expected) in [
        ("train.parquet", &b""[..], "is damaged"),
        ("train.parquet", b"text,label\n", "is damaged"),
        ("train.parquet", &parquet[..parquet.len() - 100], "is damaged"),
        ("train.parquet", &zstd, "it is compressed by zstd; expected snappy, gzip or nothing"),
        ("train.csv", b"", "it has no header"),
        ("train.csv", b"text,label\none\n", "record 1 (line: 2, byte: 11): found record with 1 fields"),
        ("train.csv", b"text,label\n\xff,2\n", "utf-8"),
        ("train.csv.gz", b"text,label\n", "gzip"),
        ("train.jsonl", b"{\"text\": \"a\", \"label\": 1}\n{\"text\": \n", "train.jsonl, line 2: "),
        ("train.jsonl", b"{\"text\": \"a\", \"label\": 1}\n3\n", "line 2 is not a JSON object"),
        ("train.json", b"[{\"text\": \"a\", \"label\": 1}]\n", "expected an object in each line"),
    ] {
        let error = read(name, content);
        assert!(error.contains(expected), "{expected} is not in: {error}");
    }
}

#[test]
fn da_013_what_is_not_there_is_named_with_what_is() {
    let folder = tempfile::tempdir().unwrap();
    let databases = tempfile::tempdir().unwrap();
    for file in ["en/train.csv", "fr/train.csv", "fr/test.csv"] {
        fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        fs::write(folder.path().join(file), format!("text,label\n{file},1\n")).unwrap();
    }
    let loader = loader(folder.path(), databases.path());
    assert!(error(&loader, "validation").contains("has no split `validation`; it has [\"test\", \"train\"]"));
    assert!(error(&loader, "train").contains("the split `train` in the subsets [\"en\", \"fr\"]"));
    let german = error(&loader.clone().with_subset("de"), "train");
    assert!(
        german.contains("has no subset `de` with the split `train`; it has [\"en\", \"fr\"]"),
        "{german}"
    );
    let french = load::<Labelled>(&loader.clone().with_subset("fr"), "train").unwrap();
    assert_eq!(french, [Labelled { text: "fr/train.csv".to_owned(), label: 1 }]);

    #[derive(Serialize, Deserialize, Clone, Debug)]
    struct Other {
        title: String,
    }
    let wrong = loader.with_subset("fr").dataset::<Other>("test").unwrap_err();
    assert!(matches!(&wrong, DatasetError::WrongItem { .. }), "{wrong}");
    assert!(wrong.to_string().contains("missing field `title`"), "{wrong}");
    for name in ["", "../x", "a/b/c", "a b", "a/.."] {
        let error = error(&HuggingfaceDatasetLoader::new(name).with_base_dir(databases.path()), "train");
        assert!(error.contains("A name is `owner/dataset`"), "{error}");
    }
}

#[test]
fn da_013_rows_above_the_limit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let databases = tempfile::tempdir().unwrap();
    // A megabyte of spaces is a kilobyte of gzip.
    gzip(&folder.path().join("train.csv.gz"), &format!("text,label\n{},1\n", " ".repeat(1 << 20)));
    let loader = loader(folder.path(), databases.path());
    let error = error(&loader.clone().with_size_limit(1 << 20), "train");
    assert!(error.contains("the rows of `train` have more than 1048576 bytes"), "{error}");
    assert_eq!(load::<Labelled>(&loader.with_size_limit(1 << 21), "train").unwrap()[0].text.len(), 1 << 20);
}

#[test]
fn da_013_damaged_parquet_files_are_read_or_refused() {
    // Panics of the decoder become errors; what they print is of no use here.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let good = fs::read(fixture("parquet/data/train-00000-of-00002.parquet")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let databases = tempfile::tempdir().unwrap();
    let mut random = burn_dataset::random::Generator::new(11);
    let mut refused = 0;
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                _ => drop(bytes.drain(at..(at + 8).min(bytes.len()))),
            }
        }
        fs::write(folder.path().join("train.parquet"), &bytes).unwrap();
        let loader = loader(folder.path(), databases.path()).with_size_limit(1 << 24);
        refused += usize::from(load::<Wide>(&loader, "train").is_err());
    }
    std::panic::set_hook(hook);
    assert!(refused > 100, "{refused}");
}

/// Reply of a hub at a path: status and content.
type Pages = HashMap<String, (u16, Vec<u8>)>;

/// Answers requests on this machine and returns its address and the paths that were asked for, with the
/// token.
fn hub(pages: impl FnOnce(&str) -> Pages) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (pages, asked) = (pages(&address), Arc::new(Mutex::new(Vec::new())));
    let requests = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let Some(first) = lines.next() else { continue };
            let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let path = first.split(' ').nth(1).unwrap().to_owned();
            let token = headers.iter().find_map(|line| line.split_once("Bearer ")).map(|(_, token)| token);
            requests.lock().unwrap().push(format!("{path} {}", token.unwrap_or("-")));
            let (status, content) = pages.get(&path).cloned().unwrap_or((404, Vec::new()));
            let length = content.len();
            let head =
                format!("HTTP/1.1 {status} Answer\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            // A client that has seen enough hangs up.
            let _ = stream.write_all(&[head.as_bytes(), &content].concat());
        }
    });
    (address, asked)
}

fn page(content: impl Into<Vec<u8>>) -> (u16, Vec<u8>) {
    (200, content.into())
}

#[test]
fn da_013_the_hub_is_asked_for_parquet_once() {
    let parts = ["train-00000-of-00002", "train-00001-of-00002"]
        .map(|part| fs::read(fixture(&format!("parquet/data/{part}.parquet"))).unwrap());
    let (address, asked) = hub(|address| {
        let url = |part: usize| format!("{address}/api/datasets/a/b/parquet/default/train/{part}.parquet");
        let list = serde_json::json!({"default": {"train": [url(0), url(1)]}, "other": {"train": []}});
        Pages::from([
            ("/api/datasets/a/b/parquet".to_owned(), page(list.to_string())),
            ("/api/datasets/a/b/parquet/default/train/0.parquet".to_owned(), page(&*parts[0])),
            ("/api/datasets/a/b/parquet/default/train/1.parquet".to_owned(), page(&*parts[1])),
        ])
    });
    let databases = tempfile::tempdir().unwrap();
    let loader = HuggingfaceDatasetLoader::new("a/b")
        .with_endpoint(&address)
        .with_huggingface_token("secret")
        .with_base_dir(databases.path());
    for _ in 0..2 {
        assert_eq!(load::<Wide>(&loader, "train").unwrap(), expected::<Wide>("train"));
    }
    let expected = ["", "/default/train/0.parquet", "/default/train/1.parquet"];
    let expected = expected.map(|path| format!("/api/datasets/a/b/parquet{path} secret"));
    assert_eq!(*asked.lock().unwrap(), expected);
    let other = error(&loader, "test");
    assert!(other.contains("/datasets/a/b has no split `test`; it has [\"train\"]"), "{other}");
}

#[test]
fn da_013_files_of_a_revision_are_those_of_its_authors() {
    let (address, asked) = hub(|_| {
        let files = ["README.md", "en us/train 1.csv", "../train.csv", "fr/train.csv"];
        let siblings: Vec<_> = files.iter().map(|file| serde_json::json!({"rfilename": file})).collect();
        let list = serde_json::json!({"siblings": siblings}).to_string();
        Pages::from([
            ("/api/datasets/b/revision/refs/pr/1".to_owned(), page(list)),
            ("/datasets/b/resolve/refs%2Fpr%2F1/en%20us/train%201.csv".to_owned(), page("text,label\na,1\n")),
        ])
    });
    let databases = tempfile::tempdir().unwrap();
    let loader = HuggingfaceDatasetLoader::new("b")
        .with_endpoint(&format!("{address}/"))
        .with_revision("refs/pr/1")
        .with_base_dir(databases.path());
    let several = error(&loader, "train");
    assert!(
        several.contains("/datasets/b has the split `train` in the subsets [\"en us\", \"fr\"]"),
        "{several}"
    );
    let rows = load::<Labelled>(&loader.with_subset("en us"), "train").unwrap();
    assert_eq!(rows, [Labelled { text: "a".to_owned(), label: 1 }]);
    assert_eq!(asked.lock().unwrap().len(), 3, "two lists and a file");
}

#[test]
fn da_013_what_the_hub_refuses_is_an_error_with_a_way_out() {
    let (address, asked) = hub(|address| {
        let list = |dataset: &str| {
            let url = format!("{address}/files/{dataset}.parquet");
            page(serde_json::json!({"default": {"train": [url]}}).to_string())
        };
        Pages::from([
            ("/api/datasets/gated/parquet".to_owned(), (401, Vec::new())),
            ("/api/datasets/busy/parquet".to_owned(), (503, Vec::new())),
            ("/api/datasets/odd/parquet".to_owned(), page("<html>")),
            ("/api/datasets/gone/parquet".to_owned(), list("gone")),
            ("/api/datasets/large/parquet".to_owned(), list("large")),
            ("/files/large.parquet".to_owned(), page(vec![0; 2000])),
        ])
    });
    let databases = tempfile::tempdir().unwrap();
    for (name, expected) in [
        ("gated", "private, gated or not there (401"),
        ("busy", "the hub answers 503"),
        ("odd", "the answer is not as the hub answers"),
        ("gone", "the hub answers 404"),
        ("nobody/nothing", "the hub has no such dataset or revision"),
        ("large", "the files of the split have more than 1000 bytes"),
    ] {
        let loader = HuggingfaceDatasetLoader::new(name)
            .with_endpoint(&address)
            .with_base_dir(databases.path())
            .with_size_limit(1000);
        let error = error(&loader, "train");
        assert!(error.contains(expected), "{expected} is not in: {error}");
        let is_of_hub =
            error.starts_with("cannot download http://") && error.contains("BURN_HUGGINGFACE_DIR");
        assert!(is_of_hub || name == "large", "{error}");
    }
    assert!(asked.lock().unwrap().iter().all(|request| request.ends_with(" -")));
    let files = fs::read_dir(databases.path()).unwrap().flat_map(|folder| walk(&folder.unwrap().path()));
    assert_eq!(files.collect::<Vec<_>>(), Vec::<PathBuf>::new());
    let nobody = HuggingfaceDatasetLoader::new("a").with_endpoint("http://127.0.0.1:9");
    assert!(
        error(&nobody.with_base_dir(databases.path()), "train")
            .starts_with("cannot download http://127.0.0.1:9/")
    );
}

/// The files in and below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

//! Published datasets in the folders that environment variables name, laid out as their archives are, and
//! without them.

use burn_dataset::text::{AgNewsDataset, ArticleSplit, DbPediaDataset};
use burn_dataset::vision::{
    Cifar10Dataset, Cifar100Dataset, CifarSplit, FashionMnistDataset, MnistDataset, MnistSplit,
};
use burn_dataset::{Dataset, DatasetError};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A file in which the child says what it found.
const REPORT: &str = "BURN_DATASET_TEST_REPORT";

/// A dataset: its variable, and the files of its archive with what they hold.
struct Published {
    variable: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
}

/// Numbers in the format of MNIST, compressed as they are published.
fn idx(dims: &[u32], values: &[u8]) -> Vec<u8> {
    let words = [0x0800 + dims.len() as u32].into_iter().chain(dims.iter().copied());
    let content: Vec<u8> = words.flat_map(u32::to_be_bytes).chain(values.iter().copied()).collect();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&content).unwrap();
    gzip.finish().unwrap()
}

fn mnist(variable: &'static str) -> Published {
    let images = |count: u32| idx(&[count, 28, 28], &vec![7; count as usize * 784]);
    let files = vec![
        ("train-images-idx3-ubyte.gz", images(3)),
        ("train-labels-idx1-ubyte.gz", idx(&[3], &[5, 0, 4])),
        ("t10k-images-idx3-ubyte.gz", images(2)),
        ("t10k-labels-idx1-ubyte.gz", idx(&[2], &[7, 2])),
    ];
    Published { variable, files }
}

fn articles(variable: &'static str) -> Published {
    let files = vec![
        ("train.csv", b"\"3\",\"Oil\",\"Prices rise\"\n\"1\",\"Vote\",\"It is close\"\n".to_vec()),
        ("test.csv", b"\"2\",\"Final\",\"One to nil\"\n".to_vec()),
    ];
    Published { variable, files }
}

fn published() -> [Published; 6] {
    let cifar10 = |label: u8| [vec![label], vec![9; 3072]].concat();
    let cifar100 = |fine: u8| [vec![1, fine], vec![9; 3072]].concat();
    let batches = [
        "cifar-10-batches-bin/data_batch_1.bin",
        "cifar-10-batches-bin/data_batch_2.bin",
        "cifar-10-batches-bin/data_batch_3.bin",
        "cifar-10-batches-bin/data_batch_4.bin",
        "cifar-10-batches-bin/data_batch_5.bin",
        "cifar-10-batches-bin/test_batch.bin",
    ];
    [
        mnist("BURN_MNIST_DIR"),
        mnist("BURN_FASHION_MNIST_DIR"),
        Published {
            variable: "BURN_CIFAR10_DIR",
            files: batches.into_iter().zip((1..).map(cifar10)).collect(),
        },
        Published {
            variable: "BURN_CIFAR100_DIR",
            files: vec![
                ("cifar-100-binary/train.bin", [cifar100(98), cifar100(99)].concat()),
                ("cifar-100-binary/test.bin", cifar100(0)),
            ],
        },
        articles("BURN_AG_NEWS_DIR"),
        articles("BURN_DBPEDIA_DIR"),
    ]
}

/// How many items there are, and the label of the last one; or the error.
fn last<I, D: Dataset<I>>(dataset: Result<D, DatasetError>, label: impl Fn(I) -> usize) -> String {
    match dataset {
        Ok(dataset) => {
            format!("{} items, the last of class {}", dataset.len(), label(dataset.iter().last().unwrap()))
        }
        Err(error) => error.to_string(),
    }
}

/// Opens all of them, as programs do, and writes what it found.
fn write_report(path: &str) {
    let mut lines = vec![
        last(MnistDataset::try_train(), |item| item.label.into()),
        last(MnistDataset::try_test(), |item| item.label.into()),
    ];
    for split in [MnistSplit::Train, MnistSplit::Test] {
        lines.push(last(FashionMnistDataset::open(split), |item| item.label.into()));
    }
    for split in [CifarSplit::Train, CifarSplit::Test] {
        lines.push(last(Cifar10Dataset::open(split), |item| item.label.into()));
    }
    for split in [CifarSplit::Train, CifarSplit::Test] {
        lines.push(last(Cifar100Dataset::open(split), |item| item.fine_label.into()));
    }
    for split in [ArticleSplit::Train, ArticleSplit::Test] {
        lines.push(last(AgNewsDataset::open(split), |item| item.label));
    }
    for split in [ArticleSplit::Train, ArticleSplit::Test] {
        lines.push(last(DbPediaDataset::open(split), |item| item.label));
    }
    fs::write(path, lines.join("\n")).unwrap();
}

/// Runs a test once more, with variables that name a folder each below `root`, and returns the lines of its
/// report.
fn report(test: &str, root: &Path) -> Vec<String> {
    let path = root.join("report");
    let variables = published().map(|set| (set.variable, root.join(set.variable)));
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("published::{test}"), "--test-threads=1"])
        .env(REPORT, &path)
        .envs(variables)
        .status()
        .unwrap();
    assert!(status.success());
    fs::read_to_string(path).unwrap().lines().map(str::to_string).collect()
}

#[test]
fn every_published_set_is_read_from_the_folder_of_its_variable() {
    if let Ok(path) = env::var(REPORT) {
        return write_report(&path);
    }
    let root = tempfile::tempdir().unwrap();
    for set in published() {
        for (file, content) in set.files {
            let path = root.path().join(set.variable).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }
    let expected: [(usize, usize); 12] =
        [(3, 4), (2, 2), (3, 4), (2, 2), (5, 5), (1, 6), (2, 99), (1, 0), (2, 0), (1, 1), (2, 0), (1, 1)];
    let expected = expected.map(|(items, class)| format!("{items} items, the last of class {class}"));
    let test = "every_published_set_is_read_from_the_folder_of_its_variable";
    assert_eq!(report(test, root.path()), expected);
}

#[test]
fn a_published_set_that_is_not_there_says_which_file_is_looked_for_where_and_how_to_get_it() {
    if let Ok(path) = env::var(REPORT) {
        return write_report(&path);
    }
    let root = tempfile::tempdir().unwrap();
    for set in published() {
        fs::create_dir(root.path().join(set.variable)).unwrap();
    }
    let sets = published();
    let test = "a_published_set_that_is_not_there_says_which_file_is_looked_for_where_and_how_to_get_it";
    for (at, error) in report(test, root.path()).iter().enumerate() {
        let set = &sets[at / 2];
        assert!(error.contains("was not found in"), "{error}");
        let folder = root.path().join(set.variable);
        assert!(error.contains(folder.to_str().unwrap()), "{error}");
        assert!(
            error.contains("https://") || error.contains("http://") || error.contains("Unpack"),
            "{error}"
        );
    }
}

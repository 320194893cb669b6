//! The programs on the definitions.

#[path = "../examples/text-classification-infer.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod inference;
#[path = "../examples/text-classification.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod training;

use burn::data::dataset::Dataset;
use clap::Parser;
use text_classification::corpus::Corpus;

#[test]
fn ex_015_a_transformer_learns_what_definitions_define_and_classifies_other_texts() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["text-classification", "--epochs", "2", "--artifacts", artifacts];
    let (corpus, summary) = training::train_and_test(&training::Args::parse_from(arguments)).unwrap();
    assert_eq!((corpus.train.len(), corpus.valid.len(), corpus.test.len()), (3840, 480, 480));
    // The threshold and the trivial predictor of the README.
    let (accuracy, trivial) = (summary.value("Accuracy").unwrap(), 100.0 * corpus.majority_accuracy());
    assert!(accuracy > 50.0 && trivial < 20.0, "{summary}\n{trivial}");
    for file in ["config.json", "tokenizer.json", "model.mpk", "valid/epoch-2/Accuracy.log"] {
        assert!(folder.path().join(file).is_file(), "{file} is missing");
    }

    // The program of inference has the accuracy of the training program.
    let tests: Vec<_> = corpus.test.iter().collect();
    let texts = tests.iter().map(|article| format!("{}: {}", article.title, article.text));
    let arguments = ["infer", "--artifacts", artifacts].map(str::to_owned).into_iter().chain(texts);
    let predictions = inference::classify(&inference::Args::parse_from(arguments)).unwrap();
    let right =
        tests.iter().zip(&predictions).filter(|(test, said)| corpus.classes[test.label] == said.class);
    let right = 100.0 * right.count() as f64 / tests.len() as f64;
    // Batches of other lengths differ in rounding alone, which may turn a tie.
    assert!((right - accuracy).abs() < 1.0, "{right} and {accuracy}");
    assert!(predictions.iter().all(|said| (1.0 / 8.0..=1.0).contains(&said.probability)));
}

#[test]
fn the_full_sets_are_read_from_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["train.csv", "test.csv"] {
        let rows: String =
            (0..18).map(|row| format!("\"{}\",\"title {row}\",\"text\"\n", row % 4 + 1)).collect();
        std::fs::write(folder.path().join(file), rows).unwrap();
    }
    for corpus in [Corpus::ag_news(Some(folder.path()), 1), Corpus::db_pedia(Some(folder.path()), 1)] {
        let corpus = corpus.unwrap();
        assert_eq!((corpus.train.len(), corpus.valid.len(), corpus.test.len()), (16, 2, 18));
    }
    let error = Corpus::ag_news(Some(&folder.path().join("nowhere")), 1).unwrap_err().to_string();
    assert!(error.contains("train.csv was not found in") && error.contains("BURN_AG_NEWS_DIR"), "{error}");
}

#[test]
fn a_folder_without_a_run_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let error = inference::classify(&inference::Args::parse_from(["infer", "--artifacts", artifacts]));
    assert!(error.unwrap_err().to_string().contains("config.json"));
}

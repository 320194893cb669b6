//! The example at its full size, which takes a second.

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use custom_csv_dataset::{PatientsDataset, embedded_file, regression};

#[test]
fn ex_005_a_linear_model_of_the_rows_of_a_csv_file_beats_their_mean() {
    let patients = PatientsDataset::open(&embedded_file()).expect("the file is part of the example");
    assert_eq!(patients.len(), 442);
    assert_eq!(patients.get(0).map(|row| (row.age, row.bmi, row.progression)), Some((59, 32.1, 151.0)));
    let (_, evaluation) =
        regression::fit::<Autodiff<NdArray>>(patients, 60, 42, &Default::default()).expect("it can be split");
    assert_eq!(evaluation.patients, 88);
    // The threshold of the README; the mean of the training set explains nothing.
    assert!(evaluation.explained() > 0.3, "{evaluation:?}");
}

#[test]
fn a_row_of_another_width_or_type_is_named_by_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("patients.tsv");
    let text = std::fs::read_to_string(embedded_file()).expect("the file is part of the example");
    let lines: Vec<&str> = text.lines().take(3).collect();
    for (second, expected) in [
        (lines[2].rsplit_once('\t').unwrap().0.to_owned(), "line: 3"),
        (lines[2].replacen('4', "x", 1), "line: 3"),
    ] {
        std::fs::write(&path, [lines[0], lines[1], &second].join("\n")).expect("a file");
        let error = PatientsDataset::open(&path).expect_err("the row is wrong").to_string();
        assert!(error.contains("patients.tsv") && error.contains(expected), "{error}");
    }
    let error = PatientsDataset::open(&folder.path().join("nowhere.tsv")).expect_err("no file").to_string();
    assert!(error.contains("nowhere.tsv"), "{error}");
}

//! Errors as `main` and `unwrap` print them: `Debug` is the message with its causes.

use crate::given::float;
use burn::config::{Config, ConfigError};
use burn::data::dataset::{DatasetError, InMemDataset};
use burn::record::RecordError;
use burn::tensor::TensorData;
use std::error::Error;

#[derive(Config, Debug)]
struct Settings {
    rate: f64,
}

/// Asserts that `Debug` begins with the message, names no variant, and has each cause once.
#[track_caller]
fn is_a_message(error: &dyn Error) {
    let (text, message) = (format!("{error:?}"), error.to_string());
    assert!(text.starts_with(&message), "`{text}` begins with `{message}`");
    let mut cause = error.source();
    while let Some(error) = cause {
        assert_eq!(text.matches(&error.to_string()).count(), 1, "`{error}` once in `{text}`");
        cause = error.source();
    }
}

#[test]
fn errors_print_as_their_message() {
    let config: ConfigError = Settings::load("missing/settings.json").unwrap_err();
    is_a_message(&config);
    let record = RecordError::Format { recorder: "BinFileRecorder", cause: "it ends early".into() };
    assert_eq!(format!("{record:?}"), "BinFileRecorder: it ends early");
    let tensor = float::<1>([1.0]).try_reshape::<1, _>([2]).unwrap_err();
    is_a_message(&tensor);
    assert!(!format!("{tensor:?}").contains("Failure"));
    let cause = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
    let dataset = DatasetError::Io { path: "a/b.csv".into(), source: cause };
    assert_eq!(format!("{dataset:?}"), "a/b.csv: no such file");
    let item = DatasetError::Item { index: 3, source: Box::new(dataset) };
    is_a_message(&item);
    let result: Result<InMemDataset<i32>, DatasetError> = Err(item);
    assert_eq!(format!("{result:?}"), "Err(the item at index 3: a/b.csv: no such file)");
}

#[test]
fn tc_001_to_vec_of_another_type_names_what_reads_it() {
    let data = TensorData::from([1.0_f32, 2.0]);
    let message = data.to_vec::<f64>().unwrap_err().to_string();
    for part in ["to_vec: ", "expected f64, got f32", "`iter::<f64>()`", "`convert::<f64>()`"] {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
    assert!(data.as_slice::<i64>().unwrap_err().to_string().starts_with("as_slice: "));
    assert!(data.clone().into_vec::<f64>().unwrap_err().to_string().starts_with("into_vec: "));
    assert!(data.clone().as_mut_slice::<f64>().unwrap_err().to_string().starts_with("as_mut_slice: "));
    assert_eq!(data.iter::<f64>().collect::<Vec<_>>(), [1.0, 2.0]);
}

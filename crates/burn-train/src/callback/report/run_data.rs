//! The figures of a run inside of its page, from which pages about several runs are made.

use crate::history::MetricHistory;
use crate::logger::LogError;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::Path;

/// Figures of one run in a page about several runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunData {
    pub(super) model: String,
    pub(super) started: String,
    /// The last epoch, and the number of them.
    pub(super) epochs: (usize, usize),
    /// The best epoch, as text.
    pub(super) best: Option<String>,
    /// The text of `config.json`.
    pub(super) config: Option<String>,
    pub(super) history: MetricHistory,
}

/// The most bytes of a page that are read.
const LARGEST_PAGE: u64 = 64 << 20;

const BEGIN: &str = "<script type=\"application/json\" id=\"run\">";
const END: &str = "</script>";

impl RunData {
    /// Returns the element of the page that holds the figures.
    pub(super) fn element(&self) -> String {
        // No text of the run can end the element.
        let json = serde_json::to_string(self).expect("figures and texts are JSON").replace('<', "\\u003c");
        format!("{BEGIN}{json}{END}\n")
    }

    /// Reads the figures of a page.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a report.
    pub(super) fn read(page: &Path) -> Result<Self, LogError> {
        let io = |source| LogError::Io { path: page.to_path_buf(), source };
        let invalid = |reason: String| io(io::Error::new(io::ErrorKind::InvalidData, reason));
        let mut text = String::new();
        burn_io::open_file(page)
            .and_then(|file| file.take(LARGEST_PAGE).read_to_string(&mut text))
            .map_err(io)?;
        let json = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
        let (json, _) = json.ok_or_else(|| invalid("expected a report of a run, found no figures".into()))?;
        serde_json::from_str(json).map_err(|cause| invalid(format!("expected figures of a run: {cause}")))
    }
}

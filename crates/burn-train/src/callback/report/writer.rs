use super::html::{STYLE, color, escape, table};
use super::svg::{Series, chart};
use crate::Split;
use crate::callback::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};
use crate::history::{Curve, MetricHistory};
use crate::logger::LogError;
use crate::metric::NumericEntry;
use crate::renderer::MetricState;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes a page with the curves of all numeric metrics and the table of their extremes, `report.html` in the artifact folder.
///
/// The page is one file that opens in any browser, without a network. It is written anew after every epoch and replaced in one
/// step. Curves by epoch go back to the first epoch of the run; those by batch begin where this process began, thinned out to
/// about a thousand points.
#[derive(Debug, Default)]
pub struct HtmlReport {
    path: PathBuf,
    title: String,
    facts: String,
    batches: Vec<(String, Curve)>,
    texts: Vec<(Split, String, String)>,
}

impl HtmlReport {
    /// Writes to `report.html` in the artifact folder.
    pub fn new() -> Self {
        Self { path: PathBuf::from("report.html"), ..Self::default() }
    }

    fn keep(&mut self, split: Split, step: u64, state: &MetricState) {
        match state {
            MetricState::Generic(entry) => {
                let same = |text: &&mut (Split, String, String)| text.0 == split && text.1 == entry.name;
                match self.texts.iter_mut().find(same) {
                    Some(text) => text.2.clone_from(&entry.formatted),
                    None => self.texts.push((split, entry.name.clone(), entry.formatted.clone())),
                }
            }
            MetricState::Numeric(entry, value) if split == Split::Train => {
                let alone: Option<NumericEntry> = entry.serialized.parse().ok();
                let value = alone.map_or(*value, |batch| batch.value);
                let at = self.batches.iter().position(|(name, _)| *name == entry.name).unwrap_or_else(|| {
                    self.batches.push((entry.name.clone(), Curve::new()));
                    self.batches.len() - 1
                });
                self.batches[at].1.push(step as f64, value);
            }
            MetricState::Numeric(..) => {}
        }
    }

    fn write(&self, epoch: usize, epochs: usize, history: &MetricHistory) -> Result<(), LogError> {
        let page = self.page(epoch, epochs, history);
        let write = &mut |file: &mut dyn std::io::Write| file.write_all(page.as_bytes());
        burn_io::write_atomic(&self.path, write)
            .map_err(|source| LogError::Io { path: self.path.clone(), source })
    }

    fn page(&self, epoch: usize, epochs: usize, history: &MetricHistory) -> String {
        let title = escape(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             <h1>{title}</h1>\n<p>{}, epoch {epoch} of {epochs}</p>\n{}<h2>Curves</h2>\n<section>\n",
            escape(&self.facts),
            table(history)
        );
        for name in names(history) {
            let of_split = |split: Split| Series {
                name: split.folder(),
                color: color(split),
                points: history
                    .epochs(split, name)
                    .map(|(epoch, stats)| (epoch as f64, stats.mean))
                    .collect(),
            };
            let series = [of_split(Split::Train), of_split(Split::Valid)];
            page.extend(chart(name, "epoch", &series));
            if let Some((_, curve)) = self.batches.iter().find(|(other, _)| other == name) {
                let points = curve.full();
                let series = [Series { name: "train", color: color(Split::Train), points }];
                page.extend(chart(&format!("{name}, by batch"), "training batch", &series));
            }
        }
        page.push_str("</section>\n");
        for (split, name, text) in &self.texts {
            let _ = writeln!(page, "<h2>{} ({split})</h2>\n<pre>{}</pre>", escape(name), escape(text));
        }
        page.push_str("</html>\n");
        page
    }
}

/// Returns the names of the numeric metrics of both phases, each once.
fn names(history: &MetricHistory) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in [Split::Train, Split::Valid].into_iter().flat_map(|split| history.names(split)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl TrainingCallback for HtmlReport {
    fn on_train_start(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        self.path = run.artifacts.join(&self.path);
        let folder = run.artifacts.file_name().map(Path::new).unwrap_or(run.artifacts);
        self.title = format!("{}: {}", run.model, folder.display());
        self.facts = format!("{} parameters", run.parameters);
        Ok(())
    }

    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        batch.metrics.iter().for_each(|state| self.keep(batch.split, batch.step, state));
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        Ok(self.write(epoch.epoch, epoch.epoch_total, epoch.history)?)
    }
}

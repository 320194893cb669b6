use super::html::{CONTROLS, color, end, escape, facts, number, page, table};
use super::run_data::RunData;
use super::svg::{Chart, Series};
use super::test_results;
use super::time::{duration, utc};
use crate::Split;
use crate::callback::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};
use crate::history::{Aggregate, Curve, Direction, MetricHistory, TrackedMetric};
use crate::logger::LogError;
use crate::metric::NumericEntry;
use crate::renderer::MetricState;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// Writes a page with the curves of all numeric metrics and the table of their extremes, `report.html` in the
/// artifact folder.
///
/// The page is one file that opens in any browser, without a network. It is written anew after every epoch
/// and at the end, and replaced in one step. It has the model, its device, date and duration, the learning
/// rate, the best epoch, and the file `config.json` of the artifact folder, if that is there; the values
/// under the pointer, smoothing, and a logarithmic scale where values differ by more than tenfold. Curves by
/// epoch go back to the first epoch of the run; those by batch begin where this process began, thinned out to
/// about a thousand points.
///
/// [`EvaluatorBuilder::html_report`](crate::EvaluatorBuilder::html_report) adds the results of a test split,
/// and [`compare_runs`](super::compare_runs) writes a page about the runs of a folder.
#[derive(Debug, Default)]
pub struct HtmlReport {
    path: PathBuf,
    run: Run,
    lr: Option<f64>,
    /// The last epoch, and the number of them.
    epoch: Option<(usize, usize)>,
    batches: Vec<(String, Curve)>,
    texts: Vec<(Split, String, String)>,
    units: Vec<(String, String)>,
}

/// Facts that are known when the run begins.
#[derive(Debug)]
struct Run {
    model: String,
    folder: String,
    parameters: usize,
    device: String,
    tracked: TrackedMetric,
    config: Option<String>,
    date: SystemTime,
    begin: Instant,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            model: String::new(),
            folder: String::new(),
            parameters: 0,
            device: String::new(),
            tracked: TrackedMetric::new("Loss", Aggregate::Mean, Direction::Lowest, Split::Valid),
            config: None,
            date: SystemTime::now(),
            begin: Instant::now(),
        }
    }
}

/// The most bytes of a configuration that are shown.
const LONGEST_CONFIG: u64 = 1 << 16;

impl HtmlReport {
    /// Writes to `report.html` in the artifact folder.
    pub fn new() -> Self {
        Self { path: PathBuf::from("report.html"), ..Self::default() }
    }

    fn keep(&mut self, split: Split, step: u64, state: &MetricState) {
        if let MetricState::Numeric(entry, _) = state {
            let unit = entry.formatted.split_once(' ').filter(|(number, _)| number.parse::<f64>().is_ok());
            if let (Some((_, unit)), true) = (unit, self.units.iter().all(|(name, _)| *name != entry.name)) {
                self.units.push((entry.name.clone(), unit.to_string()));
            }
        }
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
        let Run { model, folder, parameters, device, tracked, config, date, begin } = &self.run;
        let best = tracked.best_epoch(history, 1..=epoch);
        let mut rows = vec![
            ("Model", format!("{model}, {parameters} parameters")),
            ("Device", device.clone()),
            ("Epochs", format!("{epoch} of {epochs}")),
            ("Started", utc(*date)),
            ("Duration", duration(begin.elapsed())),
        ];
        rows.extend(self.lr.map(|lr| ("Learning rate", format!("{lr:e}"))));
        let best_text = best.and_then(|best| {
            let value = number(tracked.value(history, best)?);
            Some(format!("{best} ({} {} {value})", tracked.split, tracked.name))
        });
        rows.extend(best_text.clone().map(|text| ("Best epoch", text)));
        let mut body = facts(&rows);
        body += &test_results::empty();
        if let Some(config) = config {
            let config = escape(config);
            let _ = writeln!(body, "<details><summary>Configuration</summary><pre>{config}</pre></details>");
        }
        let _ = write!(body, "<h2>Metrics</h2>\n{}<h2>Curves</h2>\n{CONTROLS}<section>\n", table(history));
        for name in names(history) {
            body += &self.charts(name, history, best);
        }
        body.push_str("</section>\n");
        for (split, name, text) in &self.texts {
            let _ = writeln!(body, "<h2>{} ({split})</h2>\n<pre>{}</pre>", escape(name), escape(text));
        }
        let data = RunData {
            model: model.clone(),
            started: utc(*date),
            epochs: (epoch, epochs),
            best: best_text,
            config: config.clone(),
            history: history.clone(),
        };
        body += &data.element();
        body += &end();
        page(&format!("{model}: {folder}"), &body)
    }

    /// Returns the chart of a metric by epoch, and that by batch.
    fn charts(&self, name: &str, history: &MetricHistory, best: Option<usize>) -> String {
        let of_split = |split: Split| Series {
            name: split.folder().to_string(),
            color: color(split),
            points: history.epochs(split, name).map(|(epoch, stats)| (epoch as f64, stats.mean)).collect(),
        };
        let series = [of_split(Split::Train), of_split(Split::Valid)];
        let unit = self.units.iter().find(|(other, _)| other == name);
        let title = unit.map_or(name.to_string(), |(_, unit)| format!("{name} ({unit})"));
        let best = best.map(|best| best as f64);
        let by_epoch = Chart { title: &title, x_name: "epoch", series: &series, best, has_legend: true };
        let mut charts: String = by_epoch.draw().into_iter().collect();
        if let Some((_, curve)) = self.batches.iter().find(|(other, _)| other == name) {
            let series =
                [Series { name: "train".to_string(), color: color(Split::Train), points: curve.full() }];
            let title = format!("{title}, by batch");
            let x_name = "training batch";
            let by_batch = Chart { title: &title, x_name, series: &series, best: None, has_legend: true };
            charts.extend(by_batch.draw());
        }
        charts
    }
}

/// Reads the configuration that programs save beside their artifacts, if there is one.
fn read_config(folder: &Path) -> Option<String> {
    let mut text = String::new();
    let file = burn_io::open_file(&folder.join("config.json")).ok()?;
    file.take(LONGEST_CONFIG).read_to_string(&mut text).ok()?;
    Some(text)
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
        self.run = Run {
            model: run.model.to_string(),
            folder: folder.display().to_string(),
            parameters: run.parameters,
            device: run.device.to_string(),
            config: read_config(run.artifacts),
            ..Run::default()
        };
        if let Some(tracked) = run.tracked {
            self.run.tracked = tracked.clone();
        }
        Ok(())
    }

    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        self.lr = batch.lr.or(self.lr);
        batch.metrics.iter().for_each(|state| self.keep(batch.split, batch.step, state));
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        self.epoch = Some((epoch.epoch, epoch.epoch_total));
        Ok(self.write(epoch.epoch, epoch.epoch_total, epoch.history)?)
    }

    fn on_train_end(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        match self.epoch {
            Some((epoch, epochs)) => Ok(self.write(epoch, epochs, run.history)?),
            None => Ok(()),
        }
    }
}

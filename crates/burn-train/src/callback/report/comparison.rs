//! A page about several runs.

use super::html::{CONTROLS, end, escape, number, page};
use super::run_data::RunData;
use super::svg::{Chart, Series};
use crate::Split;
use crate::history::MetricHistory;
use crate::logger::LogError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Colors of curves, in the order of the runs; they differ in lightness too.
const COLORS: [&str; 8] =
    ["#2a7fb8", "#d1495b", "#3a9d5d", "#b8860b", "#7b4fa3", "#4d4d4d", "#d67ab1", "#5bb8b0"];

/// Writes a page that compares runs: `runs.html` in `folder`, from the [reports](super::HtmlReport) of the
/// artifact folders in it. Returns the path of the page.
///
/// It has the curves of each metric of all runs, their best epochs and last values, and the values of
/// `config.json` in which they differ.
///
/// ```no_run
/// use burn::train::callback::compare_runs;
///
/// // artifacts/first/report.html, artifacts/second/report.html, ..
/// let page = compare_runs("artifacts")?;
/// println!("{}", page.display());
/// # Ok::<(), burn::train::logger::LogError>(())
/// ```
///
/// # Errors
/// If the folder or a report cannot be read, or the page cannot be written.
pub fn compare_runs(folder: impl AsRef<Path>) -> Result<PathBuf, LogError> {
    let folder = folder.as_ref();
    let runs = read(folder)?;
    let path = folder.join("runs.html");
    let text = comparison(&runs);
    burn_io::write_atomic(&path, &mut |file: &mut dyn std::io::Write| file.write_all(text.as_bytes()))
        .map_err(|source| LogError::Io { path: path.clone(), source })?;
    Ok(path)
}

/// The runs in a folder by their names.
fn read(folder: &Path) -> Result<BTreeMap<String, RunData>, LogError> {
    let io = |source| LogError::Io { path: folder.to_path_buf(), source };
    let mut runs = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        let report = entry.path().join("report.html");
        if report.is_file() {
            runs.insert(entry.file_name().to_string_lossy().into_owned(), RunData::read(&report)?);
        }
    }
    Ok(runs)
}

fn comparison(runs: &BTreeMap<String, RunData>) -> String {
    let curves = curves(runs);
    let body = format!(
        "{}{}<h2>Curves</h2>\n{CONTROLS}<section>\n{curves}</section>\n{}",
        run_table(runs),
        settings_table(runs),
        end()
    );
    page("Comparison of runs", &body)
}

fn color(at: usize) -> &'static str {
    COLORS[at % COLORS.len()]
}

/// Names of the metrics of a phase in any of the runs.
fn names(runs: &BTreeMap<String, RunData>, split: Split) -> BTreeSet<&str> {
    runs.values().flat_map(|run| run.history.names(split)).collect()
}

fn last(history: &MetricHistory, split: Split, name: &str) -> Option<f64> {
    history.epochs(split, name).last().map(|(_, stats)| stats.mean)
}

/// Returns the table of the runs: a color, a link, the best epoch and the last values of validation.
fn run_table(runs: &BTreeMap<String, RunData>) -> String {
    let metrics = names(runs, Split::Valid);
    let mut table = "<h2>Runs</h2>\n<div class=\"wide\">\n<table>\n<tr><th>Run</th><th>Started</th><th>Epochs</th><th>Best epoch</th>"
        .to_string();
    metrics.iter().for_each(|name| table += &format!("<th>Valid {}, last</th>", escape(name)));
    table.push_str("</tr>\n");
    for (at, (name, run)) in runs.iter().enumerate() {
        let (RunData { started, epochs, best, history, .. }, link, name) = (run, link(name), escape(name));
        let best = best.as_deref().map_or("-".into(), escape);
        let _ = write!(
            table,
            "<tr><td><span class=\"swatch\" style=\"background:{}\"></span> <a href=\"{link}\">{name}</a></td><td>{}</td><td>{} of {}</td>\
             <td>{best}</td>",
            color(at),
            escape(started),
            epochs.0,
            epochs.1
        );
        for metric in &metrics {
            let value = last(history, Split::Valid, metric).map_or("-".to_string(), number);
            let _ = write!(table, "<td>{value}</td>");
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</table>\n</div>\n");
    table
}

/// Returns the relative address of the report of a run.
fn link(run: &str) -> String {
    let path = run.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
    // With the dot no name is that of a protocol.
    escape(&format!("./{path}/report.html"))
}

/// Returns the table of the values of `config.json` that are not the same in all runs.
fn settings_table(runs: &BTreeMap<String, RunData>) -> String {
    let of_run = |run: &RunData| {
        let mut settings = BTreeMap::new();
        let config = run.config.as_deref().and_then(|text| serde_json::from_str(text).ok());
        flatten("", &config.unwrap_or(Value::Null), &mut settings);
        settings
    };
    let settings: Vec<BTreeMap<String, String>> = runs.values().map(of_run).collect();
    let keys: BTreeSet<&String> = settings.iter().flat_map(BTreeMap::keys).collect();
    let differs = |key: &&&String| settings.iter().any(|run| run.get(**key) != settings[0].get(**key));
    let keys: Vec<&&String> = keys.iter().filter(differs).collect();
    if keys.is_empty() {
        return String::new();
    }
    let mut table =
        "<h2>Configuration, where it differs</h2>\n<div class=\"wide\">\n<table>\n<tr><th>Run</th>"
            .to_string();
    keys.iter().for_each(|key| table += &format!("<th>{}</th>", escape(key)));
    table.push_str("</tr>\n");
    for (name, settings) in runs.keys().zip(&settings) {
        let _ = write!(table, "<tr><td>{}</td>", escape(name));
        for key in &keys {
            let _ = write!(table, "<td>{}</td>", settings.get(**key).map_or("-".into(), |text| escape(text)));
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</table>\n</div>\n");
    table
}

/// Puts the leaves of a value into `settings`, under their paths.
fn flatten(path: &str, value: &Value, settings: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, value, settings);
            }
        }
        Value::Null if path.is_empty() => {}
        leaf => {
            settings.insert(path.to_string(), leaf.to_string());
        }
    }
}

/// Returns a chart for each metric of each phase, with a curve for each run.
fn curves(runs: &BTreeMap<String, RunData>) -> String {
    let mut charts = String::new();
    for split in [Split::Valid, Split::Train] {
        for name in names(runs, split) {
            let of_run = |(at, (run, data)): (usize, (&'_ String, &RunData))| Series {
                name: run.clone(),
                color: color(at),
                points: data
                    .history
                    .epochs(split, name)
                    .map(|(epoch, stats)| (epoch as f64, stats.mean))
                    .collect(),
            };
            let series: Vec<Series> = runs.iter().enumerate().map(of_run).collect();
            let title = format!("{split} {name}");
            let chart =
                Chart { title: &title, x_name: "epoch", series: &series, best: None, has_legend: false };
            charts.extend(chart.draw());
        }
    }
    charts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(losses: &[f64], config: &str) -> RunData {
        let mut history = MetricHistory::default();
        for (epoch, &loss) in (1..).zip(losses) {
            history.record(Split::Valid, epoch, "Loss", loss, "");
        }
        RunData {
            model: "Model".into(),
            started: "2026-11-27 16:05 UTC".into(),
            epochs: (losses.len(), 9),
            best: Some("2 (Valid Loss 0.1)".into()),
            config: Some(config.into()),
            history,
        }
    }

    fn save(folder: &Path, name: &str, run: &RunData) {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("report.html"), page("one", &run.element())).unwrap();
    }

    #[test]
    fn runs_are_compared_by_curves_values_and_settings() {
        let folder = tempfile::tempdir().unwrap();
        let config = |lr: &str| format!("{{\"optimizer\": {{\"lr\": {lr}, \"beta\": 0.9}}, \"seed\": 7}}");
        save(folder.path(), "a&b", &run(&[0.5, 0.25], &config("0.1")));
        save(folder.path(), "c#<i>", &run(&[0.75, 0.5, f64::NAN, 0.125], &config("\"</script>\"")));
        fs::create_dir(folder.path().join("no run")).unwrap();
        let path = compare_runs(folder.path()).unwrap();
        assert_eq!(path, folder.path().join("runs.html"));
        let page = fs::read_to_string(path).unwrap();
        // Two points of the first run; two before the gap of the second, and one behind it.
        let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("<polyline")).collect();
        assert_eq!(lines.iter().map(|line| line.matches(',').count()).collect::<Vec<_>>(), [2, 2], "{page}");
        assert_eq!(page.matches("<circle").count(), 1);
        assert!(page.contains("<td>0.2500</td>") && page.contains("<td>0.1250</td>"), "{page}");
        assert!(page.contains("<a href=\"./a&amp;b/report.html\">a&amp;b</a>"), "{page}");
        assert!(page.contains("<a href=\"./c%23&lt;i&gt;/report.html\">c#&lt;i&gt;</a>"), "{page}");
        // `beta` and `seed` are the same in both.
        assert!(page.contains("<tr><th>Run</th><th>optimizer.lr</th></tr>"), "{page}");
        assert!(page.contains("<td>&quot;&lt;/script&gt;&quot;</td>"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1, "texts of runs end no script");
    }

    #[test]
    fn a_report_without_figures_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("old")).unwrap();
        fs::write(folder.path().join("old/report.html"), "<p>curves").unwrap();
        let error = compare_runs(folder.path()).unwrap_err().to_string();
        assert!(error.contains("report.html: expected a report of a run, found no figures"), "{error}");
    }
}

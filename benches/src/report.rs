//! The figures: a table for people, JSON for the next run to compare with.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What one contender took for one workload.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) contender: String,
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    /// New blocks of memory per call, where they were counted.
    pub(crate) allocations: Option<f64>,
}

impl Row {
    pub(crate) fn of(contender: &str, mut times: Vec<f64>, allocations: Option<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Row {
            contender: contender.to_string(),
            median: times[times.len() / 2],
            lowest: times[0],
            allocations,
        }
    }
}

/// One workload, all contenders.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) workload: String,
    pub(crate) rows: Vec<Row>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    workloads: Vec<Measured>,
}

impl Report {
    pub(crate) fn add(&mut self, measured: Measured) {
        self.workloads.push(measured);
    }

    fn median(&self, workload: &str, contender: &str) -> Option<f64> {
        let measured = self.workloads.iter().find(|measured| measured.workload == workload)?;
        measured.rows.iter().find(|row| row.contender == contender).map(|row| row.median)
    }

    /// One line per contender. "ratio" is the time of the first contender divided by this one's: below
    /// one, the first is faster. "allocs" counts new blocks of memory per call. "now/then" is this
    /// contender's time divided by its own earlier one.
    pub(crate) fn table(&self, earlier: Option<&Report>) -> String {
        let mut table = format!(
            "{:<16} {:<20} {:>10} {:>10} {:>7} {:>7}",
            "workload", "who", "median", "lowest", "ratio", "allocs"
        );
        table += if earlier.is_some() { "  now/then\n" } else { "\n" };
        for measured in &self.workloads {
            let first = measured.rows[0].median;
            for (at, row) in measured.rows.iter().enumerate() {
                let ratio = if at == 0 { String::new() } else { format!("{:.2}", first / row.median) };
                let name = if at == 0 { measured.workload.as_str() } else { "" };
                let (median, lowest) = (duration(row.median), duration(row.lowest));
                let allocations = row.allocations.map_or(String::new(), |count| format!("{count:.0}"));
                let _ = write!(
                    table,
                    "{name:<16} {:<20} {median:>10} {lowest:>10} {ratio:>7} {allocations:>7}",
                    row.contender
                );
                if let Some(then) =
                    earlier.and_then(|earlier| earlier.median(&measured.workload, &row.contender))
                {
                    let _ = write!(table, "  {:.2}", row.median / then);
                }
                table.push('\n');
            }
        }
        table
    }

    /// The workloads whose first contender takes more than `tolerance` times what it took.
    pub(crate) fn slower(&self, earlier: &Report, tolerance: f64) -> Vec<String> {
        let ratio = |measured: &Measured| {
            let row = &measured.rows[0];
            Some(row.median / earlier.median(&measured.workload, &row.contender)?)
        };
        let ratios =
            self.workloads.iter().filter_map(|measured| Some((&measured.workload, ratio(measured)?)));
        let slower = ratios.filter(|(_, ratio)| *ratio > tolerance);
        slower.map(|(workload, ratio)| format!("{workload} ({ratio:.2} times)")).collect()
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let rows = self.workloads.iter().flat_map(|measured| {
            measured.rows.iter().map(|row| {
                json!({
                    "workload": measured.workload,
                    "contender": row.contender,
                    "median_ns": row.median,
                    "lowest_ns": row.lowest,
                    "allocations": row.allocations,
                })
            })
        });
        let text = format!("{:#}\n", Value::from(rows.collect::<Vec<_>>()));
        std::fs::write(path, text).map_err(|cause| format!("{}: {cause}", path.display()))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let rows: Vec<Value> =
            serde_json::from_str(&text).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let mut report = Report::default();
        for row in rows {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_string();
            let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
            let workload = text("workload");
            let row = Row {
                contender: text("contender"),
                median: number("median_ns"),
                lowest: number("lowest_ns"),
                allocations: row["allocations"].as_f64(),
            };
            match report.workloads.iter_mut().find(|measured| measured.workload == workload) {
                Some(measured) => measured.rows.push(row),
                None => report.add(Measured { workload, rows: vec![row] }),
            }
        }
        Ok(report)
    }
}

/// Three digits and the unit that fits.
fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{:.2} us", n / 1e3),
        n if n < 1e9 => format!("{:.2} ms", n / 1e6),
        n => format!("{:.2} s", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_first_over_the_other_and_survives_the_file() {
        let mut report = Report::default();
        let rows =
            vec![Row::of("ours", vec![30.0, 10.0, 20.0], Some(2.0)), Row::of("theirs", vec![40.0], None)];
        report.add(Measured { workload: "add".to_string(), rows });
        assert!(report.table(None).lines().nth(2).unwrap().trim_end().ends_with("0.50"));
        let path = std::env::temp_dir().join(format!("burn-bench-report-{}.json", std::process::id()));
        report.write(&path).unwrap();
        let read = Report::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.median("add", "theirs"), Some(40.0));
        assert!(report.table(Some(&read)).lines().nth(1).unwrap().ends_with("1.00"));
    }
}

//! Figures as JSON: an array with one object for each contender of each workload.

use super::{Measured, Report, Row, Unit};
use serde_json::{Value, json};
use std::path::Path;

impl Report {
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let rows = self.workloads.iter().flat_map(|measured| {
            measured.rows.iter().map(|row| {
                json!({
                    "workload": measured.workload,
                    "unit": measured.unit.name(),
                    "contender": row.contender,
                    "median": row.median,
                    "lowest": row.lowest,
                    "allocations": row.allocations,
                    "processor": row.processor,
                    "at_most": row.at_most,
                })
            })
        });
        let text = format!("{:#}\n", Value::from(rows.collect::<Vec<_>>()));
        std::fs::write(path, text).map_err(|cause| format!("{}: {cause}", path.display()))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let named = |cause: String| format!("{}: {cause}", path.display());
        let text = std::fs::read_to_string(path).map_err(|cause| named(cause.to_string()))?;
        let rows: Vec<Value> = serde_json::from_str(&text).map_err(|cause| named(cause.to_string()))?;
        let mut report = Report::default();
        for (at, row) in rows.iter().enumerate() {
            report.take(row).map_err(|key| named(format!("row {at} has no {key}")))?;
        }
        Ok(report)
    }

    /// Adds a row of a file, or says which of its values is missing.
    fn take(&mut self, row: &Value) -> Result<(), &'static str> {
        let workload = row["workload"].as_str().ok_or("workload")?;
        let unit = row["unit"].as_str().and_then(Unit::named).ok_or("unit")?;
        let row = Row {
            contender: row["contender"].as_str().ok_or("contender")?.to_string(),
            median: row["median"].as_f64().ok_or("median")?,
            lowest: row["lowest"].as_f64().ok_or("lowest")?,
            allocations: row["allocations"].as_f64(),
            processor: row["processor"].as_f64(),
            at_most: row["at_most"].as_f64(),
        };
        match self.workloads.iter_mut().find(|measured| measured.workload == workload) {
            Some(measured) => measured.rows.push(row),
            None => self.add(Measured { workload: workload.to_string(), unit, rows: vec![row] }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::example;
    use super::*;

    fn temporary(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("burn-bench-{}-{name}.json", std::process::id()))
    }

    #[test]
    fn a_report_survives_the_file() {
        let (report, path) = (example(), temporary("survives"));
        report.write(&path).unwrap();
        let read = Report::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read.table(Some(&report)), report.table(Some(&report)));
    }

    #[test]
    fn a_row_without_a_figure_is_named() {
        let path = temporary("broken");
        std::fs::write(&path, r#"[{"workload": "add", "unit": "ns", "contender": "NdArray"}]"#).unwrap();
        let error = Report::read(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(error.ends_with("row 0 has no median"), "{error}");
    }
}

//! The table for terminals.

use super::measured::BASELINES;
use super::{Measured, Report, Row, Unit};
use std::fmt::Write as _;

impl Report {
    /// One line for each contender of ours: its median, its target, and for each baseline the median and the
    /// ratio ours / theirs; below one, ours is better. "allocs" counts new blocks of memory per call,
    /// "now/then" is this median divided by the earlier one.
    pub(crate) fn table(&self, earlier: Option<&Report>) -> String {
        let baselines = self.baselines();
        let mut table =
            format!("{:<22} {:<20} {:>8} {:>7} {:>6}", "workload", "who", "median", "at most", "met");
        for baseline in &baselines {
            let _ = write!(table, " {baseline:>9} {:>6}", "ratio");
        }
        let _ = write!(table, " {:>7}", "allocs");
        table += if earlier.is_some() { "  now/then\n" } else { "\n" };
        for measured in &self.workloads {
            for (at, row) in measured.ours().enumerate() {
                let name = if at == 0 { measured.workload.as_str() } else { "" };
                let _ = write!(table, "{name:<22} {}", line(measured, row, &baselines));
                let then = earlier.and_then(|earlier| earlier.median(&measured.workload, &row.contender));
                if let Some(then) = then {
                    let _ = write!(table, "  {:.2}", row.median / then);
                }
                table.push('\n');
            }
        }
        table += &self.processor_times();
        if let Some(sentence) = self.summary().sentence() {
            let _ = writeln!(table, "\n{sentence}");
        }
        table
    }

    /// Lines with the lowest time and the time of processors of every contender, for workloads where the
    /// latter was counted.
    fn processor_times(&self) -> String {
        let mut lines = String::new();
        for measured in &self.workloads {
            for row in measured.rows.iter().filter(|row| row.processor.is_some()) {
                let [lowest, median] = [row.lowest, row.median].map(|time| measured.unit.show(time));
                let processor = measured.unit.show(row.processor.unwrap_or_default());
                let (name, who) = (&measured.workload, &row.contender);
                let _ = writeln!(
                    lines,
                    "{name:<22} {who:<20} lowest {lowest:>8}, median {median:>8}, processors {processor:>8}"
                );
            }
        }
        if lines.is_empty() { lines } else { format!("\n{lines}") }
    }

    /// The baselines that measured anything.
    pub(super) fn baselines(&self) -> Vec<&'static str> {
        let measured = |name: &&str| self.workloads.iter().any(|measured| measured.row(name).is_some());
        BASELINES.into_iter().filter(measured).collect()
    }
}

fn line(measured: &Measured, row: &Row, baselines: &[&str]) -> String {
    let median = measured.unit.show(row.median);
    let mut line =
        format!("{:<20} {median:>8} {:>7} {:>6}", row.contender, bar(measured, row), met(measured, row));
    for baseline in baselines {
        let theirs = measured.row(baseline).map_or(String::new(), |row| measured.unit.show(row.median));
        let ratio = measured.ratio(row, baseline).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let _ = write!(line, " {theirs:>9} {ratio:>6}");
    }
    let allocations = row.allocations.map_or(String::new(), |count| format!("{count:.0}"));
    let _ = write!(line, " {allocations:>7}");
    line
}

/// Returns the target of the row.
pub(super) fn bar(measured: &Measured, row: &Row) -> String {
    row.at_most.map_or(String::new(), |bar| match measured.unit {
        Unit::Nanoseconds => format!("{bar}"),
        Unit::Bytes => measured.unit.show(bar),
    })
}

pub(super) fn met(measured: &Measured, row: &Row) -> &'static str {
    match measured.met(row) {
        Some(true) => "yes",
        Some(false) => "MISSED",
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::example;

    #[test]
    fn a_line_has_the_bar_and_a_ratio_for_each_baseline() {
        let table = example().table(None);
        let words: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        let heads = "workload who median at most met PyTorch ratio compiled ratio candle ratio allocs";
        assert_eq!(words[0].join(" "), heads);
        assert_eq!(words[1].join(" "), "add NdArray 50 ns 0.6 yes 100 ns 0.50 25 ns 2.00");
        assert_eq!(words[2].join(" "), "Fusion<NdArray> 400 ns 100 ns 4.00 25 ns 16.00");
        assert_eq!(words[3].join(" "), "sort NdArray 200 ns 1 MISSED 100 ns 2.00 400 ns 0.50");
        assert_eq!(words[4].join(" "), "memory NdArray 1 MiB 2 MiB yes 4 MiB 0.25");
    }

    #[test]
    fn an_earlier_report_adds_what_moved() {
        let (now, mut then) = (example(), example());
        then.workloads[0].rows[0].median = 25.0;
        let table = now.table(Some(&then));
        assert!(table.lines().nth(1).unwrap().ends_with("  2.00"), "{table}");
        assert!(table.lines().nth(3).unwrap().ends_with("  1.00"), "{table}");
    }
}

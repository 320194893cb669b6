//! The figures as a table in Markdown, for the book.

use super::table::{bar, met};
use super::{Report, Row};
use std::fmt::Write as _;
use std::path::Path;

impl Report {
    /// Writes the page.
    pub(crate) fn write_page(&self, path: &Path) -> Result<(), String> {
        std::fs::write(path, self.page()).map_err(|cause| format!("{}: {cause}", path.display()))
    }

    fn page(&self) -> String {
        let baselines = self.baselines();
        let mut page = "<!-- Made by `cargo xtask bench --page`; do not edit. -->\n\n".to_string();
        let heads = baselines.iter().map(|baseline| format!(" {baseline} | ratio |")).collect::<String>();
        let rules = "---:|---:|".repeat(baselines.len());
        let _ = writeln!(page, "| workload | backend | median |{heads} at most | met |");
        let _ = writeln!(page, "|---|---|---:|{rules}---:|---|");
        for (measured, row) in self.ours() {
            let theirs = |baseline: &&str| {
                let figure = |row: &Row| measured.unit.show(row.median);
                let theirs = measured.row(baseline).map(figure).unwrap_or_default();
                let ratio = measured.ratio(row, baseline).map(|ratio| format!("{ratio:.2}"));
                format!(" {theirs} | {} |", ratio.unwrap_or_default())
            };
            let cells: String = baselines.iter().map(theirs).collect();
            let (workload, unit) = (&measured.workload, measured.unit);
            let (at_most, met) = (bar(measured, row), met(measured, row).to_lowercase());
            let ours = unit.show(row.median);
            let _ =
                writeln!(page, "| {workload} | `{}` | {ours} |{cells} {at_most} | {met} |", row.contender);
        }
        if let Some(sentence) = self.summary().sentence() {
            let _ = writeln!(page, "\n{sentence}.");
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::example;

    #[test]
    fn every_line_of_the_page_has_as_many_cells_as_the_head() {
        let page = example().page();
        let table: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
        let cells: Vec<usize> = table.iter().map(|line| line.matches('|').count()).collect();
        assert_eq!(cells, [12; 6], "{page}");
        assert!(
            page.contains("| add | `NdArray` | 50 ns | 100 ns | 0.50 | 25 ns | 2.00 |  |  | 0.6 | yes |")
        );
    }
}

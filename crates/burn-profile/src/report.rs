use burn_backend::TensorSpec;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::time::Duration;

/// Measured times, by operation and operands.
///
/// Printed as a table, the longest total first: a line for each operation, or with `{:#}` for each operation
/// and operands. Below are the kernels that the backend reported, with the number of launches of each.
#[derive(Clone, Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
    /// One row for each path of a module.
    modules: Vec<Row>,
    /// One row for each path, name and operands.
    calls: Vec<Row>,
}

/// Row of a report: calls of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Path of the module or [`Span`](crate::Span) that the calls belong to, such as `encoder.layers.0`, or
    /// `encoder.layers.0 (backward)` and `encoder.layers.0 (optimizer)`. Empty outside of all, and where
    /// calls of several are together.
    pub module: String,
    /// Name of the operation: `"matmul"`.
    pub name: String,
    /// The specs of the operands; `None` where calls with several are together.
    pub operands: Option<Vec<TensorSpec>>,
    /// Number of calls.
    pub count: u64,
    /// Time of all calls.
    pub total: Duration,
    /// Time of the shortest call.
    pub least: Duration,
    /// Time of the longest call.
    pub most: Duration,
    /// Bytes of operands and results.
    pub bytes: u64,
    /// The kernels that computed the calls, and how often each ran, where the backend reports them.
    pub kernels: BTreeMap<String, u64>,
}

impl Row {
    /// Returns the mean time of a call.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(
            u64::try_from(self.total.as_nanos() / u128::from(self.count.max(1))).unwrap_or(u64::MAX),
        )
    }

    /// Formats `name` of operands such as `f32[2, 3], f32[3]`.
    fn title(&self) -> String {
        match &self.operands {
            None => self.name.clone(),
            Some(operands) => format!("{} {}", self.name, listed(operands)).trim_end().to_owned(),
        }
    }

    fn absorb(&mut self, other: &Row) {
        self.count += other.count;
        self.total += other.total;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.bytes += other.bytes;
        for (kernel, count) in &other.kernels {
            *self.kernels.entry(kernel.clone()).or_default() += count;
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "module": self.module,
            "name": self.name,
            "operands": self.operands.as_deref().map(listed),
            "count": self.count,
            "total_ns": nanoseconds(self.total),
            "mean_ns": nanoseconds(self.mean()),
            "least_ns": nanoseconds(self.least),
            "most_ns": nanoseconds(self.most),
            "bytes": self.bytes,
            "kernels": self.kernels,
        })
    }
}

/// Specs as people write them.
pub fn listed(specs: &[TensorSpec]) -> String {
    let texts: Vec<String> = specs.iter().map(|spec| format!("{}{:?}", spec.dtype, spec.shape)).collect();
    texts.join(", ")
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl Report {
    pub(crate) fn new(rows: Vec<Row>) -> Self {
        let of_module = |row: &Row| Row { name: String::new(), operands: None, ..row.clone() };
        let modules = merged(&rows, |row| row.module.clone(), of_module);
        let by_shape = |row: &Row| Row { module: String::new(), ..row.clone() };
        Report {
            rows: merged(&rows, |row| (row.name.clone(), row.operands.as_deref().map(listed)), by_shape),
            modules,
            calls: merged(
                &rows,
                |row| (row.module.clone(), row.name.clone(), row.operands.as_deref().map(listed)),
                Row::clone,
            ),
        }
    }

    /// Returns the part of the report about a module and the modules inside of it, forward, backward and in
    /// steps of the optimizer: `within("encoder")` has the calls of `encoder.layers.0` too.
    #[must_use]
    pub fn within(&self, module: &str) -> Report {
        let is_inside = |path: &str| {
            path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
        };
        Report::new(self.calls.iter().filter(|row| is_inside(&row.module)).cloned().collect())
    }

    /// Returns a row for each path of a module or [`Span`](crate::Span), the longest total first; that of
    /// calls outside of all has an empty path. A row does not count the modules inside of its own:
    /// [`within`](Self::within) does.
    pub fn by_module(&self) -> Vec<Row> {
        self.modules.clone()
    }

    /// Returns the table of [`by_module`](Self::by_module).
    pub fn module_table(&self) -> String {
        let titles = self.modules.iter().map(|row| match row.module.as_str() {
            "" => "(outside of layers)".to_string(),
            module => module.to_string(),
        });
        let mut table = String::new();
        let rows: Vec<(String, &Row)> = titles.zip(&self.modules).collect();
        write_table(&mut table, "module", &rows, self.total()).expect("writing to a string works");
        table
    }

    /// Returns a row for each path of a module, name and operands, the longest total first.
    pub fn by_call(&self) -> &[Row] {
        &self.calls
    }

    /// Returns a row for each name and operands, the longest total first.
    pub fn by_shape(&self) -> &[Row] {
        &self.rows
    }

    /// Returns a row for each name, the longest total first.
    pub fn by_name(&self) -> Vec<Row> {
        let of_name = |row: &Row| Row { operands: None, ..row.clone() };
        merged(&self.rows, |row| row.name.clone(), of_name)
    }

    /// Returns the time of all calls. Calls of several threads overlap, so it can exceed the elapsed time.
    pub fn total(&self) -> Duration {
        self.rows.iter().map(|row| row.total).sum()
    }

    /// Returns rows as JSON, by name, by shape and by module, times in nanoseconds.
    pub fn to_json(&self) -> String {
        let by_name: Vec<Value> = self.by_name().iter().map(Row::to_json).collect();
        let by_shape: Vec<Value> = self.rows.iter().map(Row::to_json).collect();
        let by_module: Vec<Value> = self.modules.iter().map(Row::to_json).collect();
        json!({
            "total_ns": nanoseconds(self.total()),
            "by_name": by_name,
            "by_shape": by_shape,
            "by_module": by_module,
        })
        .to_string()
    }
}

/// Adds up rows with one key, and sorts them by time. `first` makes the first row of a key.
fn merged<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K, first: impl Fn(&Row) -> Row) -> Vec<Row> {
    let mut sums: BTreeMap<K, Row> = BTreeMap::new();
    for row in rows {
        match sums.entry(key(row)) {
            Entry::Occupied(mut sum) => sum.get_mut().absorb(row),
            Entry::Vacant(sum) => {
                sum.insert(first(row));
            }
        }
    }
    let mut rows: Vec<Row> = sums.into_values().collect();
    sort(&mut rows);
    rows
}

fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.title().cmp(&b.title())));
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if f.alternate() { self.rows.clone() } else { self.by_name() };
        let rows: Vec<(String, &Row)> = rows.iter().map(|row| (row.title(), row)).collect();
        write_table(f, "operation", &rows, self.total())
    }
}

fn write_table(f: &mut dyn fmt::Write, head: &str, rows: &[(String, &Row)], all: Duration) -> fmt::Result {
    let all = all.as_secs_f64().max(f64::MIN_POSITIVE);
    let width = rows.iter().map(|(title, _)| title.len()).max().unwrap_or(0).clamp(9, 72);
    writeln!(
        f,
        "{head:width$}  {:>8}  {:>10}  {:>5}  {:>10}  {:>10}",
        "count", "total", "%", "mean", "bytes"
    )?;
    for (title, row) in rows {
        writeln!(
            f,
            "{title:width$}  {:>8}  {:>10}  {:>5.1}  {:>10}  {:>10}",
            row.count,
            time(row.total),
            100.0 * row.total.as_secs_f64() / all,
            time(row.mean()),
            amount(row.bytes),
        )?;
        row.kernels.iter().try_for_each(|(kernel, count)| writeln!(f, "    {kernel}  {count}"))?;
    }
    Ok(())
}

fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match duration.as_nanos() {
        0..1_000 => format!("{:.0} ns", seconds * 1e9),
        1_000..1_000_000 => format!("{:.1} us", seconds * 1e6),
        1_000_000..1_000_000_000 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

fn amount(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::DType;

    fn row(name: &str, size: usize, count: u64, nanos: u64) -> Row {
        let (total, least, most) = (nanos, nanos / (2 * count), nanos / 2);
        Row {
            module: String::new(),
            name: name.into(),
            operands: Some(vec![TensorSpec::new([size], DType::F32)]),
            count,
            total: Duration::from_nanos(total),
            least: Duration::from_nanos(least),
            most: Duration::from_nanos(most),
            bytes: 4096 * count,
            kernels: BTreeMap::from([(format!("{name} of {size}"), count)]),
        }
    }

    #[test]
    fn rows_of_one_name_are_added_and_sorted_by_time() {
        let report =
            Report::new(vec![row("add", 3, 2, 1_000), row("exp", 3, 1, 2_500), row("add", 4, 3, 2_000)]);
        let found: Vec<_> =
            report.by_name().into_iter().map(|row| (row.name.clone(), row.count, row.mean())).collect();
        let expected = [
            ("add".to_owned(), 5, Duration::from_nanos(600)),
            ("exp".to_owned(), 1, Duration::from_nanos(2_500)),
        ];
        assert_eq!(found, expected);
        assert_eq!(report.total(), Duration::from_nanos(5_500));
        let kernels = [("add of 3".to_owned(), 2), ("add of 4".to_owned(), 3)];
        assert_eq!(report.by_name()[0].kernels, BTreeMap::from(kernels));
        assert_eq!(report.by_shape()[0].name, "exp");
    }

    #[test]
    fn rows_of_one_module_are_added_and_by_shape_they_are_one() {
        let of = |module: &str, row: Row| Row { module: module.into(), ..row };
        let rows = vec![
            of("a", row("add", 3, 2, 1_000)),
            of("a", row("exp", 3, 1, 500)),
            of("", row("add", 3, 1, 2_000)),
        ];
        let report = Report::new(rows);
        let modules = report.by_module();
        let found: Vec<_> = modules.iter().map(|row| (row.module.as_str(), row.count, row.bytes)).collect();
        assert_eq!(found, [("", 1, 4096), ("a", 3, 3 * 4096)]);
        assert_eq!(report.by_shape().len(), 2);
        assert!(report.module_table().contains("(outside of layers)"));
        let [inside, none] = ["a", "b"].map(|module| report.within(module).by_name().len());
        assert_eq!((inside, none), (2, 0));
    }

    #[test]
    fn the_table_has_units_and_shares() {
        let report = Report::new(vec![row("add", 3, 2, 1_000), row("exp", 3, 1, 3_000)]);
        let table = report.to_string();
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["exp", "1", "3.0", "us", "75.0", "3.0", "us", "4.0", "KiB"]);
        assert_eq!(lines[2], ["exp", "of", "3", "1"]);
        assert_eq!(lines[3], ["add", "2", "1.0", "us", "25.0", "500", "ns", "8.0", "KiB"]);
        assert!(format!("{report:#}").contains("exp f32[3]"));
    }

    #[test]
    fn the_report_is_json() {
        let report = Report::new(vec![row("add", 3, 2, 1_000)]);
        let parsed: Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(parsed["by_name"][0]["mean_ns"], 500);
        assert_eq!(parsed["by_shape"][0]["operands"], "f32[3]");
        assert_eq!(parsed["by_shape"][0]["kernels"]["add of 3"], 2);
    }
}

//! Measurements and their targets.

use super::Unit;

pub(crate) const PYTORCH: &str = "PyTorch";
pub(crate) const COMPILED: &str = "compiled";
pub(crate) const CANDLE: &str = "candle";
pub(crate) const ONNXRUNTIME: &str = "onnxruntime";

/// Those that are not ours, in the order of the table.
pub(super) const BASELINES: [&str; 4] = [PYTORCH, COMPILED, CANDLE, ONNXRUNTIME];

/// Measurement of one contender for one workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) contender: String,
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    /// New blocks of memory per call, where they were counted.
    pub(crate) allocations: Option<f64>,
    /// Nanoseconds of processors per call, all threads together, where they were counted.
    pub(crate) processor: Option<f64>,
    /// The target: times, at most this multiple of that of PyTorch, or of onnxruntime where that is the
    /// baseline; bytes, at most so many.
    pub(crate) at_most: Option<f64>,
}

impl Row {
    pub(crate) fn of(contender: &str, mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let (median, lowest) = (figures[figures.len() / 2], figures[0]);
        Row { contender: contender.to_string(), median, lowest, ..Row::default() }
    }
}

/// One workload, all contenders.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) workload: String,
    pub(crate) unit: Unit,
    pub(crate) rows: Vec<Row>,
}

impl Measured {
    pub(super) fn row(&self, contender: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.contender == contender)
    }

    pub(super) fn ours(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !BASELINES.contains(&row.contender.as_str()))
    }

    /// This row's figure divided by that of the baseline: below one, this row is better.
    pub(super) fn ratio(&self, row: &Row, baseline: &str) -> Option<f64> {
        Some(row.median / self.row(baseline)?.median)
    }

    /// Whether the row meets its target, if it has one and its baseline was measured.
    pub(super) fn met(&self, row: &Row) -> Option<bool> {
        let figure = match self.unit {
            Unit::Nanoseconds => self.ratio(row, PYTORCH).or_else(|| self.ratio(row, ONNXRUNTIME))?,
            Unit::Bytes => row.median,
        };
        Some(figure <= row.at_most?)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(super) workloads: Vec<Measured>,
}

impl Report {
    pub(crate) fn add(&mut self, measured: Measured) {
        self.workloads.push(measured);
    }

    /// The figures of `later` too; where both have a workload, those of `later`.
    pub(crate) fn join(&mut self, later: Report) {
        for measured in later.workloads {
            match self.workloads.iter_mut().find(|earlier| earlier.workload == measured.workload) {
                Some(earlier) => *earlier = measured,
                None => self.add(measured),
            }
        }
    }

    pub(super) fn median(&self, workload: &str, contender: &str) -> Option<f64> {
        let measured = self.workloads.iter().find(|measured| measured.workload == workload)?;
        measured.row(contender).map(|row| row.median)
    }

    /// Every row of ours with its workload.
    pub(super) fn ours(&self) -> impl Iterator<Item = (&Measured, &Row)> {
        self.workloads.iter().flat_map(|measured| measured.ours().map(move |row| (measured, row)))
    }

    /// The workloads whose first contender takes more than `tolerance` times what it took.
    pub(crate) fn slower(&self, earlier: &Report, tolerance: f64) -> Vec<String> {
        let ratio = |measured: &Measured| {
            let row = measured.rows.first()?;
            Some(row.median / earlier.median(&measured.workload, &row.contender)?)
        };
        let ratios =
            self.workloads.iter().filter_map(|measured| Some((&measured.workload, ratio(measured)?)));
        let slower = ratios.filter(|(_, ratio)| *ratio > tolerance);
        slower.map(|(workload, ratio)| format!("{workload} ({ratio:.2} times)")).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two times and a memory; ours takes half of PyTorch's time, then twice as much.
    pub(in crate::report) fn example() -> Report {
        let row = |contender: &str, median: f64, at_most: Option<f64>| Row {
            at_most,
            ..Row::of(contender, vec![median])
        };
        let add = vec![
            row("NdArray", 50.0, Some(0.6)),
            row("Fusion<NdArray>", 400.0, None),
            row(PYTORCH, 100.0, None),
            row(COMPILED, 25.0, None),
        ];
        let sort =
            vec![row("NdArray", 200.0, Some(1.0)), row(PYTORCH, 100.0, None), row(CANDLE, 400.0, None)];
        let memory = vec![row("NdArray", 1048576.0, Some(2097152.0)), row(PYTORCH, 4194304.0, None)];
        let measured = |workload: &str, unit, rows| Measured { workload: workload.to_string(), unit, rows };
        let workloads = vec![
            measured("add", Unit::Nanoseconds, add),
            measured("sort", Unit::Nanoseconds, sort),
            measured("memory", Unit::Bytes, memory),
        ];
        Report { workloads }
    }

    #[test]
    fn the_median_and_the_lowest_are_of_all_turns() {
        let row = Row::of("ours", vec![30.0, 10.0, 20.0]);
        assert_eq!((row.median, row.lowest), (20.0, 10.0));
    }

    #[test]
    fn a_bar_is_a_ratio_of_times_and_an_amount_of_memory() {
        let report = example();
        let met: Vec<_> = report.ours().map(|(measured, row)| measured.met(row)).collect();
        assert_eq!(met, [Some(true), None, Some(false), Some(true)]);
        let mut alone = report.workloads[0].clone();
        alone.rows.truncate(1);
        assert_eq!(alone.met(&alone.rows[0]), None);
    }

    #[test]
    fn joined_figures_are_the_later_ones() {
        let (mut report, mut later) = (example(), example());
        later.workloads.truncate(1);
        later.workloads[0].rows[0].median = 60.0;
        report.join(later);
        assert_eq!(report.median("add", "NdArray"), Some(60.0));
        assert_eq!((report.workloads.len(), report.median("sort", CANDLE)), (3, Some(400.0)));
    }

    #[test]
    fn only_what_became_slower_than_tolerated_is_named() {
        let (now, mut then) = (example(), example());
        then.workloads[1].rows[0].median = 100.0;
        assert_eq!(now.slower(&then, 1.5), ["sort (2.00 times)"]);
        assert_eq!(now.slower(&then, 2.5), [""; 0]);
    }
}

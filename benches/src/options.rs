//! Command-line options.

use std::path::PathBuf;

/// Where `--python` is not given, this variable names an interpreter that has torch.
const PYTHON: &str = "BURN_BENCH_PYTHON";

#[derive(Debug)]
pub(crate) struct Options {
    /// The interpreter of the PyTorch baseline, when it is asked for.
    pub(crate) python: Option<PathBuf>,
    pub(crate) candle: bool,
    pub(crate) libtorch: bool,
    /// Whether onnxruntime is a baseline, in the interpreter of `--python`.
    pub(crate) onnxruntime: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    /// Where the figures go as a page of a book.
    pub(crate) page: Option<PathBuf>,
    pub(crate) compare: Option<PathBuf>,
    /// Figures of earlier runs, to be shown instead of measuring.
    pub(crate) show: Vec<PathBuf>,
    /// How much slower than earlier a workload may be before the run fails: 1.2 for a fifth.
    pub(crate) tolerance: Option<f64>,
    /// A workload is measured whose name contains one of these; all where there are none.
    filters: Vec<String>,
    /// At most so many turns for each contender.
    pub(crate) rounds: usize,
    /// Measure the models of this folder, which `onnxruntime/folder.py` prepared, instead of the workloads.
    pub(crate) onnx: Option<PathBuf>,
    /// Run this workload 50 times and print the most memory it took.
    pub(crate) memory: Option<String>,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            python: None,
            candle: false,
            libtorch: false,
            onnxruntime: None,
            out: None,
            page: None,
            compare: None,
            show: Vec::new(),
            tolerance: None,
            filters: Vec::new(),
            rounds: 15,
            onnx: None,
            memory: None,
        };
        let mut against = String::new();
        let mut python = std::env::var_os(PYTHON).map(PathBuf::from);
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or(format!("{flag} wants a value"))?;
            match flag.as_str() {
                "--against" => against = value,
                "--python" => python = Some(value.into()),
                "--out" => options.out = Some(value.into()),
                "--page" => options.page = Some(value.into()),
                "--compare" => options.compare = Some(value.into()),
                "--show" => options.show = parts(&value).map(PathBuf::from).collect(),
                "--tolerance" => options.tolerance = Some(number(&flag, &value)?),
                "--filter" => options.filters = parts(&value).map(str::to_string).collect(),
                "--rounds" => options.rounds = number(&flag, &value)?,
                "--onnx" => options.onnx = Some(value.into()),
                "--memory" => options.memory = Some(value),
                other => return Err(format!("unknown option {other}")),
            }
        }
        for name in parts(&against) {
            match name {
                "torch" => {
                    options.python = Some(python.clone().ok_or(format!("torch: give --python or {PYTHON}"))?)
                }
                "onnxruntime" => {
                    let missing = format!("onnxruntime: give --python or {PYTHON}");
                    options.onnxruntime = Some(python.clone().ok_or(missing)?);
                }
                "candle" if cfg!(feature = "candle") => options.candle = true,
                "candle" => return Err("built without candle: add `--features candle`".to_string()),
                "libtorch" if cfg!(feature = "tch") => options.libtorch = true,
                "libtorch" => return Err("built without LibTorch: add `--features tch`".to_string()),
                other => {
                    return Err(format!(
                        "no baseline is called {other}; there are torch, candle, libtorch and onnxruntime"
                    ));
                }
            }
        }
        Ok(options)
    }

    /// Whether the workload is to be measured.
    pub(crate) fn wants(&self, workload: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| workload.contains(filter))
    }
}

fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').filter(|part| !part.is_empty())
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} {value}: not a number"))
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(arguments.iter().map(ToString::to_string))
    }

    #[test]
    fn one_of_the_filters_is_enough_and_none_means_all() {
        let some = parse(&["--filter", "matmul,sum dim"]).unwrap();
        assert!(some.wants("matmul 256") && some.wants("sum dim 0") && !some.wants("sum all"));
        assert!(parse(&[]).unwrap().wants("sum all"));
    }

    #[test]
    fn an_option_that_is_unknown_or_has_no_value_is_an_error() {
        assert_eq!(parse(&["--fast", "1"]).unwrap_err(), "unknown option --fast");
        assert_eq!(parse(&["--rounds"]).unwrap_err(), "--rounds wants a value");
        assert_eq!(parse(&["--rounds", "many"]).unwrap_err(), "--rounds many: not a number");
        assert!(parse(&["--against", "numpy"]).unwrap_err().contains("numpy"));
    }
}

//! What the command line asks for.

use std::path::PathBuf;

/// Where `--python` is not given, this variable names an interpreter that has torch.
const PYTHON: &str = "BURN_BENCH_PYTHON";

#[derive(Debug)]
pub(crate) struct Options {
    /// The interpreter of the PyTorch baseline, when it is asked for.
    pub(crate) python: Option<PathBuf>,
    pub(crate) candle: bool,
    pub(crate) out: Option<PathBuf>,
    pub(crate) compare: Option<PathBuf>,
    /// How much slower than earlier a workload may be before the run fails: 1.2 for a fifth.
    pub(crate) tolerance: Option<f64>,
    pub(crate) filter: String,
    pub(crate) rounds: usize,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            python: None,
            candle: false,
            out: None,
            compare: None,
            filter: String::new(),
            rounds: 15,
            tolerance: None,
        };
        let mut against = String::new();
        let mut python = std::env::var_os(PYTHON).map(PathBuf::from);
        while let Some(flag) = arguments.next() {
            let value = arguments.next().ok_or(format!("{flag} wants a value"))?;
            match flag.as_str() {
                "--against" => against = value,
                "--python" => python = Some(value.into()),
                "--out" => options.out = Some(value.into()),
                "--compare" => options.compare = Some(value.into()),
                "--tolerance" => options.tolerance = Some(number(&flag, &value)?),
                "--filter" => options.filter = value,
                "--rounds" => options.rounds = number(&flag, &value)?,
                other => return Err(format!("unknown option {other}")),
            }
        }
        for name in against.split(',').filter(|name| !name.is_empty()) {
            match name {
                "torch" => {
                    options.python = Some(python.clone().ok_or(format!("torch: give --python or {PYTHON}"))?)
                }
                "candle" if cfg!(feature = "candle") => options.candle = true,
                "candle" => return Err("built without candle: add `--features candle`".to_string()),
                other => return Err(format!("no baseline is called {other}; there are torch and candle")),
            }
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} {value}: not a number"))
}

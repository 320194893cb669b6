use std::path::PathBuf;

/// Arguments of the command line.
#[derive(Debug)]
pub struct Arguments {
    /// Folder with the folders `node` and `simple`.
    pub data: PathBuf,
    /// Folder of the program that is written.
    pub folder: PathBuf,
    /// Cases that fail without generated source too, which are left out.
    pub failures: PathBuf,
    /// Cases that only generated source fails.
    pub source_failures: PathBuf,
    /// A text that names of cases must have.
    pub only: String,
    /// Cases of each operator that are compiled.
    pub most: usize,
}

impl Arguments {
    pub fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let usage = "usage: node_sources DATA FOLDER FAILURES SOURCE_FAILURES [--only TEXT] [--most N]";
        let mut path = || args.next().map(PathBuf::from).ok_or(usage);
        let (data, folder, failures, source_failures) = (path()?, path()?, path()?, path()?);
        let mut arguments =
            Arguments { data, folder, failures, source_failures, only: String::new(), most: 3 };
        while let Some(arg) = args.next() {
            let value = args.next().ok_or(usage)?;
            match &arg[..] {
                "--only" => arguments.only = value,
                "--most" => arguments.most = value.parse().map_err(|_| format!("{value} is no number"))?,
                other => return Err(format!("{other} is no argument; {usage}")),
            }
        }
        Ok(arguments)
    }
}

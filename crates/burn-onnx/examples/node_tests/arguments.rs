use std::path::PathBuf;

/// Arguments of the command line.
#[derive(Debug)]
pub struct Arguments {
    /// Folder with the folders `node`, `simple` and so on.
    pub data: PathBuf,
    /// List of expected failures.
    pub failures: PathBuf,
    /// A text that names of cases must have.
    pub only: Option<String>,
    /// Folders of cases.
    pub kinds: Vec<String>,
    /// Whether cases run on `Fusion<NdArray>`.
    pub fusion: bool,
    /// Whether models are recorded first.
    pub recorded: bool,
    /// Whether the list is written instead of compared.
    pub write: bool,
    /// Whether the cases are whole models, compared to a part of the largest value of an output; every one
    /// has to pass.
    pub exports: bool,
}

impl Arguments {
    pub fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let usage = "usage: node_tests DATA FAILURES [--only TEXT] [--kinds node,simple] [--fusion] [--recorded] [--write] [--exports]";
        let (Some(data), Some(failures)) = (args.next(), args.next()) else { return Err(usage.into()) };
        let kinds = ["node", "simple", "pytorch-converted", "pytorch-operator", "light"];
        let mut arguments = Arguments {
            data: data.into(),
            failures: failures.into(),
            only: None,
            kinds: kinds.map(String::from).into(),
            fusion: false,
            recorded: false,
            write: false,
            exports: false,
        };
        while let Some(arg) = args.next() {
            match &arg[..] {
                "--only" => arguments.only = Some(args.next().ok_or(usage)?),
                "--kinds" => {
                    arguments.kinds = args.next().ok_or(usage)?.split(',').map(String::from).collect()
                }
                "--fusion" => arguments.fusion = true,
                "--recorded" => arguments.recorded = true,
                "--write" => arguments.write = true,
                "--exports" => arguments.exports = true,
                other => return Err(format!("{other} is no argument; {usage}")),
            }
        }
        Ok(arguments)
    }
}

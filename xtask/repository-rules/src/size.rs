//! Files are short, and the tools of the repository do not grow.

use repository::{Findings, RustFile};

/// Lines of a file from which on it is named, so that a reader can ask why; nothing fails.
const LONG: usize = 600;

/// Lines of the commands, tests within, and of all crates below `xtask` together, so that none is moved out
/// to make room. The numbers shrink, but for rules that an issue asks for.
const TOOLS: [(&str, usize); 2] = [("xtask/src/", 2_250), ("xtask/", 10_330)];

pub(crate) fn find(files: &[RustFile]) -> Findings {
    let lines = |folder: &str| -> usize {
        let counted = files.iter().filter(|file| file.name.starts_with(folder));
        counted.map(|file| file.text.lines().count()).sum()
    };
    let counted = TOOLS.map(|(folder, most)| (folder, lines(folder), most)).into_iter();
    let large = counted.filter(|(_, lines, most)| lines > most);
    Ok(large.map(|(folder, lines, most)| format!("{folder} has {lines} lines, at most {most}")).collect())
}

/// Returns notes on long files.
pub(crate) fn long_files(files: &[RustFile]) -> Vec<String> {
    let lengths = files.iter().map(|file| (&file.name, file.text.lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > LONG);
    long.map(|(name, lines)| format!("{name} has {lines} lines")).collect()
}

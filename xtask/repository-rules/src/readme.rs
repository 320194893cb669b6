//! The README is true: it names every feature and example, links to files that are there, and shows figures
//! as they were measured. ARCHITECTURE.md names every crate.

use repository::packages::{self, Package};
use repository::{Findings, workspace};

/// The crate whose features people choose from.
const FACADE: &str = "burn";

/// Packages in `examples/` that only other examples use.
const NO_EXAMPLES: [&str; 1] = ["pip-package"];

/// Begins a table whose rows are those of the named file, or their first columns.
const FIGURES: &str = "<!-- figures: ";

pub(crate) fn find() -> Findings {
    let (readme, architecture) = (workspace::read("README.md")?, workspace::read("ARCHITECTURE.md")?);
    let mut findings = unnamed(&packages::packages()?, &readme, &architecture);
    let missing = links(&readme).filter(|link| !workspace::root().join(link).exists());
    findings.extend(missing.map(|link| format!("README.md links to {link}, which is not there")));
    for table in readme.split(FIGURES).skip(1) {
        let (file, table) = table.split_once(" -->\n").ok_or("README.md: figures of no file")?;
        findings.extend(
            unmeasured(table, &workspace::read(file)?).map(|row| format!("README.md: {file} lacks {row}")),
        );
    }
    Ok(findings)
}

/// Returns the crates, features and examples that are not named where readers look for them.
fn unnamed(packages: &[Package], readme: &str, architecture: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for Package { name, folder, features, .. } in packages {
        let is_in = |parent: &str| folder.parent().is_some_and(|folder| folder.ends_with(parent));
        if is_in("crates") && !architecture.contains(&format!("`{name}`")) {
            findings.push(format!("ARCHITECTURE.md does not name the crate {name}"));
        }
        let link = format!("[`{name}`](examples/{name})");
        if is_in("examples") && !NO_EXAMPLES.contains(&name.as_str()) && !readme.contains(&link) {
            findings.push(format!("README.md does not link to the example {name}"));
        }
        if name == FACADE {
            let is_named = |feature: &str| feature == "default" || readme.contains(&format!("`{feature}`"));
            let features = features.iter().filter(|feature| !is_named(feature));
            findings.extend(features.map(|feature| format!("README.md does not name the feature {feature}")));
        }
    }
    findings
}

/// Returns the files and folders that a page links to, without anchors.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

/// Returns the rows of the table at the beginning of `page` that do not begin a line of `measured`.
fn unmeasured<'a>(page: &'a str, measured: &'a str) -> impl Iterator<Item = &'a str> {
    let rows = page.lines().take_while(|line| line.starts_with('|'));
    rows.filter(|row| !measured.lines().any(|line| line.starts_with(*row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_was_not_measured_is_found() {
        let measured =
            "| workload | ours | PyTorch | met |\n|---|---|---|---|\n| conv | 2 ms | 3 ms | yes |\n";
        let table =
            |time: &str| format!("| workload | ours |\n|---|---|\n| conv | {time} ms |\n\n| not | a row |\n");
        assert_eq!(unmeasured(&table("2"), measured).count(), 0);
        assert_eq!(unmeasured(&table("1"), measured).collect::<Vec<_>>(), ["| conv | 1 ms |"]);
    }

    #[test]
    fn links_to_files_are_found() {
        let page = "[a](docs/a.md#part) ![b](b.svg) [c](#here) [d](https://a.invalid/)";
        assert_eq!(links(page).collect::<Vec<_>>(), ["docs/a.md", "b.svg"]);
    }
}

//! The glossary is short, and the files that it names exist.

use repository::Findings;
use repository::workspace::{read, root};

/// Words of its own that the project may have.
const MOST: usize = 40;

pub(crate) fn find() -> Findings {
    let text = read("GLOSSARY.md")?;
    let words = rows(&text);
    let too_many =
        (words.len() >= MOST).then(|| format!("GLOSSARY.md: {} words, fewer than {MOST} may", words.len()));
    let missing = words.iter().flat_map(|(word, paths)| {
        let is_missing =
            |path: &&&str| !["crates", "", "docs"].iter().any(|at| root().join(at).join(path).exists());
        paths.iter().filter(is_missing).map(move |path| format!("GLOSSARY.md: {word}: `{path}` is no path"))
    });
    Ok(too_many.into_iter().chain(missing).collect())
}

/// The words, each with the paths in the last column.
fn rows(text: &str) -> Vec<(&str, Vec<&str>)> {
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let paths = cells.last().into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2));
        (cells[0], paths.filter(|path| path.contains(['/', '-'])).collect())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_row_has_a_word_and_paths() {
        let text = "| word | meaning | where |\n|---|---|---|\n| tape | nodes of `x` | `burn-autodiff`, `Backend::x` |\n";
        assert_eq!(rows(text), [("tape", vec!["burn-autodiff"])]);
    }
}

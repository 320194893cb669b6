//! Nothing is left for later in the tree: what is not built is an issue, not a placeholder.

use crate::lines::{Lines, each_line};
use repository::workspace::{files, read, relative};
use repository::{Findings, code};

/// In code.
const MACROS: [&str; 4] = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// In comments too; put together here so that this file does not find itself.
const WORDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];
/// In tests: one that measures when it is asked to, and passes otherwise, is a bench; one for which a device
/// lacks something asserts what the device says.
const VACUOUS: [&str; 5] = [
    "BURN_MEASURE",
    "println!(\"left out",
    "eprintln!(\"left out",
    "println!(\"skipped",
    "eprintln!(\"skipped",
];

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in files(&["rs", "md", "toml", "py"]) {
        let text = read(&path)?;
        let mut found = Lines::new();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let code = code(&text);
            found = each_line(&code, |line| word(line, &MACROS));
            found.extend(tests_of_variables(&code));
        }
        found.extend(each_line(&text, |line| word(line, &WORDS)));
        if path.components().any(|part| part.as_os_str() == "tests") {
            found.extend(each_line(&text, |line| word(line, &VACUOUS)));
        }
        findings.extend(found.iter().map(|(line, word)| format!("{}:{line}: {word}", relative(&path))));
    }
    Ok(findings)
}

/// The first of the words that stands by itself, not inside a longer one.
fn word(line: &str, words: &[&str]) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |word: &&&str| {
        line.match_indices(**word)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
    };
    words.iter().find(is_whole).map(|word| word.to_string())
}

/// Tests that do nothing unless a variable makes their process one that another test started: the other test
/// is that process itself.
fn tests_of_variables(code: &str) -> Lines {
    let tests = code.match_indices("#[test]\n").filter(|(at, _)| {
        let body = code[*at..].split_once(" {\n").map_or("", |(_, body)| body);
        let first = body.split(['{', ';']).next().unwrap_or_default();
        let is_all = |condition: &str| {
            let indent = body.len() - body.trim_start().len();
            let end = body.split_once(&format!("\n{}}}", " ".repeat(indent))).map_or("", |(_, end)| end);
            condition.starts_with("if ") && end.trim_start().starts_with('}')
        };
        let is_helper = |condition: &str| is_all(condition) || body[first.len()..].starts_with("{ return }");
        first.contains("env::var") && is_helper(first.trim_start())
    });
    let reason = "let the tests that start this one run themselves once more";
    tests.map(|(at, _)| (code[..at].matches('\n').count() + 1, reason.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::{MACROS, tests_of_variables, word};

    #[test]
    fn tests_without_a_body_of_their_own_are_found() {
        let count = |body: &str| tests_of_variables(&format!("#[test]\nfn f() {{\n    {body}\n}}\n")).len();
        assert_eq!(count("let Ok(x) = env::var(A) else { return };\n    g(x);"), 1);
        assert_eq!(count("if let Ok(x) = std::env::var(A) {\n        g(x);\n    }"), 1);
        assert_eq!(count("if let Ok(x) = env::var(A) {\n        return g(x);\n    }\n    start(A);"), 0);
        assert_eq!(count("if h() {\n        g();\n    }"), 0);
    }

    #[test]
    fn words_inside_longer_words_do_not_count() {
        assert_eq!(word("    todo!()", &MACROS).as_deref(), Some("todo!"));
        assert_eq!(word("my_todo!()", &MACROS), None);
    }
}

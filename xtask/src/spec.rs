//! `cargo xtask spec`: how much of the specification is proved by tests.
//!
//! A row `TB-012` of `docs/specification` is proved by a test function whose name begins with `tb_012_`.

use crate::{Outcome, workspace};
use repository::rust_files;
use std::collections::BTreeSet;

struct Row {
    area: String,
    id: String,
    text: String,
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let named = ids_in_tests()?;
    let rows = rows()?;
    let mut areas: Vec<&str> = rows.iter().map(|row| row.area.as_str()).collect();
    areas.dedup();
    for area in areas {
        let (mut proved, mut total) = (0, 0);
        for row in rows.iter().filter(|row| row.area == area) {
            total += 1;
            proved += usize::from(named.contains(&row.id));
        }
        println!("{proved:4} / {total:<4} {area}");
    }
    let proved = rows.iter().filter(|row| named.contains(&row.id)).count();
    println!("{proved} of {} rows are named by a test", rows.len());
    if arguments.iter().any(|argument| argument == "--missing") {
        for row in rows.iter().filter(|row| !named.contains(&row.id)) {
            println!("{}  {}", row.id, row.text);
        }
    }
    let unknown = unknown(&rows, &named);
    if unknown.is_empty() { Ok(()) } else { Err(format!("tests name rows that do not exist: {unknown:?}")) }
}

/// The ids that tests are named after and that no row has.
fn unknown<'a>(rows: &[Row], named: &'a BTreeSet<String>) -> Vec<&'a String> {
    let known: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    named.iter().filter(|id| !known.contains(id.as_str())).collect()
}

fn rows() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for name in ["api.md", "extras.md"] {
        let text = workspace::read(format!("docs/specification/{name}"))?;
        let mut area = name.to_string();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                area = heading.trim().to_string();
            }
            let mut cells = line.split('|').map(str::trim).skip(1);
            if let (Some(id), Some(text)) = (cells.next().filter(|id| is_id(id)), cells.next()) {
                rows.push(Row { area: area.clone(), id: id.to_string(), text: text.to_string() });
            }
        }
    }
    Ok(rows)
}

/// One or two capital letters, a dash, three digits.
fn is_id(text: &str) -> bool {
    let Some((letters, digits)) = text.split_once('-') else { return false };
    (1..=2).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && digits.len() == 3
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the rows that tests are named after.
fn ids_in_tests() -> Outcome<BTreeSet<String>> {
    Ok(rust_files(|_| true)?.iter().flat_map(|file| ids_in(&file.code)).collect())
}

fn ids_in(code: &str) -> Vec<String> {
    let names = code.split("fn ").skip(1);
    let ids = names.filter_map(|name| {
        let mut parts = name.splitn(3, '_');
        let id = format!("{}-{}", parts.next()?.to_ascii_uppercase(), parts.next()?);
        parts.next().filter(|_| is_id(&id)).map(|_| id)
    });
    ids.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_after_rows_that_exist() {
        let rows = rows().unwrap();
        assert!(rows.len() > 500, "found only {} rows", rows.len());
        assert_eq!(unknown(&rows, &ids_in_tests().unwrap()), Vec::<&String>::new());
    }

    /// The book once called these missing after they were built.
    #[test]
    fn imports_and_browsers_are_proved_by_tests() {
        let named = ids_in_tests().unwrap();
        assert!(["ON-001", "PT-001", "WA-001"].iter().all(|row| named.contains(*row)));
    }

    #[test]
    fn ids_come_from_the_names_of_functions() {
        let code = "fn zz_012_repeat() {}\npub fn z_101_second() {}\nfn zz_12_short() {} fn sum() {}";
        assert_eq!(ids_in(code), ["ZZ-012", "Z-101"]);
    }
}

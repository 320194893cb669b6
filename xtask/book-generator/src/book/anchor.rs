//! Parts of a file between comments `ANCHOR: NAME` and `ANCHOR_END: NAME`.

/// Lines of a file that a page includes, and its other lines.
#[derive(Debug, Default)]
pub(crate) struct Anchored {
    pub(crate) shown: String,
    pub(crate) rest: String,
}

/// Takes a file apart: what lies between any of the anchors, or all of it where one is `None`. Lines of
/// anchors are left out.
///
/// # Errors
/// The name of an anchor that is not there, or has no end.
pub(crate) fn read(text: &str, anchors: &[Option<&str>]) -> Result<Anchored, String> {
    for anchor in anchors.iter().flatten() {
        let has = |mark: &str| text.lines().any(|line| named(line, mark) == Some(anchor));
        if !has("ANCHOR: ") || !has("ANCHOR_END: ") {
            return Err(anchor.to_string());
        }
    }
    let mut open: Vec<&str> = Vec::new();
    let mut anchored = Anchored::default();
    for line in text.lines() {
        if let Some(name) = named(line, "ANCHOR: ") {
            open.push(name);
        } else if let Some(name) = named(line, "ANCHOR_END: ") {
            open.retain(|other| *other != name);
        } else {
            let is_shown = anchors.iter().any(|anchor| anchor.is_none_or(|anchor| open.contains(&anchor)));
            let part = if is_shown { &mut anchored.shown } else { &mut anchored.rest };
            part.push_str(line);
            part.push('\n');
        }
    }
    Ok(anchored)
}

/// The name of the anchor that a line begins or ends.
fn named<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let (before, name) = line.split_once(mark)?;
    // A comment of any language, and not `ANCHOR_END: ` read as the end of another word.
    before.trim().chars().all(|c| !c.is_alphanumeric()).then(|| name.trim().trim_end_matches(" -->"))
}

/// Removes the indentation that all lines have.
pub(crate) fn dedent(text: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let least = lines.map(indentation).min().unwrap_or(0);
    text.lines().map(|line| format!("{}\n", line.get(least..).unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "a\n// ANCHOR: one\nb\n    // ANCHOR: two\n    c\n    // ANCHOR_END: two\nd\n// ANCHOR_END: one\n";

    #[test]
    fn anchors_may_be_within_others() {
        let Anchored { shown, rest } = read(FILE, &[Some("one")]).unwrap();
        assert_eq!((shown.as_str(), rest.as_str()), ("b\n    c\nd\n", "a\n"));
        let Anchored { shown, rest } = read(FILE, &[Some("two")]).unwrap();
        assert_eq!((dedent(&shown).as_str(), rest.as_str()), ("c\n", "a\nb\nd\n"));
        assert_eq!(read(FILE, &[None]).unwrap().rest, "");
        assert_eq!(read(FILE, &[Some("three")]).unwrap_err(), "three");
    }
}

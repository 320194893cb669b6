use alloc::string::String;
use burn_core::config::{ConfigError, FieldCheck};
use burn_derive::fallible;
use core::fmt::{Display, Formatter};

/// Pattern of paths of parameters, such as `encoder.layers.0.weight`.
///
/// The names of a path are separated by dots. In a pattern,
///
/// - `*` stands for any number of characters of one name, `?` for one character,
/// - `**` as a name of its own stands for any number of names.
///
/// ```
/// use burn::optim::PathPattern;
///
/// let pattern = PathPattern::new("encoder.**.bias");
/// assert!(pattern.matches("encoder.layers.0.attention.bias"));
/// assert!(pattern.matches("encoder.bias"));
/// assert!(!pattern.matches("decoder.bias"));
///
/// assert!(PathPattern::new("layers.*.norm?.**").matches("layers.11.norm1.gamma"));
/// assert!(!PathPattern::new("layers.*").matches("layers.11.weight"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern(String);

#[fallible(config)]
impl PathPattern {
    /// Returns the pattern.
    ///
    /// # Errors
    /// The pattern is empty, or one of its names is.
    pub fn try_new(pattern: &str) -> Result<Self, ConfigError> {
        let fits = pattern.split('.').all(|name| !name.is_empty());
        let check = FieldCheck::of("PathPattern");
        check.ensure(fits, "pattern", &pattern, "names that are separated by single dots")?;
        Ok(PathPattern(pattern.into()))
    }

    /// Returns whether the whole of `path` fits the pattern.
    pub fn matches(&self, path: &str) -> bool {
        names_match(Some(&self.0), Some(path))
    }

    /// Returns the text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for PathPattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits off the first name.
fn first_name(path: &str) -> (&str, Option<&str>) {
    path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)))
}

/// Matches names that are left; `None` where there are none.
fn names_match(pattern: Option<&str>, path: Option<&str>) -> bool {
    let Some(pattern) = pattern else { return path.is_none() };
    let (name, rest) = first_name(pattern);
    if name == "**" {
        if names_match(rest, path) {
            return true;
        }
        return path.is_some_and(|path| names_match(Some(pattern), first_name(path).1));
    }
    let Some(path) = path else { return false };
    let (found, below) = first_name(path);
    name_matches(name.as_bytes(), found.as_bytes()) && names_match(rest, below)
}

/// Matches one name; names of fields are ASCII or compared byte by byte.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    // The last star, and where its run ended: a mismatch lengthens the run by one character.
    let (mut at, mut position, mut star) = (0, 0, None);
    while position < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, position));
                at += 1;
            }
            Some(&character) if character == b'?' || character == name[position] => {
                (at, position) = (at + 1, position + 1);
            }
            Some(_) | None => {
                let Some((star_at, end)) = star else { return false };
                star = Some((star_at, end + 1));
                (at, position) = (star_at + 1, end + 1);
            }
        }
    }
    pattern[at..].iter().all(|&character| character == b'*')
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    #[test]
    fn path_pattern_matches_whole_names() {
        for (pattern, path, expected) in [
            ("weight", "weight", true),
            ("weight", "layer.weight", false),
            ("*", "weight", true),
            ("*", "layer.weight", false),
            ("**", "layer.weight", true),
            ("**", "weight", true),
            ("**.weight", "weight", true),
            ("**.weight", "a.b.weight", true),
            ("**.weight", "a.weights", false),
            ("a.**.c", "a.c", true),
            ("a.**.c", "a.b.b.c", true),
            ("a.**.c", "a.b.c.d", false),
            ("a.**.b.**", "a.x.b", true),
            ("a.**", "a", true),
            ("layers.*.w*t", "layers.10.weight", true),
            ("layers.?.weight", "layers.10.weight", false),
            ("*a*b", "xaxbab", true),
            ("*a*b", "xaxba", false),
            ("a*", "a", true),
            ("", "", false),
        ] {
            let found = PathPattern::try_new(pattern).is_ok_and(|pattern| pattern.matches(path));
            assert_eq!(found, expected, "{pattern} {path}");
        }
        for pattern in ["", ".", "a.", ".a", "a..b"] {
            assert!(PathPattern::try_new(pattern).is_err(), "{pattern}");
        }
    }
}

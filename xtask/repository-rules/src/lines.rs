use repository::Findings;

/// Numbers of the lines that break a rule, each with the reason.
pub(crate) type Lines = Vec<(usize, String)>;

/// Returns the reason for each line of a text that has one.
pub(crate) fn each_line(text: &str, reason: impl Fn(&str) -> Option<String>) -> Lines {
    text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, reason(line)?))).collect()
}

/// Returns a title and what was counted where that is more than `most`.
pub(crate) fn at_most(most: usize, counted: Vec<String>, title: impl Fn(usize) -> String) -> Findings {
    if counted.len() <= most {
        return Ok(Vec::new());
    }
    Ok([title(counted.len())].into_iter().chain(counted).collect())
}

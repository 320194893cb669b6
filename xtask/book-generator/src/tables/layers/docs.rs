//! Text of a type's documentation: its first sentence, its papers, its names in PyTorch.

use super::super::counterpart::sentence;

/// Returns the text on one line, without examples and without the targets of links.
pub(super) fn prose(documentation: &str) -> String {
    let (mut lines, mut in_example) = (Vec::new(), false);
    for line in documentation.lines().map(str::trim) {
        if line.starts_with("```") {
            in_example = !in_example;
        } else if !in_example {
            lines.push(line);
        }
    }
    let text = lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    without_links(&text)
}

/// Returns the first sentence, without the paper, without names of PyTorch in parentheses and without what
/// follows "PyTorch:".
pub(super) fn summary(documentation: &str) -> String {
    let paragraph = documentation.split("\n\n").map(str::trim).find(|text| !text.is_empty());
    let paragraph = prose(paragraph.unwrap_or_default());
    let sentence = sentence(paragraph.split("PyTorch: ").next().unwrap_or_default());
    let sentence = sentence.trim_end_matches([' ', ':']);
    let mut summary = sentence.to_string();
    for group in groups(sentence) {
        let is_source = |part: &str| citation(part).is_some() || part.starts_with("`torch.");
        if group.split(';').any(|part| is_source(part.trim())) {
            summary = summary.replace(&format!(" ({group})"), "");
        }
    }
    summary.trim().to_string()
}

/// Returns the papers that stand in parentheses: `(He et al. 2015)`.
pub(super) fn papers(documentation: &str) -> Vec<String> {
    let text = prose(documentation);
    let mut papers: Vec<String> = Vec::new();
    let parts = groups(&text).into_iter().flat_map(|group| group.split(';'));
    for paper in parts.filter_map(|part| citation(part.trim())) {
        if !papers.iter().any(|known| known == paper) {
            papers.push(paper.to_string());
        }
    }
    papers
}

/// Returns the names that begin with `torch.` or `torchvision.`, and classes that are named after one of the
/// same module without it: `` `torch.nn.BatchNorm1d` and `BatchNorm2d` ``.
pub(super) fn torch_names(counterpart: &str) -> Vec<String> {
    let (mut all, mut module): (Vec<String>, Option<String>) = (Vec::new(), None);
    for code in counterpart.split('`').skip(1).step_by(2) {
        let end = code.find(|c: char| !(c.is_ascii_alphanumeric() || "._".contains(c))).unwrap_or(code.len());
        let name = code[..end].trim_end_matches('.');
        let is_class = name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains('.');
        let name = match &module {
            _ if name.starts_with("torch.") || name.starts_with("torchvision.") => name.to_string(),
            Some(module) if is_class && name.len() > 1 && end == code.len() => format!("{module}.{name}"),
            Some(_) | None => continue,
        };
        module = name.rsplit_once('.').map(|(module, _)| module.to_string());
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Returns what stands in parentheses outside of code, inner parentheses included.
fn groups(text: &str) -> Vec<&str> {
    let (mut groups, mut starts, mut in_code) = (Vec::new(), Vec::new(), false);
    for (at, character) in text.char_indices() {
        match character {
            '`' => in_code = !in_code,
            '(' if !in_code => starts.push(at + 1),
            ')' if !in_code => {
                if let (Some(start), true) = (starts.pop(), starts.is_empty()) {
                    groups.push(&text[start..at]);
                }
            }
            _ => {}
        }
    }
    groups
}

/// Returns the author with the year, `Kingma and Ba 2014`, of a text that begins with them and may go on
/// after a comma.
fn citation(text: &str) -> Option<&str> {
    let begins = text.starts_with(|c: char| c.is_uppercase() || c == '"');
    let is_year = |word: &str| {
        let digits = word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
        digits && (word.starts_with("19") || word.starts_with("20"))
    };
    let ends = text.match_indices(',').map(|(at, _)| at).chain([text.len()]);
    let mut parts = ends.map(|end| &text[..end]);
    parts.find(|part| begins && part.len() > 5 && part.rsplit(' ').next().is_some_and(is_year))
}

/// Returns ``[`Name`](path)`` and ``[`Name`]`` as `` `Name` ``.
fn without_links(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("[`") {
        let (before, link) = rest.split_at(start);
        out.push_str(before);
        let Some(end) = link.find("`]") else {
            rest = link;
            break;
        };
        out.push_str(&link[1..=end]);
        rest = &link[end + 2..];
        if let Some(target) = rest.strip_prefix('(') {
            rest = target.split_once(')').map_or(target, |(_, rest)| rest);
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCS: &str = " Leaky ReLU: `x` where positive, `a x` elsewhere (Maas et al. 2013), as\n [`PRelu`](crate::PRelu). \
                        PyTorch:\n `torch.nn.LeakyReLU`. More.\n\n The slope is constant (He 2015; a note).\n ```\n \
                        f(Not a paper 2020)\n ```";

    #[test]
    fn the_summary_is_the_first_sentence_without_paper_and_links() {
        assert_eq!(summary(DOCS), "Leaky ReLU: `x` where positive, `a x` elsewhere, as `PRelu`");
        assert_eq!(
            summary("Pads `[a. b]` (e.g. this. one) by 1. Next."),
            "Pads `[a. b]` (e.g. this. one) by 1"
        );
        assert_eq!(summary("A layer. PyTorch:\n `x`."), "A layer");
        assert_eq!(summary("All 1 (`torch.nn.init.ones_`)."), "All 1");
    }

    #[test]
    fn papers_are_authors_with_a_year() {
        assert_eq!(papers(DOCS), ["Maas et al. 2013", "He 2015"]);
        let quoted = "Noise (Bishop, \"Training with noise\", 1995) of `f(In code 2001)` (about 1995).";
        assert_eq!(papers(quoted), ["Bishop, \"Training with noise\", 1995"]);
        assert_eq!(papers("Adan (Xie et al. 2022, algorithm 1, of 3)."), ["Xie et al. 2022"]);
    }

    #[test]
    fn names_in_pytorch_are_found_in_code() {
        let text = "`torch.nn.GRU(bias=True)`, `BatchNorm2d` with `bidirectional=True` and `N`";
        assert_eq!(torch_names(text), ["torch.nn.GRU", "torch.nn.BatchNorm2d"]);
        assert_eq!(torch_names("`AveragedModel` of one's own"), [""; 0]);
    }
}

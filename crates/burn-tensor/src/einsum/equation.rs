use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::Shape;

/// The name of a dimension: a letter, or one of the dimensions that an ellipsis stands for.
pub type Label = usize;

/// Labels of an ellipsis count from its last dimension, so that they broadcast.
const ELLIPSIS: Label = 256;

/// Parsed equation: the labels of each operand and of the result.
#[derive(Debug)]
pub struct Equation {
    pub terms: Vec<Vec<Label>>,
    pub result: Vec<Label>,
    /// The size of each label; an operand may have 1 instead.
    pub sizes: BTreeMap<Label, usize>,
}

/// The letters of one term, before and after its ellipsis.
struct Term {
    before: Vec<Label>,
    after: Option<Vec<Label>>,
}

impl Term {
    fn parse(text: &str) -> Result<Term, String> {
        Ok(match text.split_once("...") {
            Some((before, after)) => Term { before: letters(before)?, after: Some(letters(after)?) },
            None => Term { before: letters(text)?, after: None },
        })
    }

    /// Replaces the ellipsis by `covered` dimensions.
    fn labels(self, covered: usize) -> Vec<Label> {
        let Term { mut before, after } = self;
        if let Some(after) = after {
            before.extend((0..covered).rev().map(|from_end| ELLIPSIS + from_end));
            before.extend(after);
        }
        before
    }
}

fn letters(text: &str) -> Result<Vec<Label>, String> {
    text.chars()
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' => Ok(letter as Label),
            other => Err(format!("`{other}` is no letter")),
        })
        .collect()
}

fn shown(label: Label) -> String {
    match u8::try_from(label) {
        Ok(letter) => format!("`{}`", char::from(letter)),
        Err(_) => format!("dimension {} from the end of `...`", label - ELLIPSIS),
    }
}

/// Parses an einsum equation for operands of these shapes; the error says what is wrong with it.
pub fn parse(text: &str, shapes: &[Shape]) -> Result<Equation, String> {
    let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&text[..], None),
    };
    let parts: Vec<&str> = inputs.split(',').collect();
    let (count, given) = (parts.len(), shapes.len());
    if count != given {
        return Err(format!("has {count} terms for {given} operands"));
    }
    let (mut terms, mut widest) = (Vec::new(), 0);
    for (operand, (part, shape)) in parts.into_iter().zip(shapes).enumerate() {
        let term = Term::parse(part)?;
        let (rank, named) = (shape.rank(), term.before.len() + term.after.as_ref().map_or(0, Vec::len));
        let fits = if term.after.is_some() { named <= rank } else { named == rank };
        if !fits {
            return Err(format!(
                "the term `{part}` of operand {operand} does not fit {shape:?} (rank {rank})"
            ));
        }
        widest = widest.max(rank - named);
        terms.push(term.labels(rank - named));
    }
    let sizes = sizes(&terms, shapes)?;
    let result = match output {
        Some(output) => explicit(output, widest, &sizes)?,
        None => implicit(&terms, widest),
    };
    Ok(Equation { terms, result, sizes })
}

fn sizes(terms: &[Vec<Label>], shapes: &[Shape]) -> Result<BTreeMap<Label, usize>, String> {
    let mut sizes = BTreeMap::new();
    for (operand, (labels, shape)) in terms.iter().zip(shapes).enumerate() {
        for (dim, (&label, &size)) in labels.iter().zip(shape.iter()).enumerate() {
            let first = labels.iter().position(|&other| other == label).unwrap_or(dim);
            let own = shape[first];
            let known = sizes.entry(label).or_insert(size);
            if own != size || (*known != size && *known != 1 && size != 1) {
                let other = if own == size { *known } else { own };
                let label = shown(label);
                return Err(format!(
                    "{label} is {other}, and {size} in operand {operand} of shape {shape:?}"
                ));
            }
            if *known == 1 {
                *known = size;
            }
        }
    }
    Ok(sizes)
}

fn explicit(output: &str, widest: usize, sizes: &BTreeMap<Label, usize>) -> Result<Vec<Label>, String> {
    let labels = Term::parse(output)?.labels(widest);
    for (position, &label) in labels.iter().enumerate() {
        let label_text = shown(label);
        if labels[..position].contains(&label) {
            return Err(format!("the result names {label_text} twice"));
        }
        if !sizes.contains_key(&label) {
            return Err(format!("the result names {label_text}, which no operand has"));
        }
    }
    Ok(labels)
}

/// Returns the implicit result: the ellipsis, then every letter that occurs once, in alphabetical order.
fn implicit(terms: &[Vec<Label>], widest: usize) -> Vec<Label> {
    let mut counts = BTreeMap::<Label, usize>::new();
    terms.iter().flatten().for_each(|&label| *counts.entry(label).or_default() += 1);
    let once = counts.into_iter().filter(|&(label, count)| label < ELLIPSIS && count == 1);
    (0..widest).rev().map(|from_end| ELLIPSIS + from_end).chain(once.map(|(label, _)| label)).collect()
}

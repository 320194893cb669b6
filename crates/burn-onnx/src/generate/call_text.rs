//! Calls as source: the text of their definition with the arguments in the place of parameters.

use super::numbers::{Variables, float};
use crate::calls::{Definition, Operand, Range};
use crate::value::{Expr, Tensor};

/// The text of a call. `tensor` gives the text of a tensor, in the order in which they stand in the arguments.
pub(super) fn call(
    definition: &Definition,
    operands: &[Operand],
    variables: &Variables,
    tensor: &mut dyn FnMut(&Tensor) -> String,
) -> String {
    // A tensor that stands in the text several times is moved at the last place and cloned before.
    let mut order: Vec<usize> = Vec::with_capacity(operands.len());
    substituted(definition.source, |word| {
        order.extend(definition.parameters.iter().position(|parameter| *parameter == word));
        None
    });
    let mut arguments = vec![String::new(); operands.len()];
    for place in order {
        arguments[place] = argument(&operands[place], definition.sorts[place], variables, tensor);
    }
    substituted(definition.source, |word| {
        let place = definition.parameters.iter().position(|parameter| *parameter == word)?;
        Some(arguments[place].clone())
    })
}

fn argument(
    operand: &Operand,
    sort: &str,
    variables: &Variables,
    tensor: &mut dyn FnMut(&Tensor) -> String,
) -> String {
    let optional = sort.starts_with("Maybe");
    match operand {
        Operand::Tensor(x) if optional => format!("Some({})", tensor(x)),
        Operand::Tensor(x) => tensor(x),
        Operand::Absent => "None".into(),
        Operand::Tensors(tensors) => {
            let texts: Vec<String> = tensors.iter().map(tensor).collect();
            format!("vec![{}]", texts.join(", "))
        }
        Operand::Number(number) => match (sort, number) {
            ("Count" | "Size", number) => variables.count(number),
            ("Real", Expr::Float(value)) => float(*value),
            (_, Expr::Float(value)) => float(*value),
            (_, number) => variables.text(number),
        },
        Operand::Numbers(numbers) => {
            let is_count = matches!(sort, "Counts" | "DimsList");
            let texts: Vec<String> = numbers
                .iter()
                .map(|number| if is_count { variables.count(number) } else { variables.text(number) })
                .collect();
            match (&texts[..], sort) {
                ([], "IntData") => "[0_i64; 0]".into(),
                (texts, "IntData")
                    if texts.len() > 1 && numbers.windows(2).all(|pair| pair[0] == pair[1]) =>
                {
                    format!("[{}; {}]", typed(&numbers[0], &texts[0]), texts.len())
                }
                ([first, rest @ ..], "IntData") => {
                    let mut texts = vec![typed(&numbers[0], first)];
                    texts.extend(rest.iter().cloned());
                    format!("[{}]", texts.join(", "))
                }
                (texts, _) => format!("[{}]", texts.join(", ")),
            }
        }
        Operand::Ranges(ranges) => {
            let texts: Vec<String> = ranges.iter().map(|range| range_text(range, variables)).collect();
            format!("s![{}]", texts.join(", "))
        }
        Operand::Pairs(pairs) => {
            let texts: Vec<String> = pairs
                .iter()
                .map(|(before, after)| format!("({}, {})", variables.count(before), variables.count(after)))
                .collect();
            format!("[{}]", texts.join(", "))
        }
        Operand::Flag(value) => value.to_string(),
        Operand::Type(dtype) => format!("DType::{dtype:?}"),
    }
}

/// The first literal of a list of integers says their type.
fn typed(number: &Expr, text: &str) -> String {
    match number {
        Expr::Int(_) => format!("{text}_i64"),
        _ => text.into(),
    }
}

fn range_text(range: &Range, variables: &Variables) -> String {
    let bound = |expr: &Expr| match expr {
        Expr::Apply(_) => format!("({})", variables.text(expr)),
        other => variables.text(other),
    };
    let start = if range.start.is(0) { String::new() } else { bound(&range.start) };
    let end = range.end.as_ref().map(bound).unwrap_or_default();
    if range.step == 1 { format!("{start}..{end}") } else { format!("{start}..{end}; {}", range.step) }
}

/// `source` with some words replaced, without `?` and without `try_` in front of words.
fn substituted(source: &str, mut replacement: impl FnMut(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        let length =
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if length > 0 {
            let (word, after) = rest.split_at(length);
            match replacement(word) {
                // A method of an expression that begins with a sign or has spaces.
                Some(argument) if after.starts_with('.') && is_compound(&argument) => {
                    text.push_str(&format!("({argument})"));
                }
                Some(argument) => text.push_str(&argument),
                None => text.push_str(word.strip_prefix("try_").unwrap_or(word)),
            }
            rest = after;
        } else {
            if letter != '?' {
                text.push(letter);
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    text
}

fn is_compound(text: &str) -> bool {
    text.starts_with('-') || (text.contains(' ') && !text.starts_with('[') && !text.starts_with("s!["))
}

#[cfg(test)]
mod tests {
    use super::substituted;

    #[test]
    fn parameters_are_replaced_as_whole_words() {
        let text = substituted("x.try_pad(pads, PadMode::Constant(value.into()))?", |word| match word {
            "x" => Some("input".into()),
            "pads" => Some("[(1, 1)]".into()),
            "value" => Some("-0.5".into()),
            _ => None,
        });
        assert_eq!(text, "input.pad([(1, 1)], PadMode::Constant((-0.5).into()))");
    }
}

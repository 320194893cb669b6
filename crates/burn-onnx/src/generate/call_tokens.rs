//! Calls as source: the tokens of their definition with the arguments in the place of parameters.

use super::literal::{dtype, float, integer, integer_i64, size};
use super::numbers::Variables;
use crate::calls::{Definition, Operand, Range};
use crate::value::{Expr, Tensor};
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::str::FromStr;

/// The tokens of a call. `tensor` gives those of a tensor, in the order in which they stand in the arguments.
pub(super) fn call(
    definition: &Definition,
    operands: &[Operand],
    variables: &Variables,
    tensor: &mut dyn FnMut(&Tensor) -> TokenStream,
) -> TokenStream {
    let source = TokenStream::from_str(definition.source).expect("a definition is Rust");
    let place = |word: &Ident| definition.parameters.iter().position(|parameter| word == parameter);
    // A tensor that stands in the text several times is moved at the last place and cloned before.
    let mut order: Vec<usize> = Vec::with_capacity(operands.len());
    substituted(source.clone(), &mut |word| {
        order.extend(place(word));
        None
    });
    let mut arguments = vec![TokenStream::new(); operands.len()];
    for place in order {
        arguments[place] = argument(&operands[place], definition.sorts[place], variables, tensor);
    }
    substituted(source, &mut |word| Some(arguments[place(word)?].clone()))
}

fn argument(
    operand: &Operand,
    sort: &str,
    variables: &Variables,
    tensor: &mut dyn FnMut(&Tensor) -> TokenStream,
) -> TokenStream {
    match operand {
        Operand::Tensor(x) => {
            let x = tensor(x);
            if sort.starts_with("Maybe") { quote!(Some(#x)) } else { x }
        }
        Operand::Absent => quote!(None),
        Operand::Tensors(tensors) => {
            let tensors = tensors.iter().map(tensor);
            quote!(vec![#(#tensors),*])
        }
        Operand::Number(number) => match (sort, number) {
            ("Count" | "Size", number) => variables.count(number),
            (_, Expr::Float(value)) => float(*value),
            (_, number) => variables.text(number),
        },
        Operand::Numbers(numbers) => list(numbers, sort, variables),
        Operand::Ranges(ranges) => {
            let ranges = ranges.iter().map(|range| range_tokens(range, variables));
            quote!(s![#(#ranges),*])
        }
        Operand::Pairs(pairs) => {
            let before = pairs.iter().map(|(before, _)| variables.count(before));
            let after = pairs.iter().map(|(_, after)| variables.count(after));
            quote!([#((#before, #after)),*])
        }
        Operand::Flag(value) => quote!(#value),
        Operand::Type(value) => dtype(*value),
    }
}

/// Numbers as an array; the first literal of integer elements says their type.
fn list(numbers: &[Expr], sort: &str, variables: &Variables) -> TokenStream {
    let is_count = matches!(sort, "Counts" | "DimsList");
    let mut texts: Vec<TokenStream> = numbers
        .iter()
        .map(|number| if is_count { variables.count(number) } else { variables.text(number) })
        .collect();
    if sort == "IntData" {
        match numbers {
            [] => return quote!([0_i64; 0]),
            [Expr::Int(first), ..] => texts[0] = integer_i64(*first),
            _ => {}
        }
        if numbers.len() > 1 && numbers.iter().all(|number| *number == numbers[0]) {
            let (first, count) = (&texts[0], size(numbers.len()));
            return quote!([#first; #count]);
        }
    }
    quote!([#(#texts),*])
}

fn range_tokens(range: &Range, variables: &Variables) -> TokenStream {
    let bound = |expr: &Expr| {
        let text = variables.text(expr);
        if let Expr::Apply(_) = expr { quote!((#text)) } else { text }
    };
    let start = if range.start.is(0) { TokenStream::new() } else { bound(&range.start) };
    let end = range.end.as_ref().map(bound);
    if range.step == 1 {
        return quote!(#start..#end);
    }
    let step = integer(range.step);
    quote!(#start..#end; #step)
}

/// `source` with some words replaced, without `?` and without `try_` in front of words.
fn substituted(
    source: TokenStream,
    replacement: &mut dyn FnMut(&Ident) -> Option<TokenStream>,
) -> TokenStream {
    let mut result = TokenStream::new();
    let mut rest = source.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '?' => {}
            TokenTree::Group(group) => {
                let inner = substituted(group.stream(), replacement);
                result.extend([TokenTree::from(Group::new(group.delimiter(), inner))]);
            }
            TokenTree::Ident(word) => match replacement(&word) {
                Some(argument) => {
                    let has_method =
                        matches!(rest.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '.');
                    // A method of an expression that begins with a sign or has operators.
                    result.extend(if has_method && is_compound(&argument) {
                        quote!((#argument))
                    } else {
                        argument
                    });
                }
                None => {
                    let text = word.to_string();
                    let name = text.strip_prefix("try_").map(|name| format_ident!("{name}"));
                    result.extend([TokenTree::from(name.unwrap_or(word))]);
                }
            },
            other => result.extend([other]),
        }
    }
    result
}

/// Whether operators stand outside of brackets.
fn is_compound(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    let first = tokens.next();
    let begins_with_sign = matches!(first, Some(TokenTree::Punct(_)));
    let begins_with_if = matches!(&first, Some(TokenTree::Ident(word)) if word == "if");
    begins_with_sign
        || begins_with_if
        || tokens.any(|token| match token {
            TokenTree::Punct(mark) => !matches!(mark.as_char(), '.' | ':' | '!'),
            TokenTree::Ident(word) => word == "as",
            TokenTree::Group(_) | TokenTree::Literal(_) => false,
        })
}

/// `Tensor::new_tensor(..)` without the type that stands in `Tensor::<B, 1, Int>::new_tensor(..)`, if that is
/// the form of the call.
pub(super) fn without_type(call: &TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = call.clone().into_iter().collect();
    let is_mark =
        |token: &TokenTree, letter: char| matches!(token, TokenTree::Punct(mark) if mark.as_char() == letter);
    let [TokenTree::Ident(word), first, second, open, inner @ ..] = &tokens[..] else { return None };
    if word != "Tensor" || !is_mark(first, ':') || !is_mark(second, ':') || !is_mark(open, '<') {
        return None;
    }
    let end = inner.iter().position(|token| is_mark(token, '>'))?;
    let rest = inner[end + 1..].iter();
    Some(quote!(Tensor #(#rest)*))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_replaced_as_whole_words() {
        let source = quote!(x.try_pad(pads, PadMode::Constant(value.into()))?);
        let found = substituted(source, &mut |word| {
            Some(match &word.to_string()[..] {
                "x" => quote!(input),
                "pads" => quote!([(1, 1)]),
                "value" => quote!(-0.5),
                _ => return None,
            })
        });
        let expected = quote!(input.pad([(1, 1)], PadMode::Constant((-0.5).into())));
        assert_eq!(found.to_string(), expected.to_string());
    }

    #[test]
    fn the_type_of_a_path_is_left_out() {
        let found = without_type(&quote!(Tensor::<B, 1, Int>::full([n], 1, device))).unwrap();
        assert_eq!(found.to_string(), quote!(Tensor::full([n], 1, device)).to_string());
        assert!(without_type(&quote!(Tensor::cat(list, 0))).is_none());
    }
}

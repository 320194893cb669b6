//! `macro_rules!`, as far as tables of functions need them: what the compiler would see instead.

use crate::Outcome;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::HashMap;
use syn::{File, Item, ItemImpl, Macro};

/// The macros of a crate by name, each with the file that it is defined in.
#[derive(Debug, Default)]
pub(super) struct Macros(HashMap<String, Vec<(String, Rules)>>);

impl Macros {
    /// Collects the macros of files.
    pub(super) fn of(files: &[(String, File)]) -> Macros {
        let mut macros = Macros::default();
        for (place, item) in
            files.iter().flat_map(|(place, file)| file.items.iter().map(move |item| (place, item)))
        {
            if let Item::Macro(item) = item
                && item.mac.path.is_ident("macro_rules")
                && let Some(name) = &item.ident
            {
                let rules = Rules::read(item.mac.tokens.clone());
                macros.0.entry(name.to_string()).or_default().push((place.clone(), rules));
            }
        }
        macros
    }

    /// Returns the items that a call in the file `place` expands to.
    pub(super) fn items(&self, place: &str, call: &Macro) -> Outcome<Vec<Item>> {
        let file: File = parse(place, self.expand(place, call)?)?;
        Ok(file.items)
    }

    /// Returns the block `around` with what a call in it expands to as its only content.
    pub(super) fn block(&self, place: &str, around: &ItemImpl, call: &Macro) -> Outcome<ItemImpl> {
        let inside = self.expand(place, call)?;
        let (generics, ty, attributes) = (&around.generics, &around.self_ty, &around.attrs);
        parse(place, quote::quote!(#(#attributes)* impl #generics #ty { #inside }))
    }

    /// Takes the macro of the same file, where several have the name.
    fn expand(&self, place: &str, call: &Macro) -> Outcome<TokenStream> {
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let named = self.0.get(&name).map(Vec::as_slice).unwrap_or_default();
        let (_, rules) = named
            .iter()
            .find(|(file, _)| file == place)
            .or(named.last())
            .ok_or_else(|| format!("{place}.rs: no macro `{name}`"))?;
        rules.expand(call.tokens.clone()).ok_or_else(|| format!("{place}.rs: no rule of `{name}!` fits"))
    }
}

fn parse<T: syn::parse::Parse>(place: &str, tokens: TokenStream) -> Outcome<T> {
    syn::parse2(tokens).map_err(|cause| format!("{place}.rs: {cause}"))
}

/// The rules of one macro.
#[derive(Clone, Debug)]
struct Rules(Vec<(Vec<Part>, TokenStream)>);

#[derive(Clone, Debug)]
enum Part {
    Token(TokenTree),
    Inside(Delimiter, Vec<Part>),
    Fragment { name: String, kind: String },
    Repeat { parts: Vec<Part>, separator: Option<String> },
}

#[derive(Clone, Debug)]
enum Binding {
    Tokens(TokenStream),
    Repeat(Vec<Binding>),
}

type Bindings = HashMap<String, Binding>;

impl Rules {
    /// From what stands between the braces of `macro_rules! name { .. }`.
    fn read(definition: TokenStream) -> Rules {
        let mut groups = definition.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        });
        let mut rules = Vec::new();
        while let (Some(pattern), Some(body)) = (groups.next(), groups.next()) {
            rules.push((pattern_of(pattern), body));
        }
        Rules(rules)
    }

    /// Expands the input by the first rule that matches.
    fn expand(&self, input: TokenStream) -> Option<TokenStream> {
        let input: Vec<TokenTree> = input.into_iter().collect();
        self.0.iter().find_map(|(pattern, body)| {
            let (mut at, mut bindings) = (0, Bindings::new());
            let fits = fit(pattern, &input, &mut at, &mut bindings) && at == input.len();
            fits.then(|| transcribe(body.clone(), &bindings))
        })
    }
}

/// A separator, if there is one, and then `*`, `+` or `?`.
fn repetition(tokens: &mut impl Iterator<Item = TokenTree>) -> Option<String> {
    let first = tokens.next()?.to_string();
    if matches!(first.as_str(), "*" | "+" | "?") {
        return None;
    }
    tokens.next();
    Some(first)
}

fn pattern_of(pattern: TokenStream) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut tokens = pattern.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => match tokens.next() {
                Some(TokenTree::Group(group)) => {
                    let separator = repetition(&mut tokens);
                    parts.push(Part::Repeat { parts: pattern_of(group.stream()), separator });
                }
                Some(name) => {
                    let kind = tokens.nth(1).map(|kind| kind.to_string()).unwrap_or_default();
                    parts.push(Part::Fragment { name: name.to_string(), kind });
                }
                None => {}
            },
            TokenTree::Group(group) => {
                parts.push(Part::Inside(group.delimiter(), pattern_of(group.stream())));
            }
            other => parts.push(Part::Token(other)),
        }
    }
    parts
}

fn fit(pattern: &[Part], input: &[TokenTree], at: &mut usize, bindings: &mut Bindings) -> bool {
    for (position, part) in pattern.iter().enumerate() {
        match part {
            Part::Token(token) => {
                if input.get(*at).map(ToString::to_string) != Some(token.to_string()) {
                    return false;
                }
                *at += 1;
            }
            Part::Inside(delimiter, parts) => {
                let Some(TokenTree::Group(group)) = input.get(*at) else { return false };
                let (inside, mut end) = (group.stream().into_iter().collect::<Vec<_>>(), 0);
                let fits = group.delimiter() == *delimiter && fit(parts, &inside, &mut end, bindings);
                if !fits || end != inside.len() {
                    return false;
                }
                *at += 1;
            }
            Part::Fragment { name, kind } => {
                let end = fragment(kind, pattern.get(position + 1), input, *at);
                if end == *at && kind != "vis" {
                    return false;
                }
                let tokens = input[*at..end].iter().cloned().collect();
                bindings.insert(name.clone(), Binding::Tokens(tokens));
                *at = end;
            }
            Part::Repeat { parts, separator } => repeat(parts, separator.as_deref(), input, at, bindings),
        }
    }
    true
}

fn repeat(
    parts: &[Part],
    separator: Option<&str>,
    input: &[TokenTree],
    at: &mut usize,
    bindings: &mut Bindings,
) {
    let mut rounds: Vec<Bindings> = Vec::new();
    loop {
        let mut end = *at;
        if let (Some(separator), false) = (separator, rounds.is_empty()) {
            if input.get(end).map(ToString::to_string).as_deref() != Some(separator) {
                break;
            }
            end += 1;
        }
        let mut round = Bindings::new();
        if end >= input.len() || !fit(parts, input, &mut end, &mut round) || end == *at {
            break;
        }
        *at = end;
        rounds.push(round);
    }
    for name in names(parts) {
        let values = rounds.iter().filter_map(|round| round.get(&name).cloned()).collect();
        bindings.insert(name, Binding::Repeat(values));
    }
}

fn names(parts: &[Part]) -> Vec<String> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Part::Token(_) => {}
            Part::Fragment { name, .. } => all.push(name.clone()),
            Part::Inside(_, parts) | Part::Repeat { parts, .. } => all.extend(names(parts)),
        }
    }
    all
}

/// Where a fragment that starts at `start` ends.
fn fragment(kind: &str, next: Option<&Part>, input: &[TokenTree], start: usize) -> usize {
    let is = |at: usize, text: &str| input.get(at).is_some_and(|token| token.to_string() == text);
    let end = match kind {
        "literal" if is(start, "-") => start + 2,
        "lifetime" => start + 2,
        "ident" => start + usize::from(matches!(input.get(start), Some(TokenTree::Ident(_)))),
        "literal" | "tt" | "block" => start + 1,
        "vis" if is(start, "pub") => {
            let inside = matches!(input.get(start + 1), Some(TokenTree::Group(_)));
            start + 1 + usize::from(inside)
        }
        "vis" => start,
        "ty" | "path" => ty(input, start),
        // An expression goes on to the token after it in the pattern.
        _ => {
            let stop = match next {
                Some(Part::Token(token)) => Some(token.to_string()),
                _ => None,
            };
            let ends = |token: &TokenTree| {
                let token = token.to_string();
                stop.as_ref() == Some(&token) || matches!(token.as_str(), "," | ";")
            };
            let rest = input.get(start..).unwrap_or_default();
            start + rest.iter().position(ends).unwrap_or(rest.len())
        }
    };
    end.min(input.len())
}

/// Where a type that starts at `start` ends: references, a group or a path with its arguments.
fn ty(input: &[TokenTree], start: usize) -> usize {
    let is = |at: usize, text: &str| input.get(at).is_some_and(|token| token.to_string() == text);
    let mut end = start;
    while is(end, "&") || is(end, "mut") || is(end, "dyn") {
        end += 1;
    }
    end += 1;
    while is(end, ":") && is(end + 1, ":") {
        end += 3;
    }
    if !is(end, "<") {
        return end;
    }
    let mut depth = 0_usize;
    for (at, token) in input.iter().enumerate().skip(end) {
        match token.to_string().as_str() {
            "<" => depth += 1,
            ">" if depth == 1 => return at + 1,
            ">" => depth -= 1,
            _ => {}
        }
    }
    input.len()
}

fn transcribe(body: TokenStream, bindings: &Bindings) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = body.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => match tokens.next() {
                Some(TokenTree::Group(group)) => {
                    let separator = repetition(&mut tokens);
                    out.extend(rounds(&group.stream(), separator.as_deref(), bindings));
                }
                Some(name) => match bindings.get(&name.to_string()) {
                    Some(Binding::Tokens(tokens)) => out.extend(tokens.clone()),
                    Some(Binding::Repeat(_)) | None => out.extend([name]),
                },
                None => {}
            },
            TokenTree::Group(group) => {
                let inside = transcribe(group.stream(), bindings);
                out.extend([TokenTree::Group(Group::new(group.delimiter(), inside))]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// The body once for each round of what repeats in it.
fn rounds(body: &TokenStream, separator: Option<&str>, bindings: &Bindings) -> TokenStream {
    let used = variables(body);
    let repeats = bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Repeat(values) if used.contains(name) => Some((name, values)),
        Binding::Repeat(_) | Binding::Tokens(_) => None,
    });
    let repeats: Vec<(&String, &Vec<Binding>)> = repeats.collect();
    let count = repeats.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
    let mut out = TokenStream::new();
    for at in 0..count {
        let mut round = bindings.clone();
        round.extend(repeats.iter().map(|(name, values)| ((*name).clone(), values[at].clone())));
        if let (Some(separator), true) = (separator, at > 0) {
            out.extend(separator.parse::<TokenStream>().expect("a token"));
        }
        out.extend(transcribe(body.clone(), &round));
    }
    out
}

fn variables(body: &TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    let mut after_dollar = false;
    for token in body.clone() {
        match token {
            TokenTree::Group(group) => {
                all.extend(variables(&group.stream()));
                after_dollar = false;
            }
            TokenTree::Punct(punct) => after_dollar = punct.as_char() == '$',
            other => {
                if after_dollar {
                    all.push(other.to_string());
                }
                after_dollar = false;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expands(rules: &str, input: &str, expected: &str) {
        let parse = |text: &str| text.parse::<TokenStream>().expect("tokens");
        let expanded = Rules::read(parse(rules)).expand(parse(input)).expect("a rule fits");
        assert_eq!(expanded.to_string(), parse(expected).to_string());
    }

    #[test]
    fn a_table_of_functions_becomes_functions() {
        let rules = r#"($($name:ident => $doc:literal, [$($ty:ty),*];)*) => {$(
            #[doc = concat!($doc, stringify!($name))] fn $name($(x: $ty),*) {}
        )*}"#;
        let input = r#"sin => "Sine ", [Vec<f32, A>, u8]; cos => "Cosine ", [];"#;
        let expected = r#"#[doc = concat!("Sine ", stringify!(sin))] fn sin(x: Vec<f32, A>, x: u8) {}
            #[doc = concat!("Cosine ", stringify!(cos))] fn cos() {}"#;
        expands(rules, input, expected);
    }

    #[test]
    fn the_first_rule_that_fits_is_taken() {
        let rules = "(one $x:expr) => { a($x) }; ($($x:tt)*) => { b($($x)*) }";
        expands(rules, "one 1 + 2", "a(1 + 2)");
        expands(rules, "two 1", "b(two 1)");
        // Punctuation is no identifier: the first rule would call itself without an end.
        let rules =
            "($($name:ident)*) => { c!($($name: 1)*) }; ($name:ident: $x:literal) => { fn $name() {} }";
        expands(rules, "first second", "c!(first: 1 second: 1)");
        expands(rules, "first: 1", "fn first() {}");
    }
}

//! Lines of `use` for the words that stand in the source.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use std::collections::{BTreeSet, HashSet};
use std::str::FromStr;

/// Identifiers in tokens, with the mark after them: `s!`, `module::`.
#[derive(Debug, Default)]
pub(super) struct Words(HashSet<String>);

impl Words {
    /// Collects the words, in groups too.
    pub fn of(tokens: &TokenStream) -> Self {
        let mut words = Words::default();
        words.collect(tokens.clone());
        words
    }

    fn collect(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.collect(group.stream()),
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if let Some(TokenTree::Punct(mark)) = tokens.peek() {
                        match mark.as_char() {
                            '!' => drop(self.0.insert(format!("{word}!"))),
                            ':' => drop(self.0.insert(format!("{word}:"))),
                            _ => {}
                        }
                    }
                    self.0.insert(word);
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Returns whether a word is there.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Words of the source, and the paths in `burn::tensor` that they need.
const TENSOR: [(&str, &str); 12] = [
    ("Bool", "Bool"),
    ("DType", "DType"),
    ("Float", "Float"),
    ("Int", "Int"),
    ("PadMode", "PadMode"),
    ("s!", "s"),
    ("activation:", "activation"),
    ("linalg:", "linalg"),
    ("signal:", "signal"),
    ("ConvOptions", "ops::ConvOptions"),
    ("PoolOptions", "ops::PoolOptions"),
    ("module:", "module"),
];

/// The imports of a file. `layers` are paths in `burn::nn`.
pub(super) fn imports(words: &Words, layers: &BTreeSet<&'static str>) -> TokenStream {
    let mut lines = TokenStream::new();
    // Programs without the standard library have no `Vec` by themselves.
    let vectors = [("vec!", "vec"), ("Vec", "vec::Vec")];
    let vectors: Vec<TokenStream> =
        vectors.iter().filter(|(word, _)| words.has(word)).map(|(_, name)| path(name)).collect();
    if !vectors.is_empty() {
        lines.extend(quote!(extern crate alloc; use alloc::{#(#vectors),*};));
    }
    let modules = ["Param", "ParamId", "Initializer"].into_iter().filter(|word| words.has(word));
    let modules = modules.map(path);
    lines.extend(quote!(use burn::module::{Module #(, #modules)*};));
    let conv: Vec<TokenStream> =
        layers.iter().filter_map(|layer| layer.strip_prefix("conv::")).map(path).collect();
    let outer: Vec<TokenStream> =
        layers.iter().filter(|layer| !layer.contains("::")).map(|layer| path(layer)).collect();
    if !conv.is_empty() {
        lines.extend(quote!(use burn::nn::conv::{#(#conv),*};));
    }
    if !outer.is_empty() {
        lines.extend(quote!(use burn::nn::{#(#outer),*};));
    }
    let tensor = TENSOR.iter().filter(|(word, _)| words.has(word)).map(|(_, name)| path(name));
    lines.extend(quote!(use burn::tensor::{Tensor, backend::Backend #(, #tensor)*};));
    lines
}

fn path(path: &'static str) -> TokenStream {
    TokenStream::from_str(path).expect("a path of this file is Rust")
}

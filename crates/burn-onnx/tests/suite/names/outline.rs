//! The outline of Rust source: everything in it apart from the names that a model gives.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{Visit, visit_attribute, visit_item, visit_macro};
use syn::{Attribute, ImplItemFn, Item, ItemUse, Macro, Stmt};

/// Items, functions, attributes, macros and statements, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline(pub Vec<String>);

impl Outline {
    /// Reads the outline of a file.
    pub fn of(source: &str) -> syn::Result<Self> {
        let mut outline = Outline::default();
        outline.visit_file(&syn::parse_file(source)?);
        Ok(outline)
    }
}

impl<'ast> Visit<'ast> for Outline {
    fn visit_item(&mut self, item: &'ast Item) {
        self.0.push(match item {
            Item::ExternCrate(item) => format!("extern crate {}", item.ident),
            Item::Fn(item) => format!("fn {}", item.sig.ident),
            Item::Impl(item) => match &item.trait_ {
                Some((_, path, _)) => format!("impl {:?} for", path.segments.last().map(|name| &name.ident)),
                None => "impl".into(),
            },
            Item::Macro(item) => without_literals(item.to_token_stream()),
            Item::Static(item) => format!("static {}", item.ident),
            Item::Struct(item) => format!("struct {} of {}", item.ident, item.fields.len()),
            Item::Use(_) => "use".into(),
            _ => "another item".into(),
        });
        visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.0.push(item.to_token_stream().to_string());
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.0.push(format!("fn {} of {}", function.sig.ident, function.sig.inputs.len()));
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.0.push(format!("attribute {:?}", attribute.path().get_ident()));
        visit_attribute(self, attribute);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.0.push(format!("macro {:?}", item.path.get_ident()));
        visit_macro(self, item);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        self.0.push("statement".into());
        syn::visit::visit_stmt(self, statement);
    }
}

/// Tokens with `..` for each literal.
fn without_literals(tokens: TokenStream) -> String {
    let parts = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let inner = without_literals(group.stream());
            match group.delimiter() {
                Delimiter::Parenthesis => format!("({inner})"),
                Delimiter::Brace => format!("{{{inner}}}"),
                Delimiter::Bracket => format!("[{inner}]"),
                Delimiter::None => inner,
            }
        }
        TokenTree::Literal(_) => "..".into(),
        TokenTree::Ident(_) | TokenTree::Punct(_) => token.to_string(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

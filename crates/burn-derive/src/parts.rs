//! The types that the fields of a module are made of, and what their tokens show of them.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericArgument, Generics, PathArguments, Type};

/// Returns the parts of fields of `types`: a part is the type of a field without the containers around it,
/// `Linear<B>` of `Option<Linear<B>>`.
pub fn of<'a>(types: impl IntoIterator<Item = &'a Type>) -> Vec<&'a Type> {
    let mut parts = Vec::new();
    types.into_iter().for_each(|ty| collect(ty, &mut parts));
    parts
}

fn collect<'a>(ty: &'a Type, parts: &mut Vec<&'a Type>) {
    match ty {
        Type::Array(array) => collect(&array.elem, parts),
        Type::Group(group) => collect(&group.elem, parts),
        Type::Paren(paren) => collect(&paren.elem, parts),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().for_each(|element| collect(element, parts));
        }
        _ => match container(ty) {
            Some(element) => collect(element, parts),
            None => parts.push(ty),
        },
    }
}

/// Returns the element type of an `Option`, a `Box` or a `Vec`.
fn container(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if !["Option", "Box", "Vec"].iter().any(|container| last.ident == container) {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(element) => Some(element),
        _ => None,
    }
}

/// Returns whether `ty: Module` may be a bound of the derived implementation for the type `name`.
///
/// Not where it holds that type again, since the condition would need itself; and not where its form on
/// another backend is unknown, as that of `Table<B::Device>`.
pub fn may_be_condition(ty: &Type, name: &Ident, generics: &Generics) -> bool {
    let tokens = ty.to_token_stream();
    let again = mentions(&tokens, &name.to_string()) || mentions(&tokens, "Self");
    let projects = generics.type_params().any(|param| projects(tokens.clone(), &param.ident));
    is_parameter(ty, generics) || !(again || projects)
}

/// Returns whether `ty` is one of the type parameters itself.
pub fn is_parameter(ty: &Type, generics: &Generics) -> bool {
    let Type::Path(path) = ty else { return false };
    generics.type_params().any(|param| path.path.is_ident(&param.ident))
}

fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether `tokens` have an associated type of `param`, as in `param::Device`.
fn projects(tokens: TokenStream, param: &Ident) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Ident(found) => {
                found == *param
                    && matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':')
            }
            TokenTree::Group(group) => projects(group.stream(), param),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Replaces type parameters in the tokens of a type.
pub fn substitute(tokens: TokenStream, other: &dyn Fn(&Ident) -> Option<TokenStream>) -> TokenStream {
    let mut in_path = false;
    let tokens = tokens.into_iter().map(|token| {
        let is_segment = in_path;
        in_path = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        match token {
            TokenTree::Ident(ident) if !is_segment => other(&ident).unwrap_or_else(|| quote!(#ident)),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), substitute(group.stream(), other));
                inner.set_span(group.span());
                quote!(#inner)
            }
            token => quote!(#token),
        }
    });
    tokens.collect()
}

#[cfg(test)]
mod tests {
    use super::{may_be_condition, of, substitute};
    use quote::{ToTokens, quote};
    use syn::{DeriveInput, Type, parse_quote};

    #[test]
    fn parts_are_what_containers_hold() {
        let types: [Type; 2] = [parse_quote!(Option<Box<(Linear<B>, [Relu; 2])>>), parse_quote!(Vec<M>)];
        let parts: Vec<String> = of(&types).iter().map(|part| part.to_token_stream().to_string()).collect();
        assert_eq!(parts, ["Linear < B >", "Relu", "M"]);
    }

    #[test]
    fn parts_that_may_hold_the_type_again_are_no_conditions() {
        let input: DeriveInput = parse_quote!(
            struct Tree<B: Backend, M> {}
        );
        let may =
            |ty: Type| of([&ty]).iter().all(|part| may_be_condition(part, &input.ident, &input.generics));
        assert!(
            may(parse_quote!(Linear<B>)) && may(parse_quote!(Vec<Settings>)) && may(parse_quote!(Box<M>))
        );
        assert!(!may(parse_quote!(Vec<Tree<B, M>>)) && !may(parse_quote!(Wrapper<Tree<B, M>>)));
        assert!(!may(parse_quote!(Table<B::Device>)));
    }

    #[test]
    fn substitution_leaves_segments_of_paths() {
        let inner =
            substitute(quote!(model::B<[Linear<B>; 2]>), &|ident| (ident == "B").then(|| quote!(Inner)));
        assert_eq!(inner.to_string(), quote!(model::B<[Linear<Inner>; 2]>).to_string());
    }
}

//! The type parameters of derived types.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericParam, Generics, Ident, TypeParam, TypeParamBound, parse_quote};

/// Returns `generics` with a lifetime `'de` in front.
pub fn with_de(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, parse_quote!('de));
    generics
}

/// Returns `generics` without the defaults, which an `impl` may not have.
pub fn without_defaults(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        match param {
            GenericParam::Type(ty) => (ty.eq_token, ty.default) = (None, None),
            GenericParam::Const(value) => (value.eq_token, value.default) = (None, None),
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

/// Returns the backend parameter: the one bounded by a trait called `Backend` or `AutodiffBackend`, or else
/// the one called `B`.
pub fn backend(generics: &Generics) -> Option<&TypeParam> {
    let bounded = generics.type_params().find(|param| {
        bounds_of(generics, param).iter().any(|bound| is_trait(bound, &["Backend", "AutodiffBackend"]))
    });
    bounded.or_else(|| generics.type_params().find(|param| param.ident == "B"))
}

/// Returns the bounds of `param`, at its declaration and in the where clause.
pub fn bounds_of(generics: &Generics, param: &TypeParam) -> Vec<TypeParamBound> {
    let in_where =
        generics.where_clause.iter().flat_map(|clause| &clause.predicates).filter_map(|predicate| {
            match predicate {
                syn::WherePredicate::Type(ty) if names(&ty.bounded_ty, &param.ident) => {
                    Some(ty.bounds.iter())
                }
                _ => None,
            }
        });
    param.bounds.iter().chain(in_where.flatten()).cloned().collect()
}

/// Returns whether `param` is itself a module (`M: Module<B>`).
pub fn is_module(generics: &Generics, param: &TypeParam) -> bool {
    bounds_of(generics, param).iter().any(|bound| is_trait(bound, &["Module", "AutodiffModule"]))
}

/// Returns the arguments `<..>` of the type on another backend: `backend` and module parameters are replaced.
pub fn arguments(
    generics: &Generics,
    backend: &Ident,
    on: &TokenStream,
    module: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let arguments = generics.params.iter().map(|param| match param {
        GenericParam::Type(ty) if ty.ident == *backend => on.clone(),
        GenericParam::Type(ty) if is_module(generics, ty) => module(&ty.ident),
        GenericParam::Type(ty) => {
            let name = &ty.ident;
            quote!(#name)
        }
        GenericParam::Const(value) => {
            let name = &value.ident;
            quote!(#name)
        }
        GenericParam::Lifetime(lifetime) => {
            let name = &lifetime.lifetime;
            quote!(#name)
        }
    });
    quote!(<#(#arguments),*>)
}

fn is_trait(bound: &TypeParamBound, names: &[&str]) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|segment| names.iter().any(|name| segment.ident == name))
}

fn names(ty: &syn::Type, param: &Ident) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(param))
}

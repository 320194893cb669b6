//! Where-clauses of derived implementations: fields of a module are modules, fields of a record are records.
//!
//! With the condition a field that is no module is one error, at the field. Without it the compiler reports
//! the field again for every derived implementation. It is also the bound of a type parameter that was
//! declared without one.

use crate::generics;
use crate::parts;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Generics, Ident, Type, WherePredicate, parse_quote};

/// Bounds of a derived implementation: the parts of the fields that must be modules (records).
pub struct Conditions<'a> {
    parts: Vec<&'a Type>,
    /// The type parameters that are parts themselves.
    parameters: Vec<&'a Type>,
    /// The other parts that can be conditions, each once.
    types: Vec<&'a Type>,
}

impl<'a> Conditions<'a> {
    /// Collects the conditions. With `recursive`, only type parameters are conditions: a condition that needs
    /// itself cannot be met.
    pub fn of(input: &'a DeriveInput, recursive: bool) -> Self {
        let fields: Vec<&Type> = match &input.data {
            Data::Struct(data) => data.fields.iter().map(|field| &field.ty).collect(),
            Data::Enum(data) => {
                data.variants.iter().flat_map(|variant| &variant.fields).map(|field| &field.ty).collect()
            }
            Data::Union(_) => Vec::new(),
        };
        let parts = parts::of(fields);
        let mut seen = BTreeSet::new();
        let possible =
            parts.iter().copied().filter(|ty| parts::may_be_condition(ty, &input.ident, &input.generics));
        let once = possible.filter(|ty| seen.insert(ty.to_token_stream().to_string()));
        let (parameters, mut types): (Vec<_>, Vec<_>) =
            once.partition(|ty| parts::is_parameter(ty, &input.generics));
        if recursive {
            types.clear();
        }
        Conditions { parts, parameters, types }
    }

    /// Adds to `generics` that every part has `bound`.
    pub fn require(&self, generics: &mut Generics, bound: &TokenStream) {
        let clause = generics.make_where_clause();
        clause
            .predicates
            .extend(self.parameters.iter().map(|ty| -> WherePredicate { parse_quote!(#ty: #bound) }));
        clause.predicates.extend(self.types.iter().map(|ty| held(ty, bound)));
    }

    /// Adds to `generics` that every part has an inner module, which is the type that `on_inner` gives.
    pub fn require_inner(
        &self,
        generics: &mut Generics,
        root: &TokenStream,
        backend: &Ident,
        inner: &TokenStream,
        on_inner: &dyn Fn(&Type) -> TokenStream,
    ) {
        let clause = generics.make_where_clause();
        for ty in &self.types {
            let inner_ty = on_inner(ty);
            let bound = quote!(#root::module::AutodiffModule<#backend, InnerModule = #inner_ty>);
            clause.predicates.push(held(ty, &bound));
            clause.predicates.push(held(&inner_ty, &quote!(#root::module::Module<#inner>)));
        }
    }

    /// Writes a function in which the compiler reports the fields that are no modules (records), by naming
    /// `method` of `bound`.
    pub fn assertion(
        &self,
        root: &TokenStream,
        input: &DeriveInput,
        backend: &Ident,
        (bound, method): (&TokenStream, &str),
    ) -> TokenStream {
        let mut generics = generics::without_defaults(&input.generics);
        if generics::backend(&generics).is_none() {
            generics.params.push(parse_quote!(#backend: #root::module::derive::Backend));
        }
        let clause = generics.make_where_clause();
        clause
            .predicates
            .extend(self.parameters.iter().map(|ty| -> WherePredicate { parse_quote!(#ty: #bound) }));
        let method = Ident::new(method, Span::call_site());
        let parts = self.parts.iter().filter(|ty| !parts::is_parameter(ty, &input.generics));
        let checks = parts.map(|ty| quote_spanned!(ty.span()=> let _ = <#ty as #bound>::#method;));
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        quote! {
            const _: () = {
                #[allow(dead_code, clippy::multiple_bound_locations)]
                fn check_fields #impl_generics () #where_clause { #(#checks)* }
            };
        }
    }
}

/// That `ty` has `bound`. The lifetime lets the condition be false for a type without parameters, where
/// it is not used.
fn held(ty: &impl ToTokens, bound: &TokenStream) -> WherePredicate {
    parse_quote!(for<'__module> #ty: #bound)
}

use crate::{attribute, root::root};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Generics};

/// Derives `Display`, and `ModuleDisplay` unless the type has its own.
pub fn display(input: &DeriveInput, generics: &Generics) -> syn::Result<TokenStream> {
    let (root, name) = (root(), &input.ident);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let default = if attribute::custom(&input.attrs)?.display {
        TokenStream::new()
    } else {
        quote! {
            #[automatically_derived]
            impl #impl_generics #root::module::ModuleDisplay for #name #ty_generics #where_clause {}
        }
    };
    Ok(quote! {
        #default
        #[automatically_derived]
        impl #impl_generics ::core::fmt::Display for #name #ty_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #root::module::derive::display(self, f)
            }
        }
    })
}

//! Modules without a backend.

use crate::conditions::Conditions;
use crate::display::display;
use crate::{attribute, generics, module_enum, module_struct, root::root};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, parse_quote};

/// Derives the traits of a type without a backend: it has no parameters, and is its own inner module.
pub fn derive(input: &DeriveInput, conditions: &Conditions<'_>) -> syn::Result<TokenStream> {
    let (root, name, backend) = (root(), &input.ident, format_ident!("__B"));
    let mut generics = generics::without_defaults(&input.generics);
    let module = quote!(#root::module::Module<#backend>);
    conditions.require(&mut generics, &quote!(#root::module::ModuleDisplay));
    let (display, assertion) =
        (display(input, &generics)?, conditions.assertion(&root, input, &backend, (&module, "visit_params")));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let mut on_backend = generics::without_defaults(&input.generics);
    on_backend.params.push(parse_quote!(#backend: #root::module::derive::Backend));
    conditions.require(&mut on_backend, &module);
    let (on_backend, _, where_on_backend) = on_backend.split_for_impl();
    let mut on_autodiff = generics::without_defaults(&input.generics);
    on_autodiff.params.push(parse_quote!(#backend: #root::module::derive::AutodiffBackend));
    let inner = quote!(<#backend as #root::module::derive::AutodiffBackend>::InnerBackend);
    conditions.require(&mut on_autodiff, &module);
    conditions.require(&mut on_autodiff, &quote!(#root::module::Module<#inner>));
    let (on_autodiff, _, where_on_autodiff) = on_autodiff.split_for_impl();
    let (content, visit) = match &input.data {
        Data::Struct(data) => {
            (module_struct::constant_content(name, data), module_struct::constant_visit(&root, data))
        }
        Data::Enum(data) => (module_enum::constant_content(), module_enum::constant_visit(&root, data)),
        Data::Union(_) => (quote!(::core::option::Option::Some(content)), TokenStream::new()),
    };
    let inner = if attribute::custom(&input.attrs)?.valid {
        TokenStream::new()
    } else {
        quote! {
            #[automatically_derived]
            impl #on_autodiff #root::module::AutodiffModule<__B> for #name #ty_generics #where_on_autodiff {
                type InnerModule = Self;

                fn valid(&self) -> Self { ::core::clone::Clone::clone(self) }
            }
        }
    };
    Ok(quote! {
        #assertion
        #[automatically_derived]
        impl #on_backend #root::module::Module<__B> for #name #ty_generics #where_on_backend {
            type Record = #root::module::ConstantRecord;

            // Nothing is there to see, but every field must be a module on any backend.
            #[allow(unused_variables)]
            fn visit_params(&self, visitor: &mut dyn #root::module::ParamVisitor<__B>) { #visit }
            fn map_params(&mut self, _mapper: &mut dyn #root::module::ParamMapper<__B>) {}
            fn into_record(self) -> Self::Record { #root::module::ConstantRecord }
            fn read_record(&mut self, _record: Self::Record, _loader: &mut #root::module::Loader) {}
        }
        #inner
        #[automatically_derived]
        impl #impl_generics #root::module::ModuleDisplayDefault for #name #ty_generics #where_clause {
            fn content(&self, content: #root::module::Content) -> ::core::option::Option<#root::module::Content> {
                #content
            }
        }
        #display
    })
}

use crate::{attribute, generics, module_enum, module_struct, root::root};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Generics, Ident, Visibility, parse_quote};

/// What the derive of one type of module is made from.
pub struct Target<'a> {
    pub root: TokenStream,
    pub name: &'a Ident,
    pub visibility: &'a Visibility,
    /// Parameters and bounds as the type declares them, without defaults.
    pub generics: Generics,
    pub backend: Ident,
    /// The name of the record.
    pub record: Ident,
}

/// The bodies that differ between structs and enums.
pub struct Bodies {
    pub record: TokenStream,
    pub visit: TokenStream,
    pub map: TokenStream,
    pub into_record: TokenStream,
    pub read_record: TokenStream,
    pub valid: TokenStream,
    pub clone: TokenStream,
    pub content: TokenStream,
}

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let display = display(input)?;
    let Some(backend) = generics::backend(&input.generics) else {
        return constant(input, &display);
    };
    let target = Target {
        root: root(),
        name: &input.ident,
        visibility: &input.vis,
        generics: generics::without_defaults(&input.generics),
        backend: backend.ident.clone(),
        record: format_ident!("{}Record", input.ident),
    };
    let bodies = match &input.data {
        Data::Struct(data) => module_struct::bodies(&target, data)?,
        Data::Enum(data) => module_enum::bodies(&target, data)?,
        Data::Union(data) => {
            return Err(syn::Error::new_spanned(data.union_token, "a module is a struct or an enum"));
        }
    };
    Ok(implement(&target, &bodies, &display))
}

fn implement(target: &Target<'_>, bodies: &Bodies, display: &TokenStream) -> TokenStream {
    let Target { root, name, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let Bodies { record: record_type, visit, map, into_record, read_record, valid, clone, content } = bodies;
    let autodiff = autodiff_generics(target);
    let (autodiff_generics, _, autodiff_where) = autodiff.split_for_impl();
    let inner = quote!(<#backend as #root::module::derive::AutodiffBackend>::InnerBackend);
    let inner_arguments = generics::arguments(
        generics,
        backend,
        &inner,
        |module| quote!(<#module as #root::module::AutodiffModule<#backend>>::InnerModule),
    );
    quote! {
        #record_type
        #[automatically_derived]
        impl #impl_generics #root::module::Module<#backend> for #name #ty_generics #where_clause {
            type Record = #record #ty_generics;

            fn visit_params(&self, visitor: &mut dyn #root::module::ParamVisitor<#backend>) { #visit }
            fn map_params(&mut self, mapper: &mut dyn #root::module::ParamMapper<#backend>) { #map }
            fn into_record(self) -> Self::Record { #into_record }
            fn read_record(&mut self, record: Self::Record, loader: &mut #root::module::Loader) { #read_record }
        }
        #[automatically_derived]
        impl #autodiff_generics #root::module::AutodiffModule<#backend> for #name #ty_generics #autodiff_where {
            type InnerModule = #name #inner_arguments;

            fn valid(&self) -> Self::InnerModule { #valid }
        }
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #name #ty_generics #where_clause {
            fn clone(&self) -> Self { #clone }
        }
        #[automatically_derived]
        impl #impl_generics #root::module::ModuleDisplayDefault for #name #ty_generics #where_clause {
            fn content(&self, content: #root::module::Content) -> ::core::option::Option<#root::module::Content> {
                let content = content.set_num_params(|| #root::module::Module::<#backend>::num_params(self));
                #content
            }
        }
        #display
    }
}

/// The parameters under which the module has an inner module: the backend differentiates, and so do modules.
fn autodiff_generics(target: &Target<'_>) -> Generics {
    let Target { root, generics, backend, .. } = target;
    let mut wide = generics.clone();
    let bounds = generics
        .type_params()
        .find(|param| param.ident == *backend)
        .map(|param| generics::bounds_of(generics, param))
        .unwrap_or_default();
    let modules = generics.type_params().filter(|param| generics::is_module(generics, param));
    let clause = wide.make_where_clause();
    clause.predicates.push(parse_quote!(#backend: #root::module::derive::AutodiffBackend));
    if !bounds.is_empty() {
        clause.predicates.push(parse_quote! {
            <#backend as #root::module::derive::AutodiffBackend>::InnerBackend: #(#bounds)+*
        });
    }
    for module in modules {
        let module = &module.ident;
        clause.predicates.push(parse_quote!(#module: #root::module::AutodiffModule<#backend>));
    }
    wide
}

/// A type without a backend: it has no parameters, and is its own inner module.
fn constant(input: &DeriveInput, display: &TokenStream) -> syn::Result<TokenStream> {
    let (root, name) = (root(), &input.ident);
    let generics = generics::without_defaults(&input.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let mut on_backend = generics.clone();
    on_backend.params.push(parse_quote!(__B: #root::module::derive::Backend));
    let (on_backend, ..) = on_backend.split_for_impl();
    let mut on_autodiff = generics.clone();
    on_autodiff.params.push(parse_quote!(__B: #root::module::derive::AutodiffBackend));
    let (on_autodiff, ..) = on_autodiff.split_for_impl();
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
            impl #on_autodiff #root::module::AutodiffModule<__B> for #name #ty_generics #where_clause {
                type InnerModule = Self;

                fn valid(&self) -> Self { ::core::clone::Clone::clone(self) }
            }
        }
    };
    Ok(quote! {
        #[automatically_derived]
        impl #on_backend #root::module::Module<__B> for #name #ty_generics #where_clause {
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

fn display(input: &DeriveInput) -> syn::Result<TokenStream> {
    let (root, name) = (root(), &input.ident);
    let generics = generics::without_defaults(&input.generics);
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

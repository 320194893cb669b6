//! Modules that are one of several modules.

use crate::target::{Bodies, Target};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, Fields, Ident, Type};

pub fn bodies(target: &Target<'_>, data: &DataEnum) -> syn::Result<Bodies> {
    let (variants, types) = variants_of(data)?;
    let Target { root, name, backend, .. } = target;
    let module = quote!(#root::module::Module::<#backend>);
    let (keys, container) = (variants.iter().map(ToString::to_string).collect::<Vec<_>>(), name.to_string());
    let record = &target.record;
    Ok(Bodies {
        record: [record_type(target, &variants, &types, &keys), record_file_form(target, &variants, &keys)]
            .into_iter()
            .collect(),
        visit: quote! {
            match self {
                #(Self::#variants(module) => {
                    visitor.enter_module(#keys, #container);
                    #module::visit_params(module, visitor);
                    visitor.exit_module(#keys, #container);
                })*
            }
        },
        map: quote! {
            match self {
                #(Self::#variants(module) => {
                    mapper.enter_module(#keys, #container);
                    #module::map_params(module, mapper);
                    mapper.exit_module(#keys, #container);
                })*
            }
        },
        into_record: quote! {
            match self { #(Self::#variants(module) => #record::#variants(#module::into_record(module)),)* }
        },
        read_record: read_record(target, &variants, &keys),
        valid: quote! {
            match self {
                #(Self::#variants(module) => {
                    #name::#variants(#root::module::AutodiffModule::<#backend>::valid(module))
                })*
            }
        },
        clone: quote! {
            match self { #(Self::#variants(module) => Self::#variants(::core::clone::Clone::clone(module)),)* }
        },
        content: quote! {
            match self {
                #(Self::#variants(module) => {
                    #root::module::ModuleDisplayDefault::content(module, content)
                })*
            }
        },
    })
}

/// Returns the variants and the module of each.
fn variants_of(data: &DataEnum) -> syn::Result<(Vec<&Ident>, Vec<&Type>)> {
    let (mut variants, mut types): (Vec<&Ident>, Vec<&Type>) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                variants.push(&variant.ident);
                types.push(&fields.unnamed[0].ty);
            }
            _ => {
                let message = "a variant of a module holds one module: `Variant(Module)`";
                return Err(syn::Error::new_spanned(variant, message));
            }
        }
    }
    Ok((variants, types))
}

fn read_record(target: &Target<'_>, variants: &[&Ident], keys: &[String]) -> TokenStream {
    let Target { root, backend, record, .. } = target;
    quote! {
        match (self, record) {
            #((Self::#variants(module), #record::#variants(record)) => {
                loader.enter(#keys);
                #root::module::Module::<#backend>::read_record(module, record, loader);
                loader.exit();
            })*
            #[allow(unreachable_patterns)]
            (module, record) => loader.other_variant(module.variant_name(), record.variant_name()),
        }
    }
}

fn record_type(target: &Target<'_>, variants: &[&Ident], types: &[&Type], keys: &[String]) -> TokenStream {
    let Target { root, name, visibility, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let title = format!("What of [`{name}`] is saved.");
    quote! {
        #[doc = #title]
        #[allow(missing_docs, private_bounds, clippy::large_enum_variant)]
        #visibility enum #record #generics #where_clause {
            #(#variants(<#types as #root::module::Module<#backend>>::Record),)*
        }
        #[automatically_derived]
        impl #impl_generics #name #ty_generics #where_clause {
            fn variant_name(&self) -> &'static str {
                match self { #(Self::#variants(_) => #keys,)* }
            }
        }
        #[automatically_derived]
        impl #impl_generics #record #ty_generics #where_clause {
            fn variant_name(&self) -> &'static str {
                match self { #(Self::#variants(_) => #keys,)* }
            }
        }
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #record #ty_generics #where_clause {
            fn clone(&self) -> Self {
                match self { #(Self::#variants(record) => Self::#variants(::core::clone::Clone::clone(record)),)* }
            }
        }
        #[automatically_derived]
        impl #impl_generics ::core::fmt::Debug for #record #ty_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(::core::stringify!(#record))
            }
        }
    }
}

/// Implements `IntoNode` and `Record` for the record.
fn record_file_form(target: &Target<'_>, variants: &[&Ident], keys: &[String]) -> TokenStream {
    let Target { root, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #root::record::IntoNode for #record #ty_generics #where_clause {
            fn into_node(self) -> #root::record::Node {
                match self {
                    #(Self::#variants(record) => #root::record::derive::write_variant(#keys, record),)*
                }
            }
        }
        #[automatically_derived]
        impl #impl_generics #root::record::Record<#backend> for #record #ty_generics #where_clause {
            fn from_node(
                node: #root::record::Node,
                at: &#root::record::KeyPath<'_>,
                device: &#root::record::derive::Device<#backend>,
            ) -> ::core::result::Result<Self, #root::record::RecordError> {
                let variant = #root::record::derive::VariantReader::new(node, at, &[#(#keys),*])?;
                #(
                    if let ::core::option::Option::Some(record) = variant.read::<#backend, _>(#keys, device)? {
                        return ::core::result::Result::Ok(Self::#variants(record));
                    }
                )*
                ::core::result::Result::Err(variant.no_match())
            }
        }
    }
}

pub fn constant_content() -> TokenStream {
    quote!(::core::option::Option::Some(content.set_debug(self)))
}

pub fn constant_visit(root: &TokenStream, data: &DataEnum) -> TokenStream {
    let arms = data.variants.iter().map(|variant| {
        let (name, members) = (&variant.ident, variant.fields.members().collect::<Vec<_>>());
        let bindings: Vec<Ident> = (0..members.len()).map(|index| format_ident!("field_{index}")).collect();
        quote! {
            Self::#name { #(#members: #bindings),* } => {
                #(#root::module::Module::<__B>::visit_params(#bindings, visitor);)*
            }
        }
    });
    if data.variants.is_empty() { TokenStream::new() } else { quote!(match self { #(#arms)* }) }
}

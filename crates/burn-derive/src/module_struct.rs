//! Modules made of named fields.

use crate::module::{Bodies, Target};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DataStruct, Field, Fields, Ident};

pub fn bodies(target: &Target<'_>, data: &DataStruct) -> syn::Result<Bodies> {
    let fields: Vec<&Field> = match &data.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => {
            return Err(syn::Error::new_spanned(fields, "a module has named fields"));
        }
    };
    let Target { root, name, visibility, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let names: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
    // Spans are those of the fields, so that errors point there.
    let records = fields
        .iter()
        .map(|Field { ty, .. }| quote_spanned!(ty.span()=> <#ty as #root::module::Module<#backend>>::Record));
    let visits = fields.iter().map(|Field { ident, ty, .. }| {
        quote_spanned!(ty.span()=> #root::module::Module::<#backend>::visit_params(&self.#ident, visitor);)
    });
    let visibilities = fields.iter().map(|field| &field.vis);
    let container = name.to_string();
    let layer = quote!(::core::concat!(::core::module_path!(), "::", #container));
    let title = format!("What of [`{name}`] is saved.");
    let module = quote!(#root::module::Module::<#backend>);
    Ok(Bodies {
        record: quote! {
            #[doc = #title]
            #[allow(missing_docs, private_bounds)]
            #visibility struct #record #generics #where_clause {
                #(#visibilities #names: #records,)*
            }
            #[automatically_derived]
            impl #impl_generics ::core::clone::Clone for #record #ty_generics #where_clause {
                fn clone(&self) -> Self {
                    Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }
                }
            }
            #[automatically_derived]
            impl #impl_generics ::core::fmt::Debug for #record #ty_generics #where_clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.write_str(::core::stringify!(#record))
                }
            }
            #[automatically_derived]
            impl #impl_generics #root::record::IntoNode for #record #ty_generics #where_clause {
                fn into_node(self) -> #root::record::Node {
                    let mut fields = #root::record::derive::FieldWriter::new();
                    #(fields.write(#keys, self.#names);)*
                    fields.finish()
                }
            }
            #[automatically_derived]
            impl #impl_generics #root::record::Record<#backend> for #record #ty_generics #where_clause {
                fn from_node(
                    node: #root::record::Node,
                    at: &#root::record::KeyPath<'_>,
                    device: &#root::record::derive::Device<#backend>,
                ) -> ::core::result::Result<Self, #root::record::RecordError> {
                    #[allow(unused_mut)]
                    let mut fields = #root::record::derive::FieldReader::of_module(node, at, #layer)?;
                    #(let #names = fields.read::<#backend, _>(#keys, device);)*
                    fields.finish()?;
                    #[allow(unused_variables)]
                    let take = #root::record::derive::FieldReader::TAKE;
                    ::core::result::Result::Ok(Self { #(#names: #names.expect(take),)* })
                }
            }
        },
        visit: quote! {
            visitor.enter_layer(#layer);
            #(
                visitor.enter_module(#keys, #container);
                #visits
                visitor.exit_module(#keys, #container);
            )*
        },
        map: quote! {
            mapper.enter_layer(#layer);
            #(
                mapper.enter_module(#keys, #container);
                #module::map_params(&mut self.#names, mapper);
                mapper.exit_module(#keys, #container);
            )*
        },
        into_record: quote!(#record { #(#names: #module::into_record(self.#names),)* }),
        read_record: quote! {
            #(
                loader.enter(#keys);
                #module::read_record(&mut self.#names, record.#names, loader);
                loader.exit();
            )*
        },
        valid: quote! {
            #name { #(#names: #root::module::AutodiffModule::<#backend>::valid(&self.#names),)* }
        },
        clone: quote!(Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }),
        content: content(&container, &names, &keys),
    })
}

pub fn constant_content(name: &Ident, data: &DataStruct) -> TokenStream {
    let names: Vec<&Ident> = data.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
    content(&name.to_string(), &names, &keys)
}

pub fn constant_visit(root: &TokenStream, data: &DataStruct) -> TokenStream {
    let members = data.fields.members();
    quote!(#(#root::module::Module::<__B>::visit_params(&self.#members, visitor);)*)
}

fn content(container: &str, names: &[&Ident], keys: &[String]) -> TokenStream {
    quote! {
        ::core::option::Option::Some(
            content.set_type(#container)#(.add_module(#keys, &self.#names))*
        )
    }
}

/// Returns the name of a field in a record.
pub fn key(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

//! Modules made of named fields.

use crate::attribute::record_in;
use crate::module::{Bodies, Target};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DataStruct, Field, Fields, Ident, Type, Visibility};

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
    let record_of = |ty: &Type| quote_spanned!(ty.span()=> <#ty as #root::module::Module<#backend>>::Record);
    let Recorded { own, attached } = Recorded::of(&fields)?;
    let own_names: Vec<&Ident> = own.iter().filter_map(|field| field.ident.as_ref()).collect();
    let own_keys: Vec<String> = own_names.iter().map(|name| key(name)).collect();
    let records = own.iter().map(|field| record_of(&field.ty));
    let visibilities: Vec<&Visibility> = own.iter().map(|field| &field.vis).collect();
    let attached_types: Vec<TokenStream> = attached.iter().map(|(_, field)| record_of(&field.ty)).collect();
    let attached_names: Vec<&Ident> = attached.iter().filter_map(|(_, field)| field.ident.as_ref()).collect();
    let attached_keys: Vec<String> = attached_names.iter().map(|name| key(name)).collect();
    let parameters: Vec<&Ident> = attached.iter().map(|(parameter, _)| parameter).collect();
    let derive = quote!(#root::module::derive);
    let visits = fields.iter().map(|Field { ident, ty, .. }| {
        quote_spanned!(ty.span()=> #root::module::Module::<#backend>::visit_params(&self.#ident, visitor);)
    });
    let container = name.to_string();
    let layer = quote!(::core::concat!(::core::module_path!(), "::", #container));
    let title = format!("What of [`{name}`] is saved.");
    let module = quote!(#root::module::Module::<#backend>);
    Ok(Bodies {
        record: quote! {
            #[doc = #title]
            #[allow(missing_docs, private_bounds)]
            #visibility struct #record #generics #where_clause {
                #(#visibilities #own_names: #records,)*
            }
            #[automatically_derived]
            impl #impl_generics ::core::clone::Clone for #record #ty_generics #where_clause {
                fn clone(&self) -> Self {
                    Self { #(#own_names: ::core::clone::Clone::clone(&self.#own_names),)* }
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
                #[allow(unused_mut)]
                fn into_node(mut self) -> #root::record::Node {
                    let mut fields = #root::record::derive::FieldWriter::new();
                    #(let #attached_names: #attached_types = #derive::detach(&mut self.#parameters);)*
                    #(fields.write(#own_keys, self.#own_names);)*
                    #(fields.write(#attached_keys, #attached_names);)*
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
                    #(let #own_names = fields.read::<#backend, _>(#own_keys, device);)*
                    #(let #attached_names = fields.read::<#backend, #attached_types>(#attached_keys, device);)*
                    fields.finish()?;
                    #[allow(unused_variables)]
                    let take = #root::record::derive::FieldReader::TAKE;
                    #[allow(unused_mut)]
                    let mut record = Self { #(#own_names: #own_names.expect(take),)* };
                    #(#derive::attach(&mut record.#parameters, #attached_names.expect(take));)*
                    ::core::result::Result::Ok(record)
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
        into_record: quote! {
            #[allow(unused_mut)]
            let mut record = #record { #(#own_names: #module::into_record(self.#own_names),)* };
            #(#derive::attach(&mut record.#parameters, #module::into_record(self.#attached_names));)*
            record
        },
        read_record: quote! {
            #[allow(unused_mut)]
            let mut record = record;
            #(let #attached_names: #attached_types = #derive::detach(&mut record.#parameters);)*
            #(
                loader.enter(#own_keys);
                #module::read_record(&mut self.#own_names, record.#own_names, loader);
                loader.exit();
            )*
            #(
                loader.enter(#attached_keys);
                #module::read_record(&mut self.#attached_names, #attached_names, loader);
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

/// Fields by where their record is.
struct Recorded<'a> {
    /// Fields of the record.
    own: Vec<&'a Field>,
    /// Fields with `record_in`, whose optional record is attached to that of a parameter before them.
    attached: Vec<(Ident, &'a Field)>,
}

impl<'a> Recorded<'a> {
    fn of(fields: &[&'a Field]) -> syn::Result<Self> {
        let mut recorded = Recorded { own: Vec::new(), attached: Vec::new() };
        for &field in fields {
            match record_in(&field.attrs)? {
                Some(parameter) => recorded.attached.push((parameter, field)),
                None => recorded.own.push(field),
            }
        }
        Ok(recorded)
    }
}

/// Returns whether a field has its record in that of a parameter.
pub fn attaches_records(data: &Data) -> syn::Result<bool> {
    let Data::Struct(data) = data else { return Ok(false) };
    let parameters: Vec<Option<Ident>> =
        data.fields.iter().map(|field| record_in(&field.attrs)).collect::<syn::Result<_>>()?;
    Ok(parameters.iter().any(Option::is_some))
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

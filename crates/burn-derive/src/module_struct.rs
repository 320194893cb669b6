//! Modules made of named fields.

use crate::attribute::record_in;
use crate::target::{Bodies, Target};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DataStruct, Field, Fields, Ident, Type, Visibility};

pub fn bodies(target: &Target<'_>, data: &DataStruct) -> syn::Result<Bodies> {
    let parts = ModuleParts::of(target, data)?;
    let Target { root, name, backend, .. } = target;
    let names = &parts.names;
    Ok(Bodies {
        record: [record_type(target, &parts), record_writer(target, &parts), record_reader(target, &parts)]
            .into_iter()
            .collect(),
        visit: parts.visit(target),
        map: parts.map(),
        into_record: parts.make_record(target),
        read_record: parts.read_record(target),
        valid: quote! {
            #name { #(#names: #root::module::AutodiffModule::<#backend>::valid(&self.#names),)* }
        },
        clone: quote!(Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }),
        content: content(&parts.container, names, &parts.keys),
    })
}

/// Fields of a module, in the forms in which the derived code names them.
struct ModuleParts<'a> {
    fields: Vec<&'a Field>,
    names: Vec<&'a Ident>,
    keys: Vec<String>,
    own: RecordFields<'a>,
    attached: RecordFields<'a>,
    /// Parameters whose records have those of `attached`, one for each.
    parameters: Vec<Ident>,
    /// Name of the module's type.
    container: String,
    /// Expression of the path of the module's type.
    layer: TokenStream,
    /// Path of `Module` for the backend of the module.
    module: TokenStream,
}

/// Fields with a record.
struct RecordFields<'a> {
    names: Vec<&'a Ident>,
    keys: Vec<String>,
    visibilities: Vec<&'a Visibility>,
    /// Types of the records.
    types: Vec<TokenStream>,
}

impl<'a> RecordFields<'a> {
    fn of(Target { root, backend, .. }: &Target<'_>, fields: &[&'a Field]) -> Self {
        let names: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
        // Spans are those of the fields, so that errors point there.
        let record_of =
            |ty: &Type| quote_spanned!(ty.span()=> <#ty as #root::module::Module<#backend>>::Record);
        RecordFields {
            keys: names.iter().map(|name| key(name)).collect(),
            names,
            visibilities: fields.iter().map(|field| &field.vis).collect(),
            types: fields.iter().map(|field| record_of(&field.ty)).collect(),
        }
    }
}

impl<'a> ModuleParts<'a> {
    fn of(target: &Target<'_>, data: &'a DataStruct) -> syn::Result<Self> {
        let fields: Vec<&Field> = match &data.fields {
            Fields::Named(fields) => fields.named.iter().collect(),
            Fields::Unit => Vec::new(),
            Fields::Unnamed(fields) => {
                return Err(syn::Error::new_spanned(fields, "a module has named fields"));
            }
        };
        let (mut own, mut attached, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        for &field in &fields {
            match record_in(&field.attrs)? {
                Some(parameter) => {
                    attached.push(field);
                    parameters.push(parameter);
                }
                None => own.push(field),
            }
        }
        let Target { root, name, backend, .. } = target;
        let container = name.to_string();
        let names: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
        Ok(ModuleParts {
            keys: names.iter().map(|name| key(name)).collect(),
            names,
            own: RecordFields::of(target, &own),
            attached: RecordFields::of(target, &attached),
            parameters,
            layer: quote!(::core::concat!(::core::module_path!(), "::", #container)),
            container,
            module: quote!(#root::module::Module::<#backend>),
            fields,
        })
    }

    fn visit(&self, Target { root, backend, .. }: &Target<'_>) -> TokenStream {
        let Self { keys, container, layer, .. } = self;
        let visits = self.fields.iter().map(|Field { ident, ty, .. }| {
            quote_spanned! {ty.span()=>
                #root::module::Module::<#backend>::visit_params(&self.#ident, visitor);
            }
        });
        quote! {
            visitor.enter_layer(#layer);
            #(
                visitor.enter_module(#keys, #container);
                #visits
                visitor.exit_module(#keys, #container);
            )*
        }
    }

    fn map(&self) -> TokenStream {
        let Self { names, keys, container, layer, module, .. } = self;
        quote! {
            mapper.enter_layer(#layer);
            #(
                mapper.enter_module(#keys, #container);
                #module::map_params(&mut self.#names, mapper);
                mapper.exit_module(#keys, #container);
            )*
        }
    }

    fn make_record(&self, Target { root, record, .. }: &Target<'_>) -> TokenStream {
        let Self { parameters, module, .. } = self;
        let (own_names, attached_names) = (&self.own.names, &self.attached.names);
        let derive = quote!(#root::module::derive);
        quote! {
            #[allow(unused_mut)]
            let mut record = #record { #(#own_names: #module::into_record(self.#own_names),)* };
            #(#derive::attach(&mut record.#parameters, #module::into_record(self.#attached_names));)*
            record
        }
    }

    fn read_record(&self, Target { root, .. }: &Target<'_>) -> TokenStream {
        let Self { parameters, module, .. } = self;
        let RecordFields { names: own_names, keys: own_keys, .. } = &self.own;
        let RecordFields { names: attached_names, keys: attached_keys, types: attached_types, .. } =
            &self.attached;
        let derive = quote!(#root::module::derive);
        quote! {
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
        }
    }
}

/// Declares the record, with what every record can do.
fn record_type(target: &Target<'_>, parts: &ModuleParts<'_>) -> TokenStream {
    let Target { name, visibility, generics, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let RecordFields { names, visibilities, types, .. } = &parts.own;
    let title = format!("What of [`{name}`] is saved.");
    quote! {
        #[doc = #title]
        #[allow(missing_docs, private_bounds)]
        #visibility struct #record #generics #where_clause {
            #(#visibilities #names: #types,)*
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
    }
}

/// Implements `IntoNode` for the record.
fn record_writer(target: &Target<'_>, parts: &ModuleParts<'_>) -> TokenStream {
    let Target { root, generics, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let RecordFields { names: own_names, keys: own_keys, .. } = &parts.own;
    let RecordFields { names: attached_names, keys: attached_keys, types: attached_types, .. } =
        &parts.attached;
    let parameters = &parts.parameters;
    let derive = quote!(#root::module::derive);
    quote! {
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
    }
}

/// Implements `Record` for the record.
fn record_reader(target: &Target<'_>, parts: &ModuleParts<'_>) -> TokenStream {
    let Target { root, generics, backend, record, .. } = target;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let RecordFields { names: own_names, keys: own_keys, .. } = &parts.own;
    let RecordFields { names: attached_names, keys: attached_keys, types: attached_types, .. } =
        &parts.attached;
    let ModuleParts { parameters, layer, .. } = parts;
    let derive = quote!(#root::module::derive);
    quote! {
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

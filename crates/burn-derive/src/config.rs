use crate::{attribute, config_default, config_enum, generics, root::root};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, Ident, Type};

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let serde = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let fields = fields.named.iter().map(ConfigField::of).collect::<syn::Result<Vec<_>>>()?;
                config_struct(input, &fields)
            }
            Fields::Unit => config_struct(input, &[]),
            Fields::Unnamed(fields) => {
                return Err(syn::Error::new_spanned(fields, "a config has named fields"));
            }
        },
        Data::Enum(data) => config_enum::derive(input, data),
        Data::Union(data) => {
            return Err(syn::Error::new_spanned(data.union_token, "a config is a struct or an enum"));
        }
    };
    let (root, name) = (root(), &input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        #serde
        #[automatically_derived]
        impl #impl_generics #root::config::Config for #name #ty_generics #where_clause {}
        #[automatically_derived]
        impl #impl_generics ::core::fmt::Display for #name #ty_generics #where_clause {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #root::config::derive::display(self, f)
            }
        }
    })
}

/// One field of a config.
struct ConfigField<'a> {
    field: &'a Field,
    name: &'a Ident,
    ty: &'a Type,
    default: Option<TokenStream>,
}

impl<'a> ConfigField<'a> {
    fn of(field: &'a Field) -> syn::Result<Self> {
        let default = attribute::config_default(&field.attrs)?;
        let default = default.map(|default| config_default::expression(&default, &field.ty)).transpose()?;
        Ok(ConfigField { field, name: field.ident.as_ref().expect("named"), ty: &field.ty, default })
    }

    fn key(&self) -> String {
        self.name.to_string().trim_start_matches("r#").to_owned()
    }
}

fn config_struct(input: &DeriveInput, fields: &[ConfigField<'_>]) -> TokenStream {
    let (root, name) = (root(), &input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let de = generics::with_de(&input.generics);
    let (de_generics, ..) = de.split_for_impl();
    let constructor = constructor(fields);
    let setters = fields.iter().map(setter);
    let serde = quote!(#root::config::derive::serde);
    let names: Vec<_> = fields.iter().map(|field| field.name).collect();
    let (type_name, serialize) = (name.to_string(), serialize(input, fields));
    let reads = fields.iter().map(|ConfigField { name, ty, default, .. }| {
        let key = name.to_string().trim_start_matches("r#").to_owned();
        match default {
            Some(default) => quote!(let #name: #ty = __fields.read_or(#key, || #default)?;),
            None => quote!(let #name: #ty = __fields.read(#key)?;),
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #name #ty_generics #where_clause {
            #constructor
            #(#setters)*
        }
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #name #ty_generics #where_clause {
            fn clone(&self) -> Self {
                Self { #(#names: ::core::clone::Clone::clone(&self.#names),)* }
            }
        }
        #serialize
        #[automatically_derived]
        impl #impl_generics #root::config::derive::FromFields for #name #ty_generics #where_clause {
            fn from_fields(
                __fields: &mut #root::config::derive::Fields,
            ) -> ::core::result::Result<Self, #root::config::derive::FieldError> {
                // One after the other, so that a default can be made of the fields before it.
                #(#reads)*
                ::core::result::Result::Ok(Self { #(#names,)* })
            }
        }
        #[automatically_derived]
        impl #de_generics #serde::Deserialize<'de> for #name #ty_generics #where_clause {
            fn deserialize<__D: #serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #root::config::derive::read_struct(deserializer, #type_name)
            }
        }
    }
}

/// Implements `Serialize`.
fn serialize(input: &DeriveInput, fields: &[ConfigField<'_>]) -> TokenStream {
    let (root, name) = (root(), &input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let serde = quote!(#root::config::derive::serde);
    let (names, keys): (Vec<_>, Vec<_>) = fields.iter().map(|field| (field.name, field.key())).unzip();
    let (type_name, count) = (name.to_string(), fields.len());
    quote! {
        #[automatically_derived]
        impl #impl_generics #serde::Serialize for #name #ty_generics #where_clause {
            fn serialize<__S: #serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                #[allow(unused_mut)]
                let mut state = #serde::Serializer::serialize_struct(serializer, #type_name, #count)?;
                #(#serde::ser::SerializeStruct::serialize_field(&mut state, #keys, &self.#names)?;)*
                #serde::ser::SerializeStruct::end(state)
            }
        }
    }
}

fn constructor(fields: &[ConfigField<'_>]) -> TokenStream {
    let required = fields
        .iter()
        .filter(|field| field.default.is_none())
        .map(|ConfigField { name, ty, .. }| quote!(#name: #ty));
    let values = fields.iter().map(|ConfigField { name, default, .. }| match default {
        Some(default) => quote!(#name: #default),
        None => quote!(#name),
    });
    quote! {
        /// Creates a config; the other fields have their defaults.
        #[allow(clippy::too_many_arguments, clippy::new_without_default)]
        pub fn new(#(#required),*) -> Self {
            Self { #(#values,)* }
        }
    }
}

fn setter(ConfigField { field, name, ty, .. }: &ConfigField<'_>) -> TokenStream {
    let docs: Vec<_> = attribute::docs(&field.attrs).collect();
    let docs = if docs.is_empty() {
        let text = format!("This config with another `{name}`.");
        quote!(#[doc = #text])
    } else {
        quote!(#(#docs)*)
    };
    let method = format_ident!("with_{}", name.to_string().trim_start_matches("r#"));
    quote! {
        #docs
        #[must_use]
        pub fn #method(mut self, #name: #ty) -> Self {
            self.#name = #name;
            self
        }
    }
}

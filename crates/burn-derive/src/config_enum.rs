//! Configs that are a choice: `"Variant"`, or `{"Variant": content}` where a variant holds something.

use crate::{generics, root::root};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, DeriveInput, Fields, Ident, Variant};

pub fn derive(input: &DeriveInput, data: &DataEnum) -> TokenStream {
    let (root, name) = (root(), &input.ident);
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let de = generics::with_de(&input.generics);
    let (de_generics, ..) = de.split_for_impl();
    let serde = quote!(#root::config::derive::serde);
    let type_name = name.to_string();
    let clones = data.variants.iter().map(clone);
    let writes =
        data.variants.iter().zip(0_u32..).map(|(variant, index)| write(&type_name, variant, index, &serde));
    let reads = data.variants.iter().map(read);
    let known = data.variants.iter().map(|variant| variant.ident.to_string());
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #name #ty_generics #where_clause {
            fn clone(&self) -> Self {
                match self { #(#clones)* }
            }
        }
        #[automatically_derived]
        impl #impl_generics #serde::Serialize for #name #ty_generics #where_clause {
            fn serialize<__S: #serde::Serializer>(
                &self,
                serializer: __S,
            ) -> ::core::result::Result<__S::Ok, __S::Error> {
                match self { #(#writes)* }
            }
        }
        #[automatically_derived]
        impl #impl_generics #root::config::derive::FromVariant for #name #ty_generics #where_clause {
            fn from_variant(
                variant: &str,
                #[allow(unused)] fields: &mut #root::config::derive::Fields,
            ) -> ::core::result::Result<Self, #root::config::derive::FieldError> {
                match variant {
                    #(#reads)*
                    other => ::core::result::Result::Err(
                        #root::config::derive::FieldError::unknown_variant(other, &[#(#known),*]),
                    ),
                }
            }
        }
        #[automatically_derived]
        impl #de_generics #serde::Deserialize<'de> for #name #ty_generics #where_clause {
            fn deserialize<__D: #serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> ::core::result::Result<Self, __D::Error> {
                #root::config::derive::read_variant(deserializer, #type_name)
            }
        }
    }
}

/// Names to bind the fields of `variant` to.
fn bindings(variant: &Variant) -> Vec<Ident> {
    let of = |(index, field): (usize, &syn::Field)| match &field.ident {
        Some(name) => name.clone(),
        None => format_ident!("field_{index}"),
    };
    variant.fields.iter().enumerate().map(of).collect()
}

fn clone(variant: &Variant) -> TokenStream {
    let (name, bindings) = (&variant.ident, bindings(variant));
    let cloned = quote!(#(::core::clone::Clone::clone(#bindings)),*);
    match &variant.fields {
        Fields::Unit => quote!(Self::#name => Self::#name,),
        Fields::Unnamed(_) => quote!(Self::#name(#(#bindings),*) => Self::#name(#cloned),),
        Fields::Named(_) => quote! {
            Self::#name { #(#bindings),* } => Self::#name { #(#bindings: ::core::clone::Clone::clone(#bindings)),* },
        },
    }
}

fn write(type_name: &str, variant: &Variant, index: u32, serde: &TokenStream) -> TokenStream {
    let (name, bindings) = (&variant.ident, bindings(variant));
    let (key, count) = (name.to_string(), bindings.len());
    let head = quote!(serializer, #type_name, #index, #key);
    match &variant.fields {
        Fields::Unit => quote! {
            Self::#name => #serde::Serializer::serialize_unit_variant(#head),
        },
        Fields::Unnamed(_) if count == 1 => quote! {
            Self::#name(field_0) => #serde::Serializer::serialize_newtype_variant(#head, field_0),
        },
        Fields::Unnamed(_) => quote! {
            Self::#name(#(#bindings),*) => {
                let mut state = #serde::Serializer::serialize_tuple_variant(#head, #count)?;
                #(#serde::ser::SerializeTupleVariant::serialize_field(&mut state, #bindings)?;)*
                #serde::ser::SerializeTupleVariant::end(state)
            }
        },
        Fields::Named(_) => {
            let keys = bindings.iter().map(ToString::to_string);
            quote! {
                Self::#name { #(#bindings),* } => {
                    let mut state = #serde::Serializer::serialize_struct_variant(#head, #count)?;
                    #(#serde::ser::SerializeStructVariant::serialize_field(&mut state, #keys, #bindings)?;)*
                    #serde::ser::SerializeStructVariant::end(state)
                }
            }
        }
    }
}

fn read(variant: &Variant) -> TokenStream {
    let name = &variant.ident;
    let key = name.to_string();
    let value = match &variant.fields {
        Fields::Unit => quote!(Self::#name),
        Fields::Unnamed(list) if list.unnamed.len() == 1 => quote!(Self::#name(fields.read_whole()?)),
        Fields::Unnamed(list) => {
            let count = list.unnamed.len();
            let reads = (0..count).map(|index| quote!(fields.read_item(#index, #count)?));
            quote!(Self::#name(#(#reads),*))
        }
        Fields::Named(_) => {
            let bindings = bindings(variant);
            let keys = bindings.iter().map(ToString::to_string);
            quote!(Self::#name { #(#bindings: fields.read(#keys)?),* })
        }
    };
    quote!(#key => ::core::result::Result::Ok(#value),)
}

use crate::conditions::Conditions;
use crate::{generics, module_struct::key, root::root};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, Ident, parse_quote};

/// The bodies of `into_node` and `from_node`.
struct Bodies {
    write: TokenStream,
    read: TokenStream,
}

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let (root, name) = (root(), &input.ident);
    let mut generics = generics::without_defaults(&input.generics);
    let backend = match generics::backend(&generics) {
        Some(backend) => backend.ident.clone(),
        None => {
            generics.params.push(parse_quote!(__B: #root::module::derive::Backend));
            format_ident!("__B")
        }
    };
    let bodies = match &input.data {
        Data::Struct(data) => of_struct(&root, &backend, data)?,
        Data::Enum(data) => of_enum(&root, &backend, data)?,
        Data::Union(data) => {
            return Err(syn::Error::new_spanned(data.union_token, "a record is a struct or an enum"));
        }
    };
    let (conditions, record) = (Conditions::of(input, false), quote!(#root::record::Record<#backend>));
    let assertion = conditions.assertion(&root, input, &backend, (&record, "from_node"));
    let mut own_generics = generics::without_defaults(&input.generics);
    conditions.require(&mut own_generics, &quote!(#root::record::IntoNode));
    conditions.require(&mut generics, &record);
    let (impl_generics, _, where_on_backend) = generics.split_for_impl();
    let (own_impl_generics, ty_generics, where_clause) = own_generics.split_for_impl();
    let Bodies { write, read } = bodies;
    Ok(quote! {
        #assertion
        #[automatically_derived]
        impl #own_impl_generics #root::record::IntoNode for #name #ty_generics #where_clause {
            fn into_node(self) -> #root::record::Node { #write }
        }
        #[automatically_derived]
        impl #impl_generics #root::record::Record<#backend> for #name #ty_generics #where_on_backend {
            fn from_node(
                node: #root::record::Node,
                at: &#root::record::KeyPath<'_>,
                device: &#root::record::derive::Device<#backend>,
            ) -> ::core::result::Result<Self, #root::record::RecordError> { #read }
        }
    })
}

fn of_struct(root: &TokenStream, backend: &Ident, data: &DataStruct) -> syn::Result<Bodies> {
    if let Fields::Unnamed(fields) = &data.fields {
        return Err(syn::Error::new_spanned(fields, "a record has named fields"));
    }
    let names: Vec<&Ident> = data.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
    Ok(Bodies {
        write: quote! {
            #[allow(unused_mut)]
            let mut fields = #root::record::derive::FieldWriter::new();
            #(fields.write(#keys, self.#names);)*
            fields.finish()
        },
        read: quote! {
            #[allow(unused_mut)]
            let mut fields = #root::record::derive::FieldReader::new(node, at)?;
            #(let #names = fields.read::<#backend, _>(#keys, device);)*
            fields.finish()?;
            #[allow(unused_variables)]
            let take = #root::record::derive::FieldReader::TAKE;
            ::core::result::Result::Ok(Self { #(#names: #names.expect(take),)* })
        },
    })
}

fn of_enum(root: &TokenStream, backend: &Ident, data: &DataEnum) -> syn::Result<Bodies> {
    let keys: Vec<String> = data.variants.iter().map(|variant| variant.ident.to_string()).collect();
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    for (variant, key) in data.variants.iter().zip(&keys) {
        let name = &variant.ident;
        match &variant.fields {
            Fields::Unit => {
                writes.push(quote!(Self::#name => #root::record::derive::write_variant(#key, ()),));
                reads.push(quote! {
                    if let ::core::option::Option::Some(()) = variant.read::<#backend, ()>(#key, device)? {
                        return ::core::result::Result::Ok(Self::#name);
                    }
                });
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                writes.push(quote! {
                    Self::#name(value) => #root::record::derive::write_variant(#key, value),
                });
                reads.push(quote! {
                    if let ::core::option::Option::Some(value) = variant.read::<#backend, _>(#key, device)? {
                        return ::core::result::Result::Ok(Self::#name(value));
                    }
                });
            }
            Fields::Unnamed(_) | Fields::Named(_) => {
                let message = "a variant of a record is empty or holds one record";
                return Err(syn::Error::new_spanned(variant, message));
            }
        }
    }
    Ok(Bodies {
        write: quote!(match self { #(#writes)* }),
        read: quote! {
            let variant = #root::record::derive::VariantReader::new(node, at, &[#(#keys),*])?;
            #(#reads)*
            ::core::result::Result::Err(variant.no_match())
        },
    })
}

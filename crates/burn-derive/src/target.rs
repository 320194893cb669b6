use crate::conditions::Conditions;
use proc_macro2::TokenStream;
use syn::{Generics, Ident, Visibility};

/// Input of the module derive: one type and its generics.
pub struct Target<'a> {
    pub root: TokenStream,
    pub name: &'a Ident,
    pub visibility: &'a Visibility,
    /// Generic parameters as the type declares them, without defaults, with the bounds that make its fields
    /// modules.
    pub generics: Generics,
    pub conditions: Conditions<'a>,
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

//! The `#[config(..)]` and `#[module(..)]` attributes.

use syn::{Attribute, Expr};

/// The expression of `#[config(default = ..)]`.
pub fn config_default(attributes: &[Attribute]) -> syn::Result<Option<Expr>> {
    let mut default = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("config")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("default") {
                return Err(meta.error("unknown option: `#[config(default = ..)]` is the only one"));
            }
            default = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(default)
}

/// Whether there is a `#[module(custom_display)]`.
pub fn has_custom_display(attributes: &[Attribute]) -> syn::Result<bool> {
    let mut custom = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("module")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("custom_display") {
                return Err(meta.error("unknown option: `#[module(custom_display)]` is the only one"));
            }
            custom = true;
            Ok(())
        })?;
    }
    Ok(custom)
}

/// The doc comments among `attributes`.
pub fn docs(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

//! The `#[config(..)]` and `#[module(..)]` attributes.

use syn::{Attribute, Expr, Ident};

/// Returns the expression of `#[config(default = ..)]`.
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

/// The options of `#[module(..)]`.
#[derive(Default)]
pub struct Custom {
    pub display: bool,
    pub valid: bool,
    /// Whether the type may be part of a part of it.
    pub recursive: bool,
}

pub fn custom(attributes: &[Attribute]) -> syn::Result<Custom> {
    let mut custom = Custom::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("module")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("custom_display") {
                custom.display = true;
            } else if meta.path.is_ident("custom_valid") {
                custom.valid = true;
            } else if meta.path.is_ident("recursive") {
                custom.recursive = true;
            } else {
                return Err(
                    meta.error("unknown option: there are `custom_display`, `custom_valid` and `recursive`")
                );
            }
            Ok(())
        })?;
    }
    Ok(custom)
}

/// Returns the field that `#[module(record_in = ..)]` of a field names.
pub fn record_in(attributes: &[Attribute]) -> syn::Result<Option<Ident>> {
    let mut parameter = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("module")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("record_in") {
                return Err(meta.error("unknown option of a field: there is `record_in`"));
            }
            parameter = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(parameter)
}

/// Returns the doc comments among `attributes`.
pub fn docs(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc"))
}

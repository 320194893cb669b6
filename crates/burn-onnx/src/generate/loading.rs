//! Functions of a generated model that load the weights.

use super::source::Options;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The call that implements the functions that load the weights.
pub(super) fn loading(options: &Options<'_>) -> TokenStream {
    if options.embed {
        let file = format!("{}.bin", options.file_stem);
        return quote!(burn::record::impl_from_embedded!(Model, include_bytes!(#file)););
    }
    let (recorder, path) =
        (format_ident!("{}", options.record_type.recorder()), options.record_path.tokens());
    quote!(burn::record::impl_from_file!(Model, #recorder, #path);)
}

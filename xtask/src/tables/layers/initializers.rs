//! Reads the variants of `Initializer`.

use super::super::counterpart::Counterpart;
use super::super::syntax::documentation;
use super::docs;
use super::entry::Entry;
use crate::Outcome;
use syn::{Fields, Item, ItemEnum, Variant};

/// Returns an entry for each variant of the enum `Initializer` in the text of `file`. Their names in PyTorch
/// are those in parentheses: `` (`torch.nn.init.eye_`) ``.
pub(super) fn read(file: &str, text: &str) -> Outcome<Vec<Entry>> {
    let parsed = syn::parse_file(text).map_err(|cause| format!("{file}: {cause}"))?;
    let is_initializer = |item: &Item| matches!(item, Item::Enum(item) if item.ident == "Initializer");
    match parsed.items.into_iter().find(is_initializer) {
        Some(Item::Enum(ItemEnum { variants, .. })) => {
            Ok(variants.iter().map(|variant| entry(file, variant)).collect())
        }
        _ => Err(format!("{file}: no enum `Initializer`")),
    }
}

fn entry(file: &str, variant: &Variant) -> Entry {
    let fields: Vec<String> = match &variant.fields {
        Fields::Named(fields) => {
            fields.named.iter().filter_map(|field| field.ident.as_ref().map(ToString::to_string)).collect()
        }
        Fields::Unnamed(_) | Fields::Unit => Vec::new(),
    };
    let fields = if fields.is_empty() { String::new() } else { format!(" {{ {} }}", fields.join(", ")) };
    let text = documentation(&variant.attrs);
    let name = format!("Initializer::{}{fields}", variant.ident);
    let mut entry = Entry::new(file.to_string(), "nn/initializer".to_string(), name, &text);
    let torch: Vec<String> =
        docs::torch_names(&docs::prose(&text)).into_iter().map(|name| format!("`{name}`")).collect();
    entry.counterpart = (!torch.is_empty()).then(|| Counterpart::Named(torch.join(", ")));
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_entries_with_their_fields() {
        let text = r#"
            pub enum Other { First }
            pub enum Initializer {
                /// Ones on the diagonal
                /// (`torch.nn.init.eye_`).
                Identity,
                /// Normal with `std = gain` (He et al. 2015; `torch.nn.init.kaiming_normal_`). More.
                KaimingNormal { gain: f64, fan_out_only: bool },
            }"#;
        let entries = read("initializer.rs", text).unwrap();
        let found: Vec<_> =
            entries.iter().map(|entry| (entry.name.as_str(), entry.summary.as_str())).collect();
        let expected = [
            ("Initializer::Identity", "Ones on the diagonal"),
            ("Initializer::KaimingNormal { gain, fan_out_only }", "Normal with `std = gain`"),
        ];
        assert_eq!(found, expected);
        assert_eq!(entries[0].torch_names(), ["torch.nn.init.eye_"]);
        assert_eq!((entries[1].torch_names().len(), entries[1].papers.len()), (1, 1));
        assert!(read("initializer.rs", "struct Initializer;").is_err());
    }
}

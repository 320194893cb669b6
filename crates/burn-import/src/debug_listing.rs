use burn_core::weights::Weights;
use std::fmt::Write;

/// Formats a block of lines for each tensor, sorted by its name in the file: that name, the new one, its
/// shape and its type.
pub fn debug_listing(original: &Weights, renamed: &Weights) -> String {
    let mut text = String::from("Debug information of keys and tensor shapes:\n---\n");
    let mut pairs: Vec<_> = original.tensors().iter().zip(renamed.tensors()).collect();
    pairs.sort_by(|(a, _), (b, _)| a.name().cmp(b.name()));
    for (before, after) in pairs {
        let sizes: Vec<String> = before.shape().iter().map(ToString::to_string).collect();
        // Writing to a text does not fail.
        let _ = write!(
            text,
            "Original Key: {}\nRemapped Key: {}\nShape: [{}]\nDtype: {}\n---\n",
            before.name(),
            after.name(),
            sizes.join(", "),
            before.dtype().name().to_uppercase(),
        );
    }
    text
}

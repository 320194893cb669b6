use burn_core::weights::Weights;
use std::fmt::Write;

/// Formats a block of lines for each tensor: its name in the file, its new name, its shape and its type.
pub fn debug_listing(original: &Weights, renamed: &Weights) -> String {
    let mut text = String::from("Debug information of keys and tensor shapes:\n---\n");
    for (before, after) in original.tensors().iter().zip(renamed.tensors()) {
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

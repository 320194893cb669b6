use super::Node;

/// Conversion of a [`Record`](super::Record) to a tree, the half of it that needs no backend: recorders save
/// a value without a device argument. Made by `#[derive(Record)]` and `#[derive(Module)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    note = "add `#[derive(Record)]`; records are made of records, tensors, numbers, texts, options and lists"
)]
pub trait IntoNode {
    /// Whether values of this type carry nothing.
    const IS_CONSTANT: bool = false;

    /// Converts this value to a tree. Tensors are read from their device.
    fn into_node(self) -> Node;
}

//! How items become a batch.

/// Makes one batch of a list of items.
///
/// A batcher that makes tensors owns the device on which it makes them. Every function and closure
/// from `Vec<I>` to `O` is a batcher; a type that holds settings or a device implements the trait.
///
/// ```
/// use burn::data::dataloader::batcher::Batcher;
///
/// struct Mean;
///
/// impl Batcher<f32, f32> for Mean {
///     fn batch(&self, items: Vec<f32>) -> f32 {
///         items.iter().sum::<f32>() / items.len() as f32
///     }
/// }
///
/// assert_eq!(Mean.batch(vec![1.0, 2.0, 6.0]), 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not make a batch `{O}` of items `{I}`",
    note = "implement `Batcher<{I}, {O}>` with `fn batch(&self, items: Vec<{I}>) -> {O}`"
)]
pub trait Batcher<I, O>: Send + Sync {
    /// Makes a batch of the items, at least one, in this order.
    fn batch(&self, items: Vec<I>) -> O;
}

impl<I, O, F: Fn(Vec<I>) -> O + Send + Sync> Batcher<I, O> for F {
    fn batch(&self, items: Vec<I>) -> O {
        self(items)
    }
}

/// A source whose items come one after the other and cannot be read by index: a socket, a
/// generator, a file too large to index.
///
/// A [`Dataset`](crate::Dataset) is the better choice wherever an index is possible: it can be
/// shuffled and read by several threads. A stream says itself how many items make an epoch, after
/// which a training run validates and saves.
///
/// ```
/// use burn::data::dataset::IterableDataset;
///
/// struct Multiples;
///
/// impl IterableDataset<usize> for Multiples {
///     fn stream(&self, epoch: usize) -> Box<dyn Iterator<Item = usize>> {
///         Box::new((0..).step_by(epoch))
///     }
///
///     fn items_per_epoch(&self) -> usize {
///         1_000
///     }
/// }
///
/// assert_eq!(Multiples.stream(3).take(3).collect::<Vec<_>>(), [0, 3, 6]);
/// ```
pub trait IterableDataset<I>: Send + Sync {
    /// Opens the stream of an epoch, counted from 1; the same epoch gives the same items.
    fn stream(&self, epoch: usize) -> Box<dyn Iterator<Item = I> + '_>;

    /// Returns how many items make an epoch; a stream that ends before ends the epoch.
    fn items_per_epoch(&self) -> usize;
}

/// How far an epoch has come, counted in items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The items in the batches handed out so far.
    pub items_processed: usize,
    /// The items of the whole epoch.
    pub items_total: usize,
}

impl Progress {
    /// Counts `items_processed` of `items_total`.
    pub fn new(items_processed: usize, items_total: usize) -> Self {
        Self { items_processed, items_total }
    }
}

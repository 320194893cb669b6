use derive_new::new;

/// How far an epoch has come, counted in items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, new)]
pub struct Progress {
    /// The items in the batches handed out so far.
    pub items_processed: usize,
    /// The items of the whole epoch.
    pub items_total: usize,
}

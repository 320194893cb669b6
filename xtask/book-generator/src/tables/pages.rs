/// Generated pages, and the problems of their sources.
pub(super) struct Tables {
    /// Pages by path.
    pub(super) pages: Vec<(&'static str, String)>,
    /// Problems in the documentation that the pages are made from.
    pub(super) findings: Vec<String>,
}

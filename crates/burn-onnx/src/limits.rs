/// Budgets of a model: what a file may take of memory and time when it is loaded, recorded and run.
///
/// The defaults are far above those of published models, and keep a hostile file from taking the whole
/// machine. Raise one for a larger model that is trusted, or lower it for a service that loads files of
/// strangers:
///
/// ```
/// use burn_onnx::Limits;
///
/// let limits = Limits::default().with_bytes(64 << 20).with_trips(1000);
/// assert_eq!(limits.nodes, 1 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Most bytes of the values that nodes make and that are alive at the same time: tensors, lists and
    /// numbers on the host, what loops collect, and what is computed from constants beyond the size of the
    /// constants themselves. A value counts until the last node that takes it has run, an output to the end;
    /// inputs and the constants of the file do not count, nor does the scratch memory of a kernel. 4 GiB by
    /// default.
    pub bytes: u64,
    /// Most nodes of the model, those of subgraphs among them and those of a function once for each call;
    /// also most nodes that are translated to record the model, where loops may be unrolled. 2^20 by default.
    pub nodes: u64,
    /// Deepest nesting of subgraphs and of calls of functions. 64 by default.
    pub depth: usize,
    /// Most iterations of all loops and scans of a run together; parts of a tensor that is split into a
    /// sequence, regions, and steps of recurrent operators that are unrolled count too. 2^20 by default.
    pub trips: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 4 << 30, nodes: 1 << 20, depth: 64, trips: 1 << 20 }
    }
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])* $method:ident($field:ident: $ty:ty);)*) => {
        impl Limits {$(
            $(#[doc = $doc])*
            #[must_use]
            pub fn $method(mut self, $field: $ty) -> Self {
                self.$field = $field;
                self
            }
        )*}
    };
}

setters! {
    /// Sets the most bytes of the values that are alive at the same time.
    with_bytes(bytes: u64);
    /// Sets the most nodes.
    with_nodes(nodes: u64);
    /// Sets the deepest nesting.
    with_depth(depth: usize);
    /// Sets the most iterations.
    with_trips(trips: u64);
}

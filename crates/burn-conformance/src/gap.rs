use crate::Family;
use burn_backend::{DType, Operation};

/// Something that a backend is known not to do, or not to do right. A listed gap that starts to work fails
/// the suite, so that the list is never longer than the truth; unless it [may agree](Gap::may_agree).
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Shown to the reader of a failure and of the support table.
    pub reason: &'static str,
    families: &'static [Family],
    operations: &'static [&'static str],
    dtypes: &'static [DType],
    situation: &'static str,
    may_agree: bool,
}

impl Gap {
    /// A gap of everything, to be narrowed.
    pub const fn new(reason: &'static str) -> Self {
        Gap { reason, families: &[], operations: &[], dtypes: &[], situation: "", may_agree: false }
    }

    #[must_use]
    pub const fn families(self, families: &'static [Family]) -> Self {
        Gap { families, ..self }
    }

    /// By name, as [`Operation::name`].
    #[must_use]
    pub const fn operations(self, operations: &'static [&'static str]) -> Self {
        Gap { operations, ..self }
    }

    #[must_use]
    pub const fn dtypes(self, dtypes: &'static [DType]) -> Self {
        Gap { dtypes, ..self }
    }

    /// Those whose situation contains this.
    #[must_use]
    pub const fn situation(self, situation: &'static str) -> Self {
        Gap { situation, ..self }
    }

    /// The result depends on the run, such as on the order in which threads of a GPU add: neither agreement
    /// nor disagreement fails the suite.
    #[must_use]
    pub const fn may_agree(self) -> Self {
        Gap { may_agree: true, ..self }
    }

    /// Whether the list is longer than the truth where `failed` of the checks that this covers fail.
    pub fn is_closed(&self, failed: usize) -> bool {
        failed == 0 && !self.may_agree
    }

    /// Whether the backend has no tensors of `dtype` at all.
    pub fn is_without(&self, dtype: DType) -> bool {
        let whole = self.families.is_empty() && self.operations.is_empty() && self.situation.is_empty();
        whole && self.dtypes.contains(&dtype)
    }

    /// Whether it says something about this operation of these dtypes.
    pub fn is_about(&self, family: Family, operation: &str, dtypes: &[DType]) -> bool {
        self.concerns(family)
            && (self.operations.is_empty() || self.operations.contains(&operation))
            && (self.dtypes.is_empty() || self.dtypes.iter().any(|dtype| dtypes.contains(dtype)))
    }

    /// Whether it says something about `family`.
    pub fn concerns(&self, family: Family) -> bool {
        self.families.contains(&family)
    }

    pub fn covers(&self, at: &Situation) -> bool {
        self.families.contains(&at.family)
            && (self.operations.is_empty() || self.operations.contains(&at.operation))
            && (self.dtypes.is_empty() || self.dtypes.contains(&at.dtype))
            && at.name.contains(self.situation)
    }
}

/// Where a check stands.
#[derive(Clone, Debug)]
pub struct Situation {
    pub family: Family,
    pub operation: &'static str,
    pub dtype: DType,
    pub name: String,
}

impl Situation {
    pub fn of<T>(op: &Operation<T>, dtype: DType, name: String) -> Self {
        Situation { family: Family::of(op), operation: op.name(), dtype, name }
    }
}

impl std::fmt::Display for Situation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}, {}", self.operation, self.dtype, self.name)
    }
}

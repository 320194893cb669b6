use crate::Outcome;

/// Findings of one rule, each with a place and a reason.
pub(super) type Findings = Outcome<Vec<String>>;

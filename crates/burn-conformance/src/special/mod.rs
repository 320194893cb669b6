//! Checks that are no single call.

mod argwhere;
mod creation;
mod dtypes;
pub(crate) mod half_precision;
mod lifetime;
pub(crate) mod linalg;
pub(crate) mod long_sums;
mod random;
mod sampling;
mod situation;
mod statistics;
mod threads;

use crate::operations::checks;
use crate::subject::Report;
use crate::{Family, Subject};
use situation::{equal, situation};

/// The checks of `family` that are no cases.
#[allow(clippy::wildcard_enum_match_arm)] // Operations name theirs beside their cases.
pub fn each(family: Family, subject: &Subject, report: &mut Report<'_>) {
    if let Some(checks) = checks(family) {
        return checks.special(subject, report);
    }
    match family {
        Family::DTypes => dtypes::check(subject, report),
        Family::Creation => creation::check(subject, report),
        Family::Random => {
            random::check(subject, report);
            sampling::check(subject, report);
        }
        Family::Argwhere => argwhere::check(subject, report),
        Family::Dropped => lifetime::check(subject, report),
        Family::Threads => threads::check(subject, report),
        _ => {}
    }
}

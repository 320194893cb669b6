//! Checks that are no single call.

mod argwhere;
mod creation;
mod dtypes;
pub(crate) mod half_precision;
mod lifetime;
mod linalg;
mod long_sums;
mod random;
mod sampling;
mod situation;
mod statistics;
mod threads;

use crate::subject::Report;
use crate::{Family, Subject};
use situation::{equal, situation};

/// The checks of `family` that are no cases.
#[allow(clippy::wildcard_enum_match_arm)] // Most operations have none.
pub fn each(family: Family, subject: &Subject, report: &mut Report<'_>) {
    match family {
        Family::Factorize => linalg::check(subject, report),
        Family::DTypes => dtypes::check(subject, report),
        Family::Creation => creation::check(subject, report),
        Family::Random => {
            random::check(subject, report);
            sampling::check(subject, report);
        }
        Family::Reduce => {
            half_precision::check(subject, report);
            long_sums::reduce(subject, report);
        }
        Family::Cumulative => long_sums::cumulative(subject, report),
        Family::Argwhere => argwhere::check(subject, report),
        Family::Dropped => lifetime::check(subject, report),
        Family::Threads => threads::check(subject, report),
        _ => {}
    }
}

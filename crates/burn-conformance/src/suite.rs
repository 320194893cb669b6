//! One line in a backend's test file.

use crate::again::again;
use crate::case::Case;
use crate::checked::Checked;
use crate::subject::Report;
use crate::{Family, Subject, operations, special};
use burn_backend::DType;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Makes the tests of one backend, one for each family of operations; or those of several, where each case is
/// computed by its definition once and by every backend in turn.
///
/// ```ignore
/// burn_conformance::suite!(leaf: NdArray);
/// burn_conformance::suite!(decorators {
///     fusion: Fusion<NdArray>;
///     remote: Remote, before = start_server(), gaps = burn_conformance::known_gaps::NDARRAY, in_flight = 16;
///     router: Router<(NdArray, Toy)>, dtypes = burn_conformance::BRIEF;
/// });
/// ```
#[macro_export]
macro_rules! suite {
    (@gaps) => { &[] };
    (@gaps $gaps:expr) => { $gaps };
    (@run $family:ident {
        $($name:ident: $backend:ty $(, before = $before:expr)? $(, gaps = $gaps:expr)? $(, in_flight = $in_flight:expr)? $(, dtypes = $dtypes:expr)?);+ $(;)?
    }) => {{
        $($($before;)?)+
        let subjects = [
            $($crate::Subject::new::<$backend>(stringify!($name), $crate::suite!(@gaps $($gaps)?))
                $(.in_flight($in_flight))? $(.dtypes_asked(&$dtypes))?),+
        ];
        $crate::run(&subjects, $crate::Family::$family);
    }};
    (@tests $backends:tt operations { $($test:ident $family:ident = $ir:ident, $module:ident::$checks:ident $fields:tt;)* }) => {
        $crate::suite!(@tests $backends;
            $($test $family,)*
            dtypes DTypes, creation Creation, random Random, argwhere Argwhere, dropped Dropped, threads Threads);
    };
    (@tests $backends:tt; $($test:ident $family:ident),*) => {
        $(#[test]
        fn $test() {
            if $crate::runs_alone($crate::Family::$family, concat!(module_path!(), "::", stringify!($test))) {
                return;
            }
            $crate::suite!(@run $family $backends);
        })*

        #[test]
        fn every_family_has_a_test() {
            assert_eq!([$($crate::Family::$family),*], $crate::Family::ALL);
        }
    };
    ($name:ident: $($backend:tt)+) => {
        $crate::suite!($name { $name: $($backend)+ });
    };
    ($module:ident $backends:tt) => {
        mod $module {
            #[allow(unused_imports)]
            use super::*;

            $crate::each_operation!($crate::suite { @tests $backends });
        }
    };
}

/// Cases that are computed by their definitions before backends run them, and the most that a backend has
/// under way at once.
const AT_ONCE: usize = 16;

/// Runs the test of a family that draws from the generators of the whole process alone in a process of its
/// own: whether it did, and nothing is left to do here.
///
/// # Panics
/// When the test fails there.
#[track_caller]
pub fn runs_alone(family: Family, test: &str) -> bool {
    family == Family::Random && again(test, &[]).is_some()
}

/// Checks one family on several backends.
///
/// # Panics
/// When something fails that is no known gap, or a known gap is none.
#[track_caller]
pub fn run(subjects: &[Subject], family: Family) {
    // Miri takes a thousand times as long.
    let subjects = if cfg!(miri) { &subjects[..1] } else { subjects };
    let mut reports: Vec<Report<'_>> = subjects.iter().map(|subject| Report::new(subject, family)).collect();
    let mut cases = Vec::with_capacity(AT_ONCE);
    let mut ranks: HashMap<(&str, DType), usize> = HashMap::new();
    operations::each(family, &mut |case| {
        let rank = ranks.entry((case.situation.operation, case.situation.dtype)).or_default();
        cases.push(Case { rank: *rank, ..case });
        *rank += 1;
        if cases.len() == AT_ONCE {
            check(&cases, &mut reports);
            cases.clear();
        }
    });
    check(&cases, &mut reports);
    for report in &mut reports {
        special::each(family, report.subject(), report);
    }
    let failures: Vec<String> = reports.into_iter().filter_map(|report| report.finish().err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Computes each case by its definition once, and by every backend.
fn check(cases: &[Case], reports: &mut [Report<'_>]) {
    let checked: Vec<OnceLock<Checked<'_>>> = cases.iter().map(|_| OnceLock::new()).collect();
    let definition = |at: usize| checked[at].get_or_init(|| Checked::new(&cases[at]));
    for report in reports {
        let subject = report.subject();
        let mine = (0..cases.len()).filter(|&at| cases[at].is_for(subject));
        let (gaps, sound): (Vec<_>, Vec<_>) = mine.partition(|&at| report.is_gap(&cases[at].situation));
        for together in sound.chunks(subject.in_flight) {
            check_together(cases, together, definition, report);
        }
        for at in gaps {
            report.check(&cases[at].situation, || definition(at).run(&subject.device));
        }
    }
}

/// Checks some of the cases with all calls under way at once; where one of them fails, each runs alone.
fn check_together<'a>(
    cases: &[Case],
    chosen: &[usize],
    definition: impl Fn(usize) -> &'a Checked<'a> + Sync,
    report: &mut Report<'_>,
) {
    let device = &report.subject().device;
    let mut together = Ok(());
    if chosen.len() > 1 {
        let all = || Checked::run_all(&chosen.iter().map(|&at| definition(at)).collect::<Vec<_>>(), device);
        together = report.check_all(chosen.len(), all);
        if together.is_ok() {
            return;
        }
    }
    let failures = report.failures();
    for &at in chosen {
        report.check(&cases[at].situation, || definition(at).run(device));
    }
    if let Err(error) = together
        && report.failures() == failures
    {
        report.fail(format!("only among other calls: {error}"));
    }
}

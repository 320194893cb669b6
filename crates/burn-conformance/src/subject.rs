use crate::{Gap, Situation};
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{Backend, DType};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A backend under test. Not generic: the suite is compiled once, not once per backend.
#[derive(Clone, Debug)]
pub struct Subject {
    pub device: DynamicDevice,
    pub gaps: &'static [Gap],
    /// Cases that are under way at once.
    pub in_flight: usize,
    name: &'static str,
    seed: fn(u64),
    /// The element types that operations are called with.
    asked: &'static [DType],
}

/// One element type of each kind. A subject that is asked for these is brief: it is asked for the first six
/// cases of an operation and a third of the others. So are decorators whose backend is asked for everything.
/// With `BURN_SUITE=brief` in the environment all backends are: software compiles a GPU's kernels slowly.
pub const BRIEF: [DType; 5] = [DType::F32, DType::F16, DType::I32, DType::U8, DType::Bool];

impl Subject {
    /// `name` is what reports call it. With `BURN_SUITE=brief` in the environment, operations are called with
    /// the element types of [`BRIEF`].
    pub fn new<B: Backend>(name: &'static str, gaps: &'static [Gap]) -> Self {
        let device = DynamicDevice::new::<B>(B::Device::default());
        let brief = std::env::var("BURN_SUITE").is_ok_and(|length| length == "brief");
        let asked: &[DType] = if brief { &BRIEF } else { &DType::ALL };
        Subject { device, gaps, in_flight: 1, name, seed: B::seed, asked }
    }

    /// Calls operations with these element types alone.
    pub fn dtypes_asked(self, asked: &'static [DType]) -> Self {
        Subject { asked, ..self }
    }

    /// Has several cases under way at once, at most sixteen: a backend far away is waited for once for all of
    /// them.
    pub fn in_flight(self, cases: usize) -> Self {
        Subject { in_flight: cases, ..self }
    }

    pub fn seed(&self, seed: u64) {
        (self.seed)(seed);
    }

    /// The element types that it has and is asked for.
    pub fn dtypes(&self) -> impl Iterator<Item = DType> + '_ {
        DType::ALL.into_iter().filter(|&dtype| self.has(dtype) && self.asks(dtype))
    }

    /// Whether operations are called with this element type.
    pub fn asks(&self, dtype: DType) -> bool {
        self.asked.contains(&dtype)
    }

    /// Whether an operation is called in the case that so many of the same dtype come before.
    pub(crate) fn asks_case(&self, rank: usize) -> bool {
        if cfg!(miri) {
            return rank == 0 || rank.is_power_of_two();
        }
        !self.is_brief() || rank < 6 || rank.is_multiple_of(3)
    }

    fn is_brief(&self) -> bool {
        self.asked.len() < DType::ALL.len()
    }

    pub fn has(&self, dtype: DType) -> bool {
        self.lack(dtype).is_none()
    }

    /// Why there are no tensors of `dtype`, by the gaps or by what the device says of itself.
    pub fn lack(&self, dtype: DType) -> Option<&'static str> {
        let gap = self.gaps.iter().find(|gap| gap.is_without(dtype)).map(|gap| gap.reason);
        gap.or_else(|| {
            (!Dynamic::has_dtype(&self.device, dtype)).then_some("the device has no such elements")
        })
    }
}

/// Results of the checks of one family.
#[derive(Debug)]
pub struct Report<'a> {
    subject: &'a Subject,
    family: crate::Family,
    failures: Vec<String>,
    checks: usize,
    /// By gap: how many checks it covers, and how many of them fail.
    covered: Vec<(usize, usize)>,
}

/// Failures that are printed; more are counted.
const SHOWN: usize = 12;

impl<'a> Report<'a> {
    pub fn new(subject: &'a Subject, family: crate::Family) -> Self {
        let covered = vec![(0, 0); subject.gaps.len()];
        Report { subject, family, failures: Vec::new(), checks: 0, covered }
    }

    pub fn subject(&self) -> &'a Subject {
        self.subject
    }

    pub fn family(&self) -> crate::Family {
        self.family
    }

    /// Whether checks in this situation are a known gap.
    pub fn is_gap(&self, at: &Situation) -> bool {
        self.subject.gaps.iter().any(|gap| gap.covers(at))
    }

    /// How many checks failed that are no known gap.
    pub fn failures(&self) -> usize {
        self.failures.len()
    }

    pub fn fail(&mut self, error: String) {
        self.failures.push(error);
    }

    /// Runs several checks at once, none of which is a known gap, and counts them when all pass.
    ///
    /// # Errors
    /// Says what went wrong, in whichever of them.
    pub fn check_all(
        &mut self,
        count: usize,
        check: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let outcome = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| Err(message(&*panic)));
        self.checks += if outcome.is_ok() { count } else { 0 };
        outcome
    }

    /// Runs one check. What is a known gap runs in a thread of its own: it may panic half way.
    pub fn check(&mut self, at: &Situation, check: impl FnOnce() -> Result<(), String> + Send) {
        self.checks += 1;
        let gap = self.subject.gaps.iter().position(|gap| gap.covers(at));
        let outcome = match gap {
            None => catch_unwind(AssertUnwindSafe(check)),
            Some(_) => std::thread::scope(|scope| scope.spawn(check).join()),
        };
        let outcome = outcome.unwrap_or_else(|panic| Err(message(&*panic)));
        match (gap, outcome) {
            (None, Ok(())) => {}
            (None, Err(error)) => self.failures.push(format!("{at}: {error}")),
            (Some(gap), outcome) => {
                self.covered[gap].0 += 1;
                self.covered[gap].1 += usize::from(outcome.is_err());
            }
        }
    }

    /// # Errors
    /// When something failed that is no known gap, or a known gap is none.
    pub fn finish(mut self) -> Result<(), String> {
        let name = self.subject.name;
        for dtype in DType::ALL {
            let brief = (!self.subject.asks(dtype)).then_some("the suite is brief");
            if let Some(reason) = self.subject.lack(dtype).or(brief) {
                println!("left out: {name}: {dtype}: {reason}");
            }
        }
        for (gap, (checks, failed)) in self.subject.gaps.iter().zip(&self.covered) {
            if !gap.concerns(self.family) {
                continue;
            }
            println!("known gap: {name}: {} ({failed} of {checks} checks fail)", gap.reason);
            // The cases that fail may be among those that a brief suite leaves out.
            if gap.is_closed(*failed) && !self.subject.is_brief() {
                self.failures.push(format!("a known gap works now, remove it: {}", gap.reason));
            }
        }
        let count = self.failures.len();
        self.failures.truncate(SHOWN);
        if count == 0 {
            return Ok(());
        }
        let failures = self.failures.join("\n  ");
        Err(format!("{name}, {:?}: {count} of {} checks fail\n  {failures}", self.family, self.checks))
    }
}

/// Returns the message of a panic.
pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use super::{BRIEF, Report, Subject};
    use crate::{Family, Gap, Situation};
    use burn_backend::DType;
    use burn_ndarray::NdArray;

    const GAP: Gap = Gap::new("sums differ from run to run").families(&[Family::Scatter]);

    /// Whether the suite passes when one check that the gap covers has this outcome.
    fn passes(gaps: &'static [Gap], outcome: Result<(), String>) -> bool {
        let subject = Subject::new::<NdArray>("ndarray", gaps);
        let mut report = Report::new(&subject, Family::Scatter);
        let at = Situation {
            family: Family::Scatter,
            operation: "scatter",
            dtype: DType::F32,
            name: String::new(),
        };
        report.check(&at, || outcome);
        report.finish().is_ok()
    }

    #[test]
    fn a_gap_that_works_fails_unless_it_may_agree() {
        let differs = || Err("other bits".to_string());
        assert!(!passes(&[], differs()));
        assert!(passes(&[GAP], differs()));
        assert!(!passes(&[GAP], Ok(())));
        const LOOSE: &[Gap] = &[GAP.may_agree()];
        assert!(passes(LOOSE, differs()));
        assert!(passes(LOOSE, Ok(())));
    }

    #[test]
    fn a_brief_suite_asks_for_some_cases_and_one_element_type_of_each_kind() {
        let whole = Subject::new::<NdArray>("ndarray", &[]).dtypes_asked(&DType::ALL);
        let brief = whole.clone().dtypes_asked(&BRIEF);
        assert_eq!(whole.dtypes().count(), 13);
        assert_eq!(brief.dtypes().count(), 5);
        let kinds: [fn(DType) -> bool; 3] = [DType::is_float, DType::is_int, |dtype| dtype == DType::Bool];
        assert!(kinds.iter().all(|kind| brief.dtypes().any(kind)));
        assert_eq!((0..60).filter(|&rank| whole.asks_case(rank)).count(), 60);
        assert_eq!((0..60).filter(|&rank| brief.asks_case(rank)).count(), 6 + 18);
        // The backend has the others all the same.
        assert!(brief.has(DType::F64) && !brief.asks(DType::F64));
    }

    #[test]
    fn checks_that_fail_together_are_left_to_run_alone() {
        let subject = Subject::new::<NdArray>("ndarray", &[]);
        let mut report = Report::new(&subject, Family::Scatter);
        assert_eq!(report.check_all(3, || Ok(())), Ok(()));
        assert!(report.check_all(2, || Err("other bits".to_string())).is_err());
        assert!(report.check_all(2, || panic!("half way")).unwrap_err().contains("half way"));
        assert_eq!((report.checks, report.failures()), (3, 0));
        report.fail("only among other calls".to_string());
        assert!(report.finish().unwrap_err().contains("1 of 3 checks fail"));
    }
}

use crate::root::root;
use alloc::collections::BTreeMap;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::fmt::Debug;
use num_complex::Complex;
use num_traits::{Float, FromPrimitive, Signed};
#[cfg(not(target_has_atomic = "ptr"))]
use portable_atomic_util::Arc;
use spin::Mutex;

#[cfg(not(feature = "std"))]
type Engine<E> = crate::mixed_radix::MixedRadix<E>;
#[cfg(feature = "std")]
type Engine<E> = Arc<dyn rustfft::Fft<E>>;

/// Elements that plans are kept for; a program that asks for more lengths makes them again.
const KEPT: usize = 1 << 22;

/// Kind of the transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Job {
    /// Complex forward transform: `X[k] = sum of x[j] e^(-2 pi i j k / n)`.
    Forward,
    /// Complex backward transform, with the other sign in the exponent; not normalized.
    Backward,
    /// Real input to half of its spectrum.
    Real,
    /// Half of a spectrum to real output.
    Half,
}

/// Precomputed data of a transform length: roots of unity, and the factorization of the length.
pub struct Plan<E> {
    engine: Engine<E>,
    /// For real transforms of even `n`: the first `n / 2` roots of unity; otherwise empty.
    pub roots: Vec<Complex<E>>,
}

impl<E> Debug for Plan<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Plan({} roots)", self.roots.len())
    }
}

impl<E: Real> Plan<E> {
    fn new(n: usize, job: Job) -> Self {
        let backward = matches!(job, Job::Backward | Job::Half);
        let is_halved = matches!(job, Job::Real | Job::Half) && n.is_multiple_of(2);
        let turn = |k| if backward { root::<E>(k, n) } else { root::<E>(k, n).conj() };
        let roots = if is_halved { (0..n / 2).map(turn).collect() } else { Vec::new() };
        Plan { engine: engine(if is_halved { n / 2 } else { n }, backward), roots }
    }

    /// Returns the number of scratch elements that [`Plan::run`] needs.
    pub fn scratch_len(&self) -> usize {
        #[cfg(feature = "std")]
        return self.engine.get_inplace_scratch_len();
        #[cfg(not(feature = "std"))]
        self.engine.scratch_len()
    }

    /// Transforms each row of `data` in place; `scratch` has [`Plan::scratch_len`] elements of any value.
    pub fn run(&self, data: &mut [Complex<E>], scratch: &mut [Complex<E>]) {
        #[cfg(feature = "std")]
        self.engine.process_with_scratch(data, scratch);
        #[cfg(not(feature = "std"))]
        self.engine.process(data, scratch);
    }
}

#[cfg(feature = "std")]
fn engine<E: Real>(n: usize, backward: bool) -> Engine<E> {
    let mut planner = rustfft::FftPlanner::new();
    if backward { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) }
}

#[cfg(not(feature = "std"))]
fn engine<E: Real>(n: usize, backward: bool) -> Engine<E> {
    Engine::new(n, backward)
}

type Plans<E> = Mutex<BTreeMap<(usize, Job), Arc<Plan<E>>>>;

/// A type that transforms are computed in.
pub trait Real: Pod + Float + Signed + FromPrimitive + Debug + Send + Sync + 'static {
    /// The plan for `n` numbers, which is not 0; kept for the next call, if it is not too large.
    fn plan(n: usize, job: Job) -> Arc<Plan<Self>>;
}

fn kept<E: Real>(all: &Plans<E>, n: usize, job: Job) -> Arc<Plan<E>> {
    if let Some(plan) = all.lock().get(&(n, job)) {
        return plan.clone();
    }
    let plan = Arc::new(Plan::new(n, job));
    let mut all = all.lock();
    if all.keys().map(|(n, _)| n).sum::<usize>() + n > KEPT {
        all.clear();
    }
    all.insert((n, job), plan.clone());
    plan
}

macro_rules! real {
    ($($ty:ty)*) => {$(
        impl Real for $ty {
            fn plan(n: usize, job: Job) -> Arc<Plan<Self>> {
                static PLANS: Plans<$ty> = Mutex::new(BTreeMap::new());
                kept(&PLANS, n, job)
            }
        }
    )*};
}
real!(f64 f32);

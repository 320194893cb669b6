use crate::param_state::StateTensor;
use alloc::collections::VecDeque;

/// State of L-BFGS between steps.
#[derive(Clone, Debug, Default)]
pub struct LbfgsState {
    /// Number of iterations of all steps.
    pub iterations: usize,
    /// Number of evaluations of the loss in all steps.
    pub evaluations: usize,
    pub last: Option<LastIteration>,
    /// Curvature pairs, from the oldest to the latest.
    pub history: VecDeque<CurvaturePair>,
}

/// The last iteration: its direction and step length, and the gradient before it.
#[derive(Clone, Debug)]
pub struct LastIteration {
    pub direction: StateTensor,
    pub gradient: StateTensor,
    pub step: f64,
    /// Scale of the initial inverse Hessian.
    pub scale: f64,
}

/// A change of the parameters, `s`, and that of the gradient, `y`.
#[derive(Clone, Debug)]
pub struct CurvaturePair {
    pub s: StateTensor,
    pub y: StateTensor,
    /// `1 / (y . s)`.
    pub inverse: f64,
}

use burn_core::config::Config;

/// Line search of [`Lbfgs`](super::Lbfgs), which finds the step length of an iteration.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum LineSearch {
    /// The strong Wolfe conditions hold: the loss decreases enough and its slope too.
    StrongWolfe,
}

/// Options of [`Lbfgs`](super::Lbfgs).
#[derive(Config, Debug)]
pub struct LbfgsConfig {
    /// Largest number of iterations of a step; at least 1.
    #[config(default = 20)]
    pub max_iter: usize,
    /// Largest number of evaluations of the loss in a step; five quarters of `max_iter` if `None`.
    #[config(default = "None")]
    pub max_eval: Option<usize>,
    /// Largest absolute gradient at which a step ends.
    #[config(default = 1e-7)]
    pub tolerance_grad: f64,
    /// Change of the loss or of every parameter at which a step ends.
    #[config(default = 1e-9)]
    pub tolerance_change: f64,
    /// Number of past iterations that the Hessian is approximated with; at least 1. Each takes twice the
    /// memory of the parameters.
    #[config(default = 100)]
    pub history_size: usize,
    /// Line search; the learning rate is the step length if `None`.
    #[config(default = "None")]
    pub line_search: Option<LineSearch>,
}

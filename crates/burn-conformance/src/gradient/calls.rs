use super::GradientCall;
use crate::Family;
use crate::operations::checks;

/// Returns one or more differentiable calls of every variant of `family`; none for what is no operation.
pub fn calls(family: Family) -> Vec<GradientCall> {
    checks(family).map_or_else(Vec::new, |checks| checks.gradients())
}

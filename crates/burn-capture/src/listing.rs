//! A program as people read it.

use crate::{Program, Step, Value};
use burn_backend::{Creation, TensorSpec};
use std::fmt;

/// Constants with up to so many elements are shown.
const SHOWN: usize = 8;

/// `f32[2, 3]`.
struct Typed<'a>(Option<&'a TensorSpec>);

impl fmt::Display for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |spec| write!(f, "{}{:?}", spec.dtype, spec.shape))
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, input) in self.inputs().iter().enumerate() {
            writeln!(f, "input {}: {}  {}", Value(at as u32), Typed(Some(&input.spec)), input.name)?;
        }
        for (number, step) in self.steps().iter().enumerate() {
            for (place, value) in self.results(number).enumerate() {
                let comma = if place == 0 { "" } else { ", " };
                write!(f, "{comma}{value}: {}", Typed(self.spec(value)))?;
            }
            f.write_str(" = ")?;
            written(step, f)?;
            self.results(number)
                .filter_map(|value| self.name(value))
                .try_for_each(|name| write!(f, "  {name}"))?;
            writeln!(f)?;
        }
        self.outputs().iter().try_for_each(|output| writeln!(f, "output {}  {}", output.value, output.name))
    }
}

fn written(step: &Step, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match step {
        Step::Create(Creation::Data(data)) if data.num_elements() <= SHOWN => write!(f, "{data}"),
        Step::Create(Creation::Data(_)) => f.write_str("constant"),
        Step::Create(Creation::Full { value, .. }) => write!(f, "full({})", value.to_f64()),
        Step::Create(Creation::Range { start, step, .. }) => {
            write!(f, "range({}, step {})", start.to_f64(), step.to_f64())
        }
        Step::Create(Creation::Random { distribution, .. }) => write!(f, "random({distribution:?})"),
        Step::Call(op) => write!(f, "{op:?}"),
        Step::ArgWhere { mask, .. } => write!(f, "ArgWhere {{ mask: {mask} }}"),
    }
}

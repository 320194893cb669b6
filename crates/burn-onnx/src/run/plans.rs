//! Recordings of a model: one with open sizes, and others for shapes of inputs.

use crate::error::OnnxError;
use crate::graph::Model;
use crate::program::{Plan, Program};
use burn_backend::dynamic::DynamicTensor;
use burn_ir::{HasSpec, Shape};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Most recordings for shapes of inputs.
const MOST: usize = 4;

/// Recordings of a model.
#[derive(Debug)]
pub(super) struct Plans {
    folds_batch_norm: bool,
    open: OnceLock<Open>,
    shaped: Mutex<Vec<Shaped>>,
}

/// The recording with the sizes that the model leaves open.
#[derive(Debug)]
struct Open {
    /// None if there cannot be one.
    plan: Option<Arc<Plan>>,
    /// Whether a recording for shapes of inputs may have fewer branches.
    has_shaped: bool,
}

impl Open {
    fn new(plan: Option<Plan>, model: &Model) -> Self {
        let has_shaped = plan.as_ref().is_none_or(Plan::has_blocks) && model.has_open_sizes();
        Open { plan: plan.map(Arc::new), has_shaped }
    }
}

/// Shapes of inputs.
#[derive(Debug)]
struct Shaped {
    shapes: Vec<Shape>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Inputs of these shapes have come once.
    Met,
    /// A recording for the shapes; none if there cannot be one.
    Recorded(Option<Arc<Plan>>),
}

impl Plans {
    /// Recordings whose groups of calls are replaced by faster ones.
    pub(super) fn optimized() -> Self {
        Plans { folds_batch_norm: true, ..Self::unfolded() }
    }

    /// Recordings of the calls that generated source makes, with batch normalization as it is.
    pub(super) fn unfolded() -> Self {
        Plans { folds_batch_norm: false, open: OnceLock::new(), shaped: Mutex::default() }
    }

    /// Returns the recording with open sizes.
    ///
    /// # Errors
    /// When the model cannot be recorded.
    pub(super) fn open(&self, model: &Model) -> Result<Arc<Plan>, OnnxError> {
        if let Some(Open { plan: Some(plan), .. }) = self.open.get() {
            return Ok(plan.clone());
        }
        let plan = Arc::new(Plan::new(self.program(model)?));
        self.open.get_or_init(|| Open { plan: Some(plan.clone()), has_shaped: false });
        Ok(plan)
    }

    /// Returns the recording for inputs, if there is one: where the one with open sizes has branches or
    /// loops, or is missing, one for these shapes once they have come before.
    pub(super) fn find(&self, model: &Model, inputs: &[DynamicTensor]) -> Option<Arc<Plan>> {
        let record = || Open::new(self.program(model).ok().map(Plan::new), model);
        let Open { plan: open, has_shaped } = self.open.get_or_init(record);
        if !has_shaped {
            return open.clone();
        }
        let mut all = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of = |shaped: &Shaped| {
            shaped.shapes.len() == inputs.len()
                && shaped.shapes.iter().zip(inputs).all(|(shape, input)| *shape == input.spec().shape)
        };
        let Some(place) = all.iter().position(is_of) else {
            if all.len() == MOST {
                all.remove(0);
            }
            let shapes = inputs.iter().map(|input| input.spec().shape.clone()).collect();
            all.push(Shaped { shapes, state: State::Met });
            return open.clone();
        };
        let shaped = &mut all[place];
        if let State::Met = shaped.state {
            shaped.state = State::Recorded(self.shaped_plan(model, &shaped.shapes));
        }
        match &shaped.state {
            State::Recorded(Some(plan)) => Some(plan.clone()),
            State::Recorded(None) | State::Met => open.clone(),
        }
    }

    fn shaped_plan(&self, model: &Model, shapes: &[Shape]) -> Option<Arc<Plan>> {
        let names: Vec<String> = model.inputs().map(|input| input.name.clone()).collect();
        let mut model = model.clone();
        for (name, shape) in names.iter().zip(shapes) {
            // A scalar has one element here, and no dimension in the model.
            model
                .fix_input_shape(name, shape)
                .or_else(|error| match **shape {
                    [1] => model.fix_input_shape(name, &[]),
                    _ => Err(error),
                })
                .ok()?;
        }
        Some(Arc::new(Plan::for_known_shapes(self.program(&model).ok()?)))
    }

    fn program(&self, model: &Model) -> Result<Program, OnnxError> {
        let mut program = Program::record(model)?;
        if self.folds_batch_norm {
            program.optimize();
        } else {
            program.find_groups();
        }
        Ok(program)
    }

    /// Number of tapes.
    #[cfg(test)]
    pub(super) fn tapes(&self) -> usize {
        let shaped = self.shaped.lock().unwrap_or_else(PoisonError::into_inner);
        let shaped = shaped.iter().filter_map(|shaped| match &shaped.state {
            State::Recorded(plan) => plan.clone(),
            State::Met => None,
        });
        shaped.chain(self.open.get().and_then(|open| open.plan.clone())).map(|plan| plan.tapes()).sum()
    }
}

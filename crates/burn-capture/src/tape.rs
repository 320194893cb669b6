//! Tape of each recording of a thread. Tensors are identified by numbers that are unique in the process.

use crate::document::Document;
use crate::{CaptureError, Input, Output, Program, Step, Value};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, Creation, HasSpec, Operation};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Identifier of a tensor, unique in the process.
pub type Id = u64;

/// Returns a new identifier.
pub fn fresh() -> Id {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

thread_local! {
    static TAPES: RefCell<Vec<(Id, Tape)>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
pub struct Tape {
    inputs: Vec<(Id, Input)>,
    entries: Vec<Entry>,
    names: BTreeMap<Id, String>,
    known: HashSet<Id>,
}

enum Entry {
    /// A tensor that is older than the recording.
    Constant(Id, DynamicTensor),
    Step(Step<Id>, Vec<Id>),
}

/// Returns whether this thread is recording.
pub fn is_recording() -> bool {
    TAPES.with_borrow(|tapes| !tapes.is_empty())
}

pub fn start() -> Id {
    let tape = fresh();
    TAPES.with_borrow_mut(|tapes| tapes.push((tape, Tape::default())));
    tape
}

/// Takes the tape away; nothing, where that was done.
pub fn stop(tape: Id) -> Option<Tape> {
    TAPES.with_borrow_mut(|tapes| {
        let at = tapes.iter().position(|(own, _)| *own == tape)?;
        Some(tapes.remove(at).1)
    })
}

/// Notes a tensor that a call is about to use.
pub fn meet(id: Id, tensor: impl Fn() -> DynamicTensor) {
    TAPES.with_borrow_mut(|tapes| tapes.iter_mut().for_each(|(_, tape)| tape.meet(id, &tensor)));
}

/// Records a call with its results.
pub fn write(step: Step<Id>, outputs: Vec<Id>) {
    TAPES.with_borrow_mut(|tapes| {
        for (_, tape) in tapes {
            tape.known.extend(&outputs);
            tape.entries.push(Entry::Step(step.clone(), outputs.clone()));
        }
    });
}

/// Calls `f` with the tape of one recording.
pub fn with<R>(tape: Id, f: impl FnOnce(&mut Tape) -> R) -> Option<R> {
    TAPES.with_borrow_mut(|tapes| tapes.iter_mut().find(|(own, _)| *own == tape).map(|(_, tape)| f(tape)))
}

impl Tape {
    pub fn meet(&mut self, id: Id, tensor: impl FnOnce() -> DynamicTensor) {
        if self.known.insert(id) {
            self.entries.push(Entry::Constant(id, tensor()));
        }
    }

    pub fn input(&mut self, id: Id, input: Input) {
        self.known.insert(id);
        self.inputs.push((id, input));
    }

    pub fn name(&mut self, id: Id, name: String) {
        self.names.insert(id, name);
    }

    /// Builds the program, with the steps that its outputs need.
    pub async fn finish(self, outputs: Vec<(String, Id)>) -> Result<Program, CaptureError> {
        let Tape { inputs, entries, names, known: _ } = self;
        let mut numbers: HashMap<Id, Value> = HashMap::new();
        let mut made = 0_u32;
        let mut number = |numbers: &mut HashMap<Id, Value>, id: Id| {
            // An input stays an input, even where a step of the recording computes it as well.
            numbers.entry(id).or_insert(Value(made));
            made += 1;
        };
        let mut document = Document::default();
        for (id, input) in inputs {
            number(&mut numbers, id);
            document.inputs.push(input);
        }
        for entry in entries {
            match entry {
                Entry::Constant(id, tensor) => {
                    let data = Dynamic::into_data(tensor).await.map_err(CaptureError::Constant)?;
                    document.steps.push(Step::Create(Creation::Data(data)));
                    number(&mut numbers, id);
                }
                Entry::Step(step, outputs) => {
                    document.steps.push(step.map(|id| numbers[&id]));
                    outputs.into_iter().for_each(|id| number(&mut numbers, id));
                }
            }
        }
        let named = names.into_iter().filter_map(|(id, name)| Some((*numbers.get(&id)?, name)));
        document.names = named.collect();
        document.outputs =
            outputs.into_iter().map(|(name, id)| Output { name, value: numbers[&id] }).collect();
        Ok(Program::new(document).map_err(CaptureError::Program)?.pruned())
    }
}

/// Replaces the tensors of a call by their numbers.
pub fn numbered<T: HasSpec>(
    op: &Operation<T>,
    id: impl Fn(&T) -> Id,
    tensor: impl Fn(&T) -> DynamicTensor,
) -> Step<Id> {
    Step::Call(op.map_ref(|x| {
        meet(id(x), || tensor(x));
        id(x)
    }))
}

//! Arithmetic of the gates of a step, from the products with the recurrent weight.

use super::unit_offset::{List, UnitOffset};
use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{Body, Kernel};
use crate::launch::strides;
use crate::launch::words::launch_words;
use crate::ops::block::{self, KernelValue};
use burn_backend::{DType, RecurrentKind, UnaryOp};

/// Part of a step that a kernel computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatePart {
    Whole,
    /// Reset gate times hidden state, which the second product reads: of [`RecurrentKind::GruResetBefore`].
    Reset,
    /// The rest of it.
    New,
}

/// A step of all units of all sequences.
///
/// Inputs: projections of the inputs; products, of [`GatePart::New`] those of both factors; the bias and the
/// lengths, if there are any. Outputs: states, those between two steps among them; of [`GatePart::Reset`] its
/// result; activations, if they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gates {
    pub kind: RecurrentKind,
    pub part: GatePart,
    pub has_bias: bool,
    pub has_lengths: bool,
    pub keeps: bool,
    pub abilities: Abilities,
}

launch_words! {
    /// Sizes of a step, and where it begins in the arrays of all steps.
    pub struct GateWords {
        /// Units of all sequences, and of one.
        pub count: u32,
        pub size: u32,
        pub time: u32,
        /// First projection of the step, and stride from one sequence to the next.
        pub projection: u32,
        pub by_row: u32,
        pub output: u32,
        pub hidden: u32,
        pub cell: u32,
        pub activations: u32,
    }
}

/// Arrays of a launch.
struct Lists {
    gates: List,
    products: List,
    inner: Option<List>,
    bias: Option<List>,
    lengths: Option<List>,
    states: List,
    gated: Option<List>,
    activations: Option<List>,
}

impl Gates {
    fn lists(&self, body: &Body) -> Lists {
        let has_bias = self.has_bias && self.part != GatePart::Reset;
        let present = [
            true,
            true,
            self.part == GatePart::New,
            has_bias,
            self.has_lengths,
            true,
            self.part == GatePart::Reset,
            self.keeps,
        ];
        let mut all = List::all(body, present.iter().filter(|&&is_there| is_there).count());
        let [gates, products, inner, bias, lengths, states, gated, activations] =
            present.map(|is_there| if is_there { all.next() } else { None });
        let there = "every kernel has it";
        Lists {
            gates: gates.expect(there),
            products: products.expect(there),
            inner,
            bias,
            lengths,
            states: states.expect(there),
            gated,
            activations,
        }
    }
}

impl Kernel for Gates {
    const NAME: &'static str = "recurrent_gates";
    // Offsets are those of tensors that are as large as the sizes say.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (lists, words) = (self.lists(body), body.read::<GateWords>());
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), words.count.clone());
        let mut steps = block::Steps { scope: &mut body.scope, abilities: self.abilities };
        steps.when(inside, |steps| {
            let offset = UnitOffset::new(steps.scope, at, words.size.clone());
            let is_active = lists.lengths.as_ref().map(|lengths| {
                let length = lengths.load(steps, offset.row());
                let time = KernelValue::new(words.time.clone(), DType::U32);
                steps.is_less(&time, &length)
            });
            GateStep { kernel: *self, steps, lists: &lists, words: &words, offset: &offset, is_active }
                .write();
        });
    }
}

/// A step of one unit of one sequence.
struct GateStep<'a, 'b> {
    kernel: Gates,
    steps: &'a mut block::Steps<'b>,
    lists: &'a Lists,
    words: &'a GateWordsExpand,
    offset: &'a UnitOffset,
    /// Whether the sequence has this step; none if all sequences are equally long.
    is_active: Option<KernelValue>,
}

impl GateStep<'_, '_> {
    fn write(mut self) {
        let Gates { kind, part, .. } = self.kernel;
        match kind {
            RecurrentKind::Tanh | RecurrentKind::Relu => {
                let op = if kind == RecurrentKind::Tanh { UnaryOp::Tanh } else { UnaryOp::Relu };
                let sum = self.sum(0);
                let next = self.steps.unary(op, &sum);
                self.finish_hidden(next);
            }
            RecurrentKind::Gru => self.gated_unit(),
            RecurrentKind::GruResetBefore if part == GatePart::Reset => self.reset(),
            RecurrentKind::GruResetBefore => self.new_gate(),
            RecurrentKind::Lstm => self.memory(),
        }
    }

    fn gated_unit(&mut self) {
        let [reset, update] = [0, 1].map(|gate| self.logistic(gate));
        let mut own = self.product(2);
        if let Some(bias) = &self.lists.bias {
            let bias = bias.load(self.steps, self.offset.unit());
            own = self.steps.add(&own, &bias);
        }
        let x = self.projection(2);
        let inner = self.steps.mul(&reset, &own);
        let sum = self.steps.add(&x, &inner);
        let new = self.steps.tanh(&sum);
        let hidden = self.hidden();
        let next = self.steps.mixed(&new, &update, &hidden);
        [reset, update, new, own].into_iter().enumerate().for_each(|(at, value)| self.keep(at, value));
        self.finish_hidden(next);
    }

    fn reset(&mut self) {
        let (reset, hidden) = (self.logistic(0), self.hidden());
        let gated = self.steps.mul(&reset, &hidden);
        let list = self.lists.gated.clone().expect("the kernel writes it");
        list.store(self.steps, self.offset.first_state(), &gated);
        self.keep(0, reset);
    }

    fn new_gate(&mut self) {
        let (update, x) = (self.logistic(1), self.projection(2));
        let list = self.lists.inner.clone().expect("the kernel reads it");
        let inner = list.load(self.steps, self.offset.first_state());
        let sum = self.steps.add(&x, &inner);
        let new = self.steps.tanh(&sum);
        let hidden = self.hidden();
        let next = self.steps.mixed(&new, &update, &hidden);
        self.keep(1, update);
        self.keep(2, new);
        self.finish_hidden(next);
    }

    fn memory(&mut self) {
        let [input, forget, output] = [0, 1, 3].map(|gate| self.logistic(gate));
        let sum = self.sum(2);
        let new = self.steps.tanh(&sum);
        let offset = self.offset.of_state(self.steps, self.words.cell.clone());
        let before = self.lists.states.load(self.steps, offset.clone());
        let kept = self.steps.mul(&forget, &before);
        let written = self.steps.mul(&input, &new);
        let cell = self.steps.add(&kept, &written);
        let shown = self.steps.tanh(&cell);
        let next = self.steps.mul(&output, &shown);
        let after = self.steps.or_else(self.is_active.as_ref(), cell.clone(), &before);
        self.lists.states.store(self.steps, offset, &after);
        [input, forget, new, output, cell]
            .into_iter()
            .enumerate()
            .for_each(|(at, value)| self.keep(at, value));
        self.finish_hidden(next);
    }

    fn projection(&mut self, gate: usize) -> KernelValue {
        let (start, by_row) = (self.words.projection.clone(), self.words.by_row.clone());
        let at = self.offset.of_gate(self.steps, start, by_row, gate);
        self.lists.gates.load(self.steps, at)
    }

    fn product(&mut self, gate: usize) -> KernelValue {
        let Gates { kind, part, .. } = self.kernel;
        let count = if part == GatePart::Whole { kind.gates() } else { 2 };
        let at = self.offset.of_part(self.steps, 0_u32.into(), gate, count);
        self.lists.products.load(self.steps, at)
    }

    /// A projection and its product.
    fn sum(&mut self, gate: usize) -> KernelValue {
        let (x, product) = (self.projection(gate), self.product(gate));
        self.steps.add(&x, &product)
    }

    fn logistic(&mut self, gate: usize) -> KernelValue {
        let sum = self.sum(gate);
        self.steps.sigmoid(&sum)
    }

    /// The hidden state before the step.
    fn hidden(&mut self) -> KernelValue {
        let at = self.offset.of_state(self.steps, self.words.hidden.clone());
        self.lists.states.load(self.steps, at)
    }

    /// Activation `at`, if they are kept: 0 where a sequence has ended.
    fn keep(&mut self, at: usize, value: KernelValue) {
        if let Some(activations) = &self.lists.activations {
            let count = self.kernel.kind.activations();
            let offset = self.offset.of_part(self.steps, self.words.activations.clone(), at, count);
            let value = self.steps.or_zero(self.is_active.as_ref(), value);
            activations.store(self.steps, offset, &value);
        }
    }

    /// The hidden state after the step; a sequence that has ended keeps its own, and its output is 0.
    fn finish_hidden(&mut self, next: KernelValue) {
        let output = self.offset.of_state(self.steps, self.words.output.clone());
        let between = self.offset.of_state(self.steps, self.words.hidden.clone());
        let shown = self.steps.or_zero(self.is_active.as_ref(), next.clone());
        let next = if self.is_active.is_some() {
            let before = self.hidden();
            self.steps.or_else(self.is_active.as_ref(), next, &before)
        } else {
            next
        };
        self.lists.states.store(self.steps, output, &shown);
        self.lists.states.store(self.steps, between, &next);
    }
}

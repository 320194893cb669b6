//! Gradients of the gates of a step, and of the states before it but for what goes through the product.

use super::unit_offset::{List, UnitOffset};
use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{Body, Kernel};
use crate::launch::strides;
use crate::launch::words::launch_words;
use crate::ops::block::{self, KernelValue};
use burn_backend::{CompareOp, DType, RecurrentKind};

/// Which part of a step backward a kernel computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateGradPart {
    /// Gradients of the gates; of [`RecurrentKind::GruResetBefore`] of all but the reset gate.
    Gates,
    /// That of the reset gate, from the gradient of the hidden state times it.
    Reset,
    /// Adds the part of the gradient that went through the product of the first step.
    End,
}

/// A step backward of all units of all sequences.
///
/// Inputs, as far as the kernel reads them: the product of the step after, or of [`GateGradPart::Reset`] that
/// of the gradient of the new gate; lengths; gradient of the states; states; activations; initial state.
/// Outputs: gradients of the states between two steps; of the gates; of the products, where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GatesGrad {
    pub kind: RecurrentKind,
    pub part: GateGradPart,
    pub has_product: bool,
    pub has_lengths: bool,
    /// Whether the first step of a sequence is not that of all.
    pub starts_late: bool,
    pub abilities: Abilities,
}

impl GatesGrad {
    pub fn has_product(&self) -> bool {
        self.has_product
    }

    pub fn has_grad(&self) -> bool {
        self.part == GateGradPart::Gates
    }

    /// Whether the kernel reads the states after the step, or after the one before it.
    pub fn has_states(&self) -> bool {
        self.part != GateGradPart::End && self.kind != RecurrentKind::Lstm
    }

    pub fn has_activations(&self) -> bool {
        self.part != GateGradPart::End && self.kind.activations() > 0
    }

    pub fn has_initial(&self) -> bool {
        self.has_activations()
    }

    pub fn has_gates(&self) -> bool {
        self.part != GateGradPart::End
    }

    pub fn has_products_grad(&self) -> bool {
        self.part == GateGradPart::Gates && self.kind == RecurrentKind::Gru
    }
}

launch_words! {
    /// Sizes of a step, and where it begins in the arrays of all steps.
    pub struct GateGradWords {
        /// Units of all sequences, and of one.
        pub count: u32,
        pub size: u32,
        pub time: u32,
        /// Time of the step after.
        pub after: u32,
        pub state: u32,
        pub state_before: u32,
        pub activations: u32,
        pub activations_before: u32,
        pub gates: u32,
        /// Whether this is the first step of all sequences.
        pub is_first: u32,
    }
}

/// Arrays of a launch.
struct Lists {
    product: Option<List>,
    lengths: Option<List>,
    grad: Option<List>,
    states: Option<List>,
    activations: Option<List>,
    initial: Option<List>,
    state_grad: Option<List>,
    gates_grad: Option<List>,
    products_grad: Option<List>,
}

impl Lists {
    fn new(kernel: &GatesGrad, body: &Body) -> Self {
        let present = [
            kernel.has_product(),
            kernel.has_lengths,
            kernel.has_grad(),
            kernel.has_states(),
            kernel.has_activations(),
            kernel.has_initial(),
            true,
            kernel.has_gates(),
            kernel.has_products_grad(),
        ];
        let mut all = List::all(body, present.iter().filter(|&&is_there| is_there).count());
        let [product, lengths, grad, states, activations, initial, state_grad, gates_grad, products_grad] =
            present.map(|is_there| if is_there { all.next() } else { None });
        Lists { product, lengths, grad, states, activations, initial, state_grad, gates_grad, products_grad }
    }
}

/// The array, which the kernel has.
fn of(list: &Option<List>) -> List {
    list.clone().expect("the kernel has the array")
}

impl Kernel for GatesGrad {
    const NAME: &'static str = "recurrent_gates_grad";
    // Offsets are those of tensors that are as large as the sizes say.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (lists, words) = (Lists::new(self, body), body.read::<GateGradWords>());
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), words.count.clone());
        let mut steps = block::Steps { scope: &mut body.scope, abilities: self.abilities };
        steps.when(inside, |steps| {
            let offset = UnitOffset::new(steps.scope, at, words.size.clone());
            let length = lists.lengths.as_ref().map(|lengths| lengths.load(steps, offset.row()));
            let is_active = length.as_ref().map(|length| {
                let time = KernelValue::new(words.time.clone(), DType::U32);
                steps.is_less(&time, length)
            });
            GateGradStep {
                kernel: *self,
                steps,
                lists: &lists,
                words: &words,
                offset: &offset,
                length,
                is_active,
            }
            .write();
        });
    }
}

/// A step of one unit of one sequence.
struct GateGradStep<'a, 'b> {
    kernel: GatesGrad,
    steps: &'a mut block::Steps<'b>,
    lists: &'a Lists,
    words: &'a GateGradWordsExpand,
    offset: &'a UnitOffset,
    length: Option<KernelValue>,
    /// Whether the sequence has this step; none if all sequences are equally long.
    is_active: Option<KernelValue>,
}

impl GateGradStep<'_, '_> {
    fn write(mut self) {
        let list = of(&self.lists.state_grad);
        let offset = self.offset.first_state();
        let waiting = list.load(self.steps, offset.clone());
        if self.kernel.part == GateGradPart::Reset {
            let through = self.reset();
            let total = self.steps.add(&waiting, &through);
            list.store(self.steps, offset, &total);
            return;
        }
        let after = self.with_product(waiting);
        if self.kernel.part == GateGradPart::End {
            list.store(self.steps, offset, &after);
            return;
        }
        let grad = of(&self.lists.grad);
        let at = self.offset.of_state(self.steps, self.words.state.clone());
        let grad = grad.load(self.steps, at);
        let total = self.steps.add(&after, &grad);
        let direct = match self.kernel.kind {
            RecurrentKind::Tanh => self.hyperbolic(&total),
            RecurrentKind::Relu => self.rectified(&total),
            RecurrentKind::Gru | RecurrentKind::GruResetBefore => self.gated_unit(&total),
            RecurrentKind::Lstm => self.memory(&total),
        };
        let direct = self.steps.or_else(self.is_active.as_ref(), direct, &after);
        list.store(self.steps, offset, &direct);
    }

    /// The gradient of the hidden state after the step, with what went through the product of the step after,
    /// which a sequence that has ended by then has not.
    fn with_product(&mut self, waiting: KernelValue) -> KernelValue {
        let Some(product) = &self.lists.product else { return waiting };
        let product = product.load(self.steps, self.offset.first_state());
        let is_after = self.length.as_ref().map(|length| {
            let after = KernelValue::new(self.words.after.clone(), DType::U32);
            self.steps.is_less(&after, length)
        });
        let product = self.steps.or_zero(is_after.as_ref(), product);
        self.steps.add(&waiting, &product)
    }

    fn hyperbolic(&mut self, total: &KernelValue) -> KernelValue {
        let state = self.state();
        let slope = self.steps.tanh_slope(&state);
        let grad = self.steps.mul(total, &slope);
        self.put_gate(0, &grad);
        self.steps.float(0.0, total.dtype)
    }

    fn rectified(&mut self, total: &KernelValue) -> KernelValue {
        let (state, zero) = (self.state(), self.steps.float(0.0, total.dtype));
        let is_positive = self.steps.compare(CompareOp::Greater, &state, &zero);
        let grad = self.steps.choose(&is_positive, total, &zero);
        self.put_gate(0, &grad);
        zero
    }

    fn gated_unit(&mut self, total: &KernelValue) -> KernelValue {
        let (update, new, before) = (self.activation(1), self.activation(2), self.before());
        let (rest, slope) = (self.steps.one_minus(&update), self.steps.tanh_slope(&new));
        let new_grad = self.steps.product(&[total, &rest, &slope]);
        let (way, slope) = (self.steps.sub(&before, &new), self.steps.sigmoid_slope(&update));
        let update_grad = self.steps.product(&[total, &way, &slope]);
        self.put_gate(1, &update_grad);
        self.put_gate(2, &new_grad);
        if self.kernel.kind == RecurrentKind::Gru {
            let (reset, own) = (self.activation(0), self.activation(3));
            let slope = self.steps.sigmoid_slope(&reset);
            let reset_grad = self.steps.product(&[&new_grad, &own, &slope]);
            let own_grad = self.steps.mul(&new_grad, &reset);
            self.put_gate(0, &reset_grad);
            [reset_grad, update_grad, own_grad]
                .iter()
                .enumerate()
                .for_each(|(at, x)| self.put_product(at, x));
        }
        self.steps.mul(total, &update)
    }

    /// The gradient of the hidden state before the step that went through the reset gate.
    fn reset(&mut self) -> KernelValue {
        let inner = of(&self.lists.product).load(self.steps, self.offset.first_state());
        let (reset, before) = (self.activation(0), self.before());
        let slope = self.steps.sigmoid_slope(&reset);
        let grad = self.steps.product(&[&inner, &before, &slope]);
        self.put_gate(0, &grad);
        let through = self.steps.mul(&inner, &reset);
        self.steps.or_zero(self.is_active.as_ref(), through)
    }

    fn memory(&mut self, total: &KernelValue) -> KernelValue {
        let [input, forget, new, output, cell] = [0, 1, 2, 3, 4].map(|at| self.activation(at));
        let list = of(&self.lists.state_grad);
        let at = self.offset.of_state(self.steps, self.words.count.clone());
        let cell_grad = list.load(self.steps, at.clone());
        let shown = self.steps.tanh(&cell);
        let slope = self.steps.tanh_slope(&shown);
        let shown_grad = self.steps.product(&[total, &output, &slope]);
        let through = self.steps.add(&cell_grad, &shown_grad);
        let before = self.before();
        let slopes = [&input, &forget, &output].map(|gate| self.steps.sigmoid_slope(gate));
        let [input_slope, forget_slope, output_slope] = slopes;
        let new_slope = self.steps.tanh_slope(&new);
        let gates = [
            [&through, &new, &input_slope],
            [&through, &before, &forget_slope],
            [&through, &input, &new_slope],
            [total, &shown, &output_slope],
        ];
        for (gate, factors) in gates.into_iter().enumerate() {
            let grad = self.steps.product(&factors);
            self.put_gate(gate, &grad);
        }
        let earlier = self.steps.mul(&through, &forget);
        let earlier = self.steps.or_else(self.is_active.as_ref(), earlier, &cell_grad);
        list.store(self.steps, at, &earlier);
        self.steps.float(0.0, total.dtype)
    }

    /// The hidden state after the step.
    fn state(&mut self) -> KernelValue {
        let at = self.offset.of_state(self.steps, self.words.state.clone());
        of(&self.lists.states).load(self.steps, at)
    }

    fn activation(&mut self, at: usize) -> KernelValue {
        let count = self.kernel.kind.activations();
        let offset = self.offset.of_part(self.steps, self.words.activations.clone(), at, count);
        of(&self.lists.activations).load(self.steps, offset)
    }

    /// The state before the step that gates multiply.
    fn before(&mut self) -> KernelValue {
        let initial = of(&self.lists.initial).load(self.steps, self.offset.first_state());
        let earlier = if self.kernel.kind == RecurrentKind::Lstm {
            let (start, count) = (self.words.activations_before.clone(), self.kernel.kind.activations());
            let offset = self.offset.of_part(self.steps, start, 4, count);
            of(&self.lists.activations).load(self.steps, offset)
        } else {
            let offset = self.offset.of_state(self.steps, self.words.state_before.clone());
            of(&self.lists.states).load(self.steps, offset)
        };
        let is_first = KernelValue::new(self.words.is_first.clone(), DType::U32);
        let is_first = self.steps.cast(&is_first, DType::Bool);
        let earlier = self.steps.choose(&is_first, &initial, &earlier);
        match &self.length {
            // Time counts down, and the step before is after the end of the sequence.
            Some(length) if self.kernel.starts_late => {
                let time = KernelValue::new(
                    strides::next::expand(self.steps.scope, self.words.time.clone()),
                    DType::U32,
                );
                let has_earlier = self.steps.is_less(&time, length);
                self.steps.choose(&has_earlier, &earlier, &initial)
            }
            _ => earlier,
        }
    }

    /// Gradient of a gate: 0 where a sequence has ended.
    fn put_gate(&mut self, gate: usize, grad: &KernelValue) {
        let count = self.kernel.kind.gates();
        let offset = self.offset.of_part(self.steps, self.words.gates.clone(), gate, count);
        let grad = self.steps.or_zero(self.is_active.as_ref(), grad.clone());
        of(&self.lists.gates_grad).store(self.steps, offset, &grad);
    }

    /// Gradient of a product, likewise.
    fn put_product(&mut self, gate: usize, grad: &KernelValue) {
        let count = self.kernel.kind.gates();
        let offset = self.offset.of_part(self.steps, 0_u32.into(), gate, count);
        let grad = self.steps.or_zero(self.is_active.as_ref(), grad.clone());
        of(&self.lists.products_grad).store(self.steps, offset, &grad);
    }
}

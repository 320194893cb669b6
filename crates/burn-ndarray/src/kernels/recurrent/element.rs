//! The arithmetic of the gates on some units of one sequence, compiled for each machine.

use crate::elements::number::Number;
use crate::gemm::product::Product;
use crate::kernels::math::Float;
use crate::simd::dispatch;
use burn_backend::RecurrentKind;

/// Units of a step forwards. Pointers are to the first unit; gates and activations of a unit are `size`
/// elements apart.
#[derive(Clone, Copy, Debug)]
pub struct Forward<E> {
    pub kind: RecurrentKind,
    /// Number of units, and of those of the whole network.
    pub units: usize,
    pub size: usize,
    pub gates: *const E,
    /// Products of the hidden state with the weight, gate after gate without gaps. They are written over.
    pub products: *mut E,
    pub bias: Option<*const E>,
    /// Hidden state before the step.
    pub hidden: *const E,
    /// Cell state, before and after; or the hidden state times the reset gate.
    pub cell: *mut E,
    /// Hidden state after the step.
    pub next: *mut E,
    pub activations: Option<*mut E>,
}

/// Units of a step backwards; see [`Forward`].
#[derive(Clone, Copy, Debug)]
pub struct Backward<E> {
    pub kind: RecurrentKind,
    pub units: usize,
    pub size: usize,
    /// Gradient of the output of the step; or of the hidden state times the reset gate.
    pub grad: *const E,
    /// Gradient of the hidden state after the step; becomes the part of that before it that goes through no
    /// product.
    pub hidden_grad: *mut E,
    /// Gradient of the cell state after the step, then before it.
    pub cell_grad: *mut E,
    /// Hidden state after the step.
    pub state: *const E,
    /// State before the step that gates multiply.
    pub before: *const E,
    pub activations: *const E,
    pub gates_grad: *mut E,
    /// Gradient of the products, where it differs from that of the gates.
    pub products_grad: Option<*mut E>,
}

/// An element that recurrent networks are computed with.
pub trait Element: Float + Number + Product {
    /// # Safety
    /// The elements may be read and written, by nothing else meanwhile.
    unsafe fn forward(of: Forward<Self>);
    /// The gates of [`RecurrentKind::GruResetBefore`] that the second product waits for, in the place of
    /// their products.
    ///
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn reset(of: Forward<Self>);
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn backward(of: Backward<Self>);
    /// The gradient of the reset gate of [`RecurrentKind::GruResetBefore`], and of the hidden state through
    /// it.
    ///
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn reset_backward(of: Backward<Self>);
}

#[inline(always)]
fn one<E: Float>() -> E {
    <E as Float>::ONE
}

/// Units that a loop takes together. Their operands are copied first, so that the compiler need not know that
/// results lie elsewhere.
const TOGETHER: usize = 16;

/// The arithmetic of one unit. Closures are short ones: those of many functions are not inlined, and so not
/// compiled for the wider unit.
trait Formula<E, const IN: usize, const OUT: usize> {
    fn at(&self, inputs: [E; IN]) -> [E; OUT];
}

impl<E, F: Fn([E; IN]) -> [E; OUT], const IN: usize, const OUT: usize> Formula<E, IN, OUT> for F {
    #[inline(always)]
    fn at(&self, inputs: [E; IN]) -> [E; OUT] {
        self(inputs)
    }
}

/// Writes `formula.at(inputs)` to the outputs, unit by unit.
///
/// # Safety
/// `units` elements of each may be read and written, by nothing else meanwhile; an output is an input or lies
/// elsewhere.
#[inline(always)]
unsafe fn each<E: Float, const IN: usize, const OUT: usize>(
    units: usize,
    inputs: [*const E; IN],
    outputs: [*mut E; OUT],
    formula: impl Formula<E, IN, OUT>,
) {
    let whole = units - units % TOGETHER;
    // SAFETY: by the contract.
    unsafe {
        for at in (0..whole).step_by(TOGETHER) {
            // Loops: `map` of many elements is a call.
            let mut xs = [[<E as Float>::ZERO; TOGETHER]; IN];
            for k in 0..IN {
                xs[k] = inputs[k].add(at).cast::<[E; TOGETHER]>().read_unaligned();
            }
            let mut ys = [[<E as Float>::ZERO; TOGETHER]; OUT];
            for lane in 0..TOGETHER {
                let y = formula.at(core::array::from_fn(|k| xs[k][lane]));
                for k in 0..OUT {
                    ys[k][lane] = y[k];
                }
            }
            for k in 0..OUT {
                outputs[k].add(at).cast::<[E; TOGETHER]>().write_unaligned(ys[k]);
            }
        }
        for at in whole..units {
            let y = formula.at(inputs.map(|input| input.add(at).read()));
            for k in 0..OUT {
                outputs[k].add(at).write(y[k]);
            }
        }
    }
}

/// `(1 - update) new + update hidden`.
#[inline(always)]
fn mixed<E: Float>(new: E, update: E, hidden: E) -> E {
    new + update * (hidden - new)
}

impl<E> Forward<E> {
    /// Projection of the input for a gate.
    fn projection(&self, gate: usize) -> *const E {
        self.gates.wrapping_add(gate * self.size)
    }

    fn product(&self, gate: usize) -> *mut E {
        self.products.wrapping_add(gate * self.units)
    }

    /// Position of an activation: `other` if activations are not kept.
    fn kept(&self, at: usize, other: *mut E) -> *mut E {
        self.activations.map_or(other, |activations| activations.wrapping_add(at * self.size))
    }
}

/// Reset and update gate, new gate, its product, and the hidden state.
struct GatedUnit<const FMA: bool>;

impl<E: Float, const FMA: bool> Formula<E, 7, 5> for GatedUnit<FMA> {
    #[inline(always)]
    fn at(&self, [x_reset, x_update, x_new, reset, update, own, hidden]: [E; 7]) -> [E; 5] {
        let reset = (x_reset + reset).sigmoid::<FMA>();
        let update = (x_update + update).sigmoid::<FMA>();
        let new = (x_new + reset * own).tanh::<FMA>();
        [reset, update, new, own, mixed(new, update, hidden)]
    }
}

/// Reset and update gate, the latter twice, and the hidden state times the former.
struct ResetGates<const FMA: bool>;

impl<E: Float, const FMA: bool> Formula<E, 5, 4> for ResetGates<FMA> {
    #[inline(always)]
    fn at(&self, [x_reset, x_update, reset, update, hidden]: [E; 5]) -> [E; 4] {
        let reset = (x_reset + reset).sigmoid::<FMA>();
        let update = (x_update + update).sigmoid::<FMA>();
        [reset, update, update, reset * hidden]
    }
}

/// Input, forget, new and output gate, the cell state twice, and the hidden state.
struct Memory<const FMA: bool>;

impl<E: Float, const FMA: bool> Formula<E, 9, 7> for Memory<FMA> {
    #[inline(always)]
    fn at(&self, [x_input, x_forget, x_new, x_output, input, forget, new, output, cell]: [E; 9]) -> [E; 7] {
        let input = (x_input + input).sigmoid::<FMA>();
        let forget = (x_forget + forget).sigmoid::<FMA>();
        let new = (x_new + new).tanh::<FMA>();
        let output = (x_output + output).sigmoid::<FMA>();
        let cell = forget * cell + input * new;
        [input, forget, new, output, cell, cell, output * cell.tanh::<FMA>()]
    }
}

/// All arithmetic of a unit in one pass, so that nothing between products and results is written and read
/// again.
///
/// # Safety
/// See [`Element::forward`].
#[inline(always)]
unsafe fn forward<E: Float + Number, const FMA: bool>(of: Forward<E>) {
    let n = of.units;
    let [x0, x1, x2, x3] = [0, 1, 2, 3].map(|gate| of.projection(gate));
    let places = [0, 1, 2, 3].map(|gate| of.product(gate));
    let [p0, p1, p2, p3] = places.map(<*mut E>::cast_const);
    let kept = |at: usize| of.kept(at, places[at]);
    match of.kind {
        RecurrentKind::Tanh => {
            let step = |[x, product]: [E; 2]| [(x + product).tanh::<FMA>()];
            // SAFETY: by the contract; so below.
            unsafe { each(n, [x0, p0], [of.next], step) };
        }
        RecurrentKind::Relu => {
            let step = |[x, product]: [E; 2]| [Float::max(x + product, <E as Float>::ZERO)];
            // SAFETY: as above.
            unsafe { each(n, [x0, p0], [of.next], step) };
        }
        RecurrentKind::GruResetBefore => {
            let step = |[x, product, update, hidden]: [E; 4]| {
                let new = (x + product).tanh::<FMA>();
                [new, mixed(new, update, hidden)]
            };
            // SAFETY: as above; the update gate is in the place of its product.
            unsafe { each(n, [x2, p2, p1, of.hidden], [kept(2), of.next], step) };
        }
        RecurrentKind::Gru => {
            if let Some(bias) = of.bias {
                // SAFETY: as above.
                unsafe { each(n, [p2, bias], [places[2]], |[own, bias]: [E; 2]| [own + bias]) };
            }
            let inputs = [x0, x1, x2, p0, p1, p2, of.hidden];
            let outputs = [kept(0), kept(1), kept(2), of.kept(3, places[2]), of.next];
            // SAFETY: as above.
            unsafe { each(n, inputs, outputs, GatedUnit::<FMA>) };
        }
        RecurrentKind::Lstm => {
            let inputs = [x0, x1, x2, x3, p0, p1, p2, p3, of.cell.cast_const()];
            let outputs = [kept(0), kept(1), kept(2), kept(3), of.kept(4, of.cell), of.cell, of.next];
            // SAFETY: as above.
            unsafe { each(n, inputs, outputs, Memory::<FMA>) };
        }
    }
}

/// # Safety
/// See [`Element::reset`].
#[inline(always)]
unsafe fn reset<E: Float + Number, const FMA: bool>(of: Forward<E>) {
    let [reset, update] = [0, 1].map(|gate| of.product(gate));
    let inputs = [of.projection(0), of.projection(1), reset.cast_const(), update.cast_const(), of.hidden];
    let outputs = [of.kept(0, reset), of.kept(1, update), update, of.cell];
    // SAFETY: by the contract.
    unsafe { each(of.units, inputs, outputs, ResetGates::<FMA>) };
}

/// # Safety
/// See [`Element::reset_backward`].
#[inline(always)]
unsafe fn reset_backward<E: Float + Number>(of: Backward<E>) {
    let inputs = [of.grad, of.before, of.activations, of.hidden_grad.cast_const()];
    let step = |[inner, hidden, reset, direct]: [E; 4]| {
        [inner * hidden * reset * (one::<E>() - reset), direct + inner * reset]
    };
    // SAFETY: by the contract.
    unsafe { each(of.units, inputs, [of.gates_grad, of.hidden_grad], step) };
}

/// # Safety
/// See [`Element::backward`].
#[inline(always)]
unsafe fn backward<E: Float + Number, const FMA: bool>(of: Backward<E>) {
    let (n, size, zero) = (of.units, of.size, <E as Float>::ZERO);
    let activation = |at: usize| of.activations.wrapping_add(at * size);
    let gate = |at: usize| of.gates_grad.wrapping_add(at * size);
    let (output, hidden) = (of.grad, of.hidden_grad.cast_const());
    match of.kind {
        RecurrentKind::Tanh => {
            let step =
                |[output, hidden, state]: [E; 3]| [(output + hidden) * (one::<E>() - state * state), zero];
            // SAFETY: by the contract; so below.
            unsafe { each(n, [output, hidden, of.state], [gate(0), of.hidden_grad], step) };
        }
        RecurrentKind::Relu => {
            let step =
                |[output, hidden, state]: [E; 3]| [if state > zero { output + hidden } else { zero }, zero];
            // SAFETY: as above.
            unsafe { each(n, [output, hidden, of.state], [gate(0), of.hidden_grad], step) };
        }
        RecurrentKind::GruResetBefore => {
            let inputs = [output, hidden, activation(1), activation(2), of.before];
            let step = |[output, hidden, z, new, before]: [E; 5]| {
                let total = output + hidden;
                let update_grad = total * (before - new) * z * (one::<E>() - z);
                [update_grad, total * (one::<E>() - z) * (one::<E>() - new * new), total * z]
            };
            // SAFETY: as above.
            unsafe { each(n, inputs, [gate(1), gate(2), of.hidden_grad], step) };
        }
        RecurrentKind::Gru => {
            let [reset, update, new, own] = [0, 1, 2, 3].map(activation);
            let products = of.products_grad.unwrap_or(of.gates_grad);
            let product = |at: usize| products.wrapping_add(at * size);
            let inputs = [output, hidden, reset, update, new, own, of.before];
            let outputs = [gate(0), gate(1), gate(2), product(0), product(1), product(2), of.hidden_grad];
            let step = |[output, hidden, r, z, new, own, before]: [E; 7]| {
                let total = output + hidden;
                let new_grad = total * (one::<E>() - z) * (one::<E>() - new * new);
                let update_grad = total * (before - new) * z * (one::<E>() - z);
                let reset_grad = new_grad * own * r * (one::<E>() - r);
                [reset_grad, update_grad, new_grad, reset_grad, update_grad, new_grad * r, total * z]
            };
            // SAFETY: as above.
            unsafe { each(n, inputs, outputs, step) };
        }
        RecurrentKind::Lstm => {
            let [input, forget, new, shown, cell] = [0, 1, 2, 3, 4].map(activation);
            let cell_grad = of.cell_grad.cast_const();
            let inputs = [output, hidden, cell_grad, input, forget, new, shown, cell, of.before];
            let outputs = [gate(0), gate(1), gate(2), gate(3), of.cell_grad, of.hidden_grad];
            let step = |[output, hidden, cell_grad, i, f, g, o, cell, before]: [E; 9]| {
                let (total, shown) = (output + hidden, cell.tanh::<FMA>());
                let through = cell_grad + total * o * (one::<E>() - shown * shown);
                [
                    through * g * i * (one::<E>() - i),
                    through * before * f * (one::<E>() - f),
                    through * i * (one::<E>() - g * g),
                    total * shown * o * (one::<E>() - o),
                    through * f,
                    zero,
                ]
            };
            // SAFETY: as above.
            unsafe { each(n, inputs, outputs, step) };
        }
    }
}

macro_rules! elements {
    ($($ty:ty: $forward_body:ident $forward:ident, $backward_body:ident $backward:ident, $reset_body:ident $reset:ident, $reset_backward_body:ident $reset_backward:ident;)*) => {$(
        #[inline(always)]
        fn $forward_body<const FMA: bool>(of: Forward<$ty>) {
            // SAFETY: by the contract of `Element::forward`, the only caller.
            unsafe { forward::<$ty, FMA>(of) }
        }
        dispatch! { fn $forward(of: Forward<$ty>) = $forward_body }
        #[inline(always)]
        fn $backward_body<const FMA: bool>(of: Backward<$ty>) {
            // SAFETY: by the contract of `Element::backward`, the only caller.
            unsafe { backward::<$ty, FMA>(of) }
        }
        dispatch! { fn $backward(of: Backward<$ty>) = $backward_body }
        #[inline(always)]
        fn $reset_body<const FMA: bool>(of: Forward<$ty>) {
            // SAFETY: by the contract of `Element::reset`, the only caller.
            unsafe { reset::<$ty, FMA>(of) }
        }
        dispatch! { fn $reset(of: Forward<$ty>) = $reset_body }
        #[inline(always)]
        fn $reset_backward_body<const FMA: bool>(of: Backward<$ty>) {
            // SAFETY: by the contract of `Element::reset_backward`, the only caller.
            unsafe { reset_backward::<$ty>(of) }
        }
        dispatch! { fn $reset_backward(of: Backward<$ty>) = $reset_backward_body }

        impl Element for $ty {
            unsafe fn forward(of: Forward<Self>) {
                $forward(of);
            }
            unsafe fn reset(of: Forward<Self>) {
                $reset(of);
            }
            unsafe fn backward(of: Backward<Self>) {
                $backward(of);
            }
            unsafe fn reset_backward(of: Backward<Self>) {
                $reset_backward(of);
            }
        }
    )*};
}
elements! {
    f32: forward_body_f32 forward_f32, backward_body_f32 backward_f32, reset_body_f32 reset_f32, reset_backward_body_f32 reset_backward_f32;
    f64: forward_body_f64 forward_f64, backward_body_f64 backward_f64, reset_body_f64 reset_f64, reset_backward_body_f64 reset_backward_f64;
}

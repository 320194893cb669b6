//! The arithmetic of the gates on some units of one sequence, compiled for each machine.

use crate::math::Float;
use crate::number::Number;
use crate::product::Product;
use crate::simd::dispatch;
use burn_backend::RecurrentKind;
use core::slice;

/// Units of a step forwards. Pointers are to the first unit; gates and activations of a unit are `size` elements apart.
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
    /// Gradient of the hidden state after the step; becomes the part of that before it that goes through no product.
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
    /// The elements may be read and written, by nobody else meanwhile.
    unsafe fn forward(of: Forward<Self>);
    /// The gates of [`RecurrentKind::GruResetBefore`] that the second product waits for, in the place of their products.
    ///
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn reset(of: Forward<Self>);
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn backward(of: Backward<Self>);
    /// The gradient of the reset gate of [`RecurrentKind::GruResetBefore`], and of the hidden state through it.
    ///
    /// # Safety
    /// As for [`Element::forward`].
    unsafe fn reset_backward(of: Backward<Self>);
}

/// # Safety
/// The elements may be read while the slice is used.
#[inline(always)]
unsafe fn read<'a, E>(start: *const E, len: usize) -> &'a [E] {
    // SAFETY: by the contract.
    unsafe { slice::from_raw_parts(start, len) }
}

/// # Safety
/// The elements may be read and written, by nobody else meanwhile.
#[inline(always)]
unsafe fn write<'a, E>(start: *mut E, len: usize) -> &'a mut [E] {
    // SAFETY: by the contract.
    unsafe { slice::from_raw_parts_mut(start, len) }
}

#[inline(always)]
fn one<E: Float>() -> E {
    <E as Float>::ONE
}

/// Units that a loop takes together. Their operands are copied first, so that the compiler need not know that results lie
/// elsewhere.
const TOGETHER: usize = 16;

/// Writes `f(inputs)` to the outputs, unit by unit.
///
/// # Safety
/// `units` elements of each may be read and written, by nobody else meanwhile; an output is an input or lies elsewhere.
#[inline(always)]
unsafe fn each<E: Float, const IN: usize, const OUT: usize>(
    units: usize,
    inputs: [*const E; IN],
    outputs: [*mut E; OUT],
    f: impl Fn([E; IN]) -> [E; OUT],
) {
    let whole = units - units % TOGETHER;
    // SAFETY: by the contract.
    unsafe {
        for at in (0..whole).step_by(TOGETHER) {
            let xs = inputs.map(|input| input.add(at).cast::<[E; TOGETHER]>().read_unaligned());
            let mut ys = [[<E as Float>::ZERO; TOGETHER]; OUT];
            for lane in 0..TOGETHER {
                let y = f(core::array::from_fn(|k| xs[k][lane]));
                for k in 0..OUT {
                    ys[k][lane] = y[k];
                }
            }
            for k in 0..OUT {
                outputs[k].add(at).cast::<[E; TOGETHER]>().write_unaligned(ys[k]);
            }
        }
        for at in whole..units {
            let y = f(inputs.map(|input| input.add(at).read()));
            for k in 0..OUT {
                outputs[k].add(at).write(y[k]);
            }
        }
    }
}

/// `f(x + product)` for each unit, in the place of the product.
#[inline(always)]
fn activate<E: Float>(products: &mut [E], x: &[E], f: impl Fn(E) -> E) {
    let x = &x[..products.len()];
    for (at, product) in products.iter_mut().enumerate() {
        *product = f(*product + x[at]);
    }
}

/// `(1 - update) new + update hidden`.
#[inline(always)]
fn mixed<E: Float>([new, update, hidden]: [E; 3]) -> [E; 1] {
    [new + update * (hidden - new)]
}

/// # Safety
/// See [`Element::forward`].
#[inline(always)]
unsafe fn forward<E: Float + Number, const FMA: bool>(of: Forward<E>) {
    let (n, size) = (of.units, of.size);
    // SAFETY: by the contract; so below.
    let x = |gate: usize| unsafe { read(of.gates.wrapping_add(gate * size), n) };
    let keep = |at: usize, values: &[E]| {
        if let Some(activations) = of.activations {
            // SAFETY: as above.
            unsafe { write(activations.wrapping_add(at * size), n) }.copy_from_slice(values);
        }
    };
    // SAFETY: as above.
    let products = unsafe { write(of.products, of.kind.gates() * n) };
    // SAFETY: as above.
    let next = |values: &[E]| unsafe { write(of.next, n) }.copy_from_slice(values);
    match of.kind {
        RecurrentKind::Tanh => {
            activate(products, x(0), |x| x.tanh::<FMA>());
            next(products);
        }
        RecurrentKind::Relu => {
            activate(products, x(0), |x| Float::max(x, <E as Float>::ZERO));
            next(products);
        }
        RecurrentKind::GruResetBefore => {
            let (gates, new) = products.split_at_mut(2 * n);
            activate(new, x(2), |x| x.tanh::<FMA>());
            keep(2, new);
            let update = gates[n..].as_ptr();
            // SAFETY: as above.
            unsafe { each(n, [new.as_ptr(), update, of.hidden], [of.next], mixed) };
        }
        RecurrentKind::Gru => {
            let (reset, others) = products.split_at_mut(n);
            let (update, own) = others.split_at_mut(n);
            activate(reset, x(0), |x| x.sigmoid::<FMA>());
            activate(update, x(1), |x| x.sigmoid::<FMA>());
            if let Some(bias) = of.bias {
                // SAFETY: as above.
                let bias = unsafe { read(bias, n) };
                (0..n).for_each(|i| own[i] = own[i] + bias[i]);
            }
            keep(0, reset);
            keep(1, update);
            keep(3, own);
            let inner = |[x, reset, own]: [E; 3]| [(x + reset * own).tanh::<FMA>()];
            let new = own.as_mut_ptr();
            // SAFETY: as above.
            unsafe { each(n, [x(2).as_ptr(), reset.as_ptr(), new.cast_const()], [new], inner) };
            keep(2, own);
            // SAFETY: as above.
            unsafe { each(n, [own.as_ptr(), update.as_ptr(), of.hidden], [of.next], mixed) };
        }
        RecurrentKind::Lstm => {
            let (gates, output) = products.split_at_mut(3 * n);
            let (gates, new) = gates.split_at_mut(2 * n);
            let (input, forget) = gates.split_at_mut(n);
            activate(input, x(0), |x| x.sigmoid::<FMA>());
            activate(forget, x(1), |x| x.sigmoid::<FMA>());
            activate(new, x(2), |x| x.tanh::<FMA>());
            activate(output, x(3), |x| x.sigmoid::<FMA>());
            let step = |[input, forget, new, output, cell]: [E; 5]| {
                let cell = forget * cell + input * new;
                [cell, output * cell.tanh::<FMA>()]
            };
            let gates = [&*input, &*forget, &*new, &*output];
            let [i, f, g, o] = gates.map(<[E]>::as_ptr);
            // SAFETY: as above.
            let cell = unsafe {
                each(n, [i, f, g, o, of.cell.cast_const()], [of.cell, of.next], step);
                read(of.cell.cast_const(), n)
            };
            gates.into_iter().chain([cell]).enumerate().for_each(|(at, values)| keep(at, values));
        }
    }
}

/// # Safety
/// See [`Element::reset`].
#[inline(always)]
unsafe fn reset<E: Float + Number, const FMA: bool>(of: Forward<E>) {
    let (n, size) = (of.units, of.size);
    // SAFETY: by the contract; so below.
    let gates = unsafe { write(of.products, 2 * n) };
    for (at, gate) in gates.chunks_exact_mut(n).enumerate() {
        // SAFETY: as above.
        activate(gate, unsafe { read(of.gates.wrapping_add(at * size), n) }, |x| x.sigmoid::<FMA>());
        if let Some(activations) = of.activations {
            // SAFETY: as above.
            unsafe { write(activations.wrapping_add(at * size), n) }.copy_from_slice(gate);
        }
    }
    // SAFETY: as above.
    unsafe { each(n, [gates.as_ptr(), of.hidden], [of.cell], |[reset, hidden]| [reset * hidden]) };
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

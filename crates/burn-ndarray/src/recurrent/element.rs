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

/// `f(x + product)` for each unit, in the place of the product.
#[inline(always)]
fn activate<E: Float>(products: &mut [E], x: &[E], f: impl Fn(E) -> E) {
    let x = &x[..products.len()];
    for (at, product) in products.iter_mut().enumerate() {
        *product = f(*product + x[at]);
    }
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
    // SAFETY: as above; the parts of the products do not overlap.
    let (products, next) = unsafe { (write(of.products, of.kind.gates() * n), write(of.next, n)) };
    match of.kind {
        RecurrentKind::Tanh => {
            activate(products, x(0), |x| x.tanh::<FMA>());
            next.copy_from_slice(products);
        }
        RecurrentKind::Relu => {
            activate(products, x(0), |x| Float::max(x, <E as Float>::ZERO));
            next.copy_from_slice(products);
        }
        RecurrentKind::GruResetBefore => {
            let (gates, new) = products.split_at_mut(2 * n);
            activate(new, x(2), |x| x.tanh::<FMA>());
            keep(2, new);
            // SAFETY: as above.
            let hidden = unsafe { read(of.hidden, n) };
            let (update, new) = (&gates[n..2 * n], &new[..n]);
            for i in 0..n {
                next[i] = new[i] + update[i] * (hidden[i] - new[i]);
            }
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
            let (x, reset, own) = (&x(2)[..n], &reset[..n], &mut own[..n]);
            for i in 0..n {
                own[i] = (x[i] + reset[i] * own[i]).tanh::<FMA>();
            }
            keep(2, own);
            // SAFETY: as above.
            let hidden = unsafe { read(of.hidden, n) };
            let update = &update[..n];
            for i in 0..n {
                next[i] = own[i] + update[i] * (hidden[i] - own[i]);
            }
        }
        RecurrentKind::Lstm => {
            let (gates, output) = products.split_at_mut(3 * n);
            let (gates, new) = gates.split_at_mut(2 * n);
            let (input, forget) = gates.split_at_mut(n);
            activate(input, x(0), |x| x.sigmoid::<FMA>());
            activate(forget, x(1), |x| x.sigmoid::<FMA>());
            activate(new, x(2), |x| x.tanh::<FMA>());
            activate(output, x(3), |x| x.sigmoid::<FMA>());
            // SAFETY: as above.
            let cell = unsafe { write(of.cell, n) };
            let (input, forget, new, output) = (&input[..n], &forget[..n], &new[..n], &output[..n]);
            for i in 0..n {
                cell[i] = forget[i] * cell[i] + input[i] * new[i];
            }
            for i in 0..n {
                next[i] = output[i] * cell[i].tanh::<FMA>();
            }
            for (at, values) in [input, forget, new, output, &*cell].into_iter().enumerate() {
                keep(at, values);
            }
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
    let (hidden, gated) = unsafe { (read(of.hidden, n), write(of.cell, n)) };
    let reset = &gates[..n];
    for i in 0..n {
        gated[i] = reset[i] * hidden[i];
    }
}

/// # Safety
/// See [`Element::reset_backward`].
#[inline(always)]
unsafe fn reset_backward<E: Float + Number>(of: Backward<E>) {
    let n = of.units;
    // SAFETY: by the contract.
    let (inner, hidden, reset) = unsafe { (read(of.grad, n), read(of.before, n), read(of.activations, n)) };
    // SAFETY: as above.
    let (reset_grad, hidden_grad) = unsafe { (write(of.gates_grad, n), write(of.hidden_grad, n)) };
    for i in 0..n {
        reset_grad[i] = inner[i] * hidden[i] * reset[i] * (one::<E>() - reset[i]);
        hidden_grad[i] = hidden_grad[i] + inner[i] * reset[i];
    }
}

/// # Safety
/// See [`Element::backward`].
#[inline(always)]
unsafe fn backward<E: Float + Number, const FMA: bool>(of: Backward<E>) {
    let (n, size) = (of.units, of.size);
    // SAFETY: by the contract; so below.
    let activation = |at: usize| unsafe { read(of.activations.wrapping_add(at * size), n) };
    // SAFETY: as above; gates do not overlap.
    let gate = |at: usize| unsafe { write(of.gates_grad.wrapping_add(at * size), n) };
    // SAFETY: as above.
    let (grad, hidden_grad) = unsafe { (read(of.grad, n), write(of.hidden_grad, n)) };
    match of.kind {
        RecurrentKind::Tanh => {
            // SAFETY: as above.
            let (state, gate) = (unsafe { read(of.state, n) }, gate(0));
            for i in 0..n {
                gate[i] = (hidden_grad[i] + grad[i]) * (one::<E>() - state[i] * state[i]);
                hidden_grad[i] = <E as Float>::ZERO;
            }
        }
        RecurrentKind::Relu => {
            // SAFETY: as above.
            let (state, gate) = (unsafe { read(of.state, n) }, gate(0));
            for i in 0..n {
                let total = hidden_grad[i] + grad[i];
                gate[i] = if state[i] > <E as Float>::ZERO { total } else { <E as Float>::ZERO };
                hidden_grad[i] = <E as Float>::ZERO;
            }
        }
        RecurrentKind::GruResetBefore => {
            let [update, new] = [1, 2].map(activation);
            let [update_grad, new_grad] = [1, 2].map(gate);
            // SAFETY: as above.
            let hidden = unsafe { read(of.before, n) };
            for i in 0..n {
                let (total, z, new) = (hidden_grad[i] + grad[i], update[i], new[i]);
                new_grad[i] = total * (one::<E>() - z) * (one::<E>() - new * new);
                update_grad[i] = total * (hidden[i] - new) * z * (one::<E>() - z);
                hidden_grad[i] = total * z;
            }
        }
        RecurrentKind::Gru => {
            let [reset, update, new, own] = [0, 1, 2, 3].map(activation);
            let [reset_grad, update_grad, new_grad] = [0, 1, 2].map(gate);
            // SAFETY: as above.
            let hidden = unsafe { read(of.before, n) };
            for i in 0..n {
                let (total, r, z, new) = (hidden_grad[i] + grad[i], reset[i], update[i], new[i]);
                let slope = total * (one::<E>() - z) * (one::<E>() - new * new);
                new_grad[i] = slope;
                update_grad[i] = total * (hidden[i] - new) * z * (one::<E>() - z);
                reset_grad[i] = slope * own[i] * r * (one::<E>() - r);
                hidden_grad[i] = total * z;
            }
            if let Some(products_grad) = of.products_grad {
                // SAFETY: as above.
                let part = |at: usize| unsafe { write(products_grad.wrapping_add(at * size), n) };
                part(0).copy_from_slice(reset_grad);
                part(1).copy_from_slice(update_grad);
                let own_grad = part(2);
                for i in 0..n {
                    own_grad[i] = new_grad[i] * reset[i];
                }
            }
        }
        RecurrentKind::Lstm => {
            let [input, forget, new, output, cell] = [0, 1, 2, 3, 4].map(activation);
            let [input_grad, forget_grad, new_grad, output_grad] = [0, 1, 2, 3].map(gate);
            // SAFETY: as above.
            let (before, cell_grad) = unsafe { (read(of.before, n), write(of.cell_grad, n)) };
            for i in 0..n {
                let (total, shown, o) = (hidden_grad[i] + grad[i], cell[i].tanh::<FMA>(), output[i]);
                output_grad[i] = total * shown * o * (one::<E>() - o);
                cell_grad[i] = cell_grad[i] + total * o * (one::<E>() - shown * shown);
            }
            for i in 0..n {
                let (through, i_gate, f, g) = (cell_grad[i], input[i], forget[i], new[i]);
                input_grad[i] = through * g * i_gate * (one::<E>() - i_gate);
                forget_grad[i] = through * before[i] * f * (one::<E>() - f);
                new_grad[i] = through * i_gate * (one::<E>() - g * g);
                cell_grad[i] = through * f;
                hidden_grad[i] = <E as Float>::ZERO;
            }
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

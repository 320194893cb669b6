//! Kernels for element types without arithmetic of their own: they travel through a wider type, a chunk that
//! stays in the first cache at a time.

use super::run::{Operand, Run};
use bytemuck::Pod;
use core::{array, slice};

const CHUNK: usize = 256;

/// Runs `kernel` on elements converted by `load`; `store` converts its results. Not inlined: its buffers
/// would be made room for in every call of those that need none.
#[inline(never)]
pub fn through<E: Pod, W: Pod, const N: usize>(
    run: &Run<N>,
    load: impl Fn(&[E], &mut [W]),
    store: impl Fn(&[W], &mut [E]),
    kernel: impl Fn(&Run<N>),
) {
    let mut wide = [W::zeroed(); CHUNK];
    widened(run, load, |operands, part| {
        // SAFETY: the converted operands and `wide` are a chunk long and live until the kernel is done.
        kernel(&unsafe { Run::new(wide.as_mut_ptr().cast(), size_of::<W>(), operands, part.len) });
        // SAFETY: the run may be written for its length, and its operands have been read.
        store(&wide[..part.len], unsafe { slice::from_raw_parts_mut(part.check_out::<E>(), part.len) });
    });
}

/// Runs `kernel`, which writes elements of another type, on elements converted by `load`.
#[inline(never)]
pub fn through_to<E: Pod, W: Pod, const N: usize>(
    run: &Run<N>,
    load: impl Fn(&[E], &mut [W]),
    kernel: impl Fn(&Run<N>),
) {
    widened(run, load, |operands, part| kernel(&Run { operands, ..part }));
}

/// Calls `body` with converted operands, for each part of the run.
fn widened<E: Pod, W: Pod, const N: usize>(
    run: &Run<N>,
    load: impl Fn(&[E], &mut [W]),
    mut body: impl FnMut([Operand; N], Run<N>),
) {
    let mut buffers = [[W::zeroed(); CHUNK]; N];
    for start in (0..run.len).step_by(CHUNK) {
        let part = run.part(start, CHUNK.min(run.len - start));
        for (k, buffer) in buffers.iter_mut().enumerate() {
            let operand = part.check::<E>(k);
            let len = if operand.repeated { 1 } else { part.len };
            // SAFETY: the operand may be read for its length, and nothing is written while the slice lives.
            let elements = unsafe { slice::from_raw_parts(operand.start.cast::<E>(), len) };
            load(elements, &mut buffer[..len]);
        }
        let operands = array::from_fn(|k| Operand {
            start: buffers[k].as_ptr().cast(),
            width: size_of::<W>(),
            ..part.operands[k]
        });
        body(operands, part);
    }
}

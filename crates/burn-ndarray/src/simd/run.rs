//! A run: elements that an elementwise kernel handles in one go.

use bytemuck::Pod;
use core::ptr;

/// Elements that are read and computed together: one or two vector registers.
pub const LANES: usize = 16;

/// Elements of one operand of a kernel: one after the other, or one of them for the whole run.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub start: *const u8,
    pub repeated: bool,
    /// Bytes of an element.
    pub width: usize,
}

/// Run of elements that a kernel with `N` operands reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Run<const N: usize> {
    pub(super) out: *mut u8,
    pub(super) out_width: usize,
    pub(super) operands: [Operand; N],
    pub(super) len: usize,
}

impl<const N: usize> Run<N> {
    /// # Safety
    /// Until the run is dropped, `len` elements of `out_width` bytes may be written at `out`, and those of
    /// the operands may be read: `len` of them, or one of a repeated operand if `len` is not 0. All bytes are
    /// initialised. An operand that is not repeated may start at `out` and have its width; no other overlaps
    /// with `out`. Every pointer is aligned for its elements.
    #[inline]
    pub unsafe fn new(out: *mut u8, out_width: usize, operands: [Operand; N], len: usize) -> Self {
        Run { out, out_width, operands, len }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether an operand is one element for the whole run.
    #[inline]
    pub fn is_repeated(&self, operand: usize) -> bool {
        self.operands[operand].repeated
    }

    /// A part of the run: `len` elements from `start` on.
    pub fn part(&self, start: usize, len: usize) -> Self {
        assert!(start + len <= self.len, "a part lies within its run");
        let operands = self.operands.map(|operand| {
            let skipped = if operand.repeated { 0 } else { start * operand.width };
            Operand { start: operand.start.wrapping_add(skipped), ..operand }
        });
        Run { out: self.out.wrapping_add(start * self.out_width), operands, len, ..*self }
    }

    /// The run in parts of `len` elements and a shorter last one.
    pub fn parts(&self, len: usize) -> impl Iterator<Item = Self> {
        (0..self.len).step_by(len).map(move |start| self.part(start, len.min(self.len - start)))
    }

    /// Whether a test holds for every element of an operand.
    #[inline(always)]
    pub fn all<E: Pod>(&self, operand: usize, test: impl Fn(E) -> bool) -> bool {
        let operand = self.check::<E>(operand);
        let len = if operand.repeated { self.len.min(1) } else { self.len };
        let mut all = true;
        for i in 0..len {
            // SAFETY: by the contract of `new`.
            all &= test(unsafe { operand.start.cast::<E>().add(i).read() });
        }
        all
    }

    /// Whether a test holds for all pairs of elements of the first two operands.
    #[inline(always)]
    pub fn all_pairs<E: Pod>(&self, test: impl Fn(E, E) -> bool) -> bool {
        let (x, y) = (self.check::<E>(0), self.check::<E>(1));
        let mut all = true;
        for i in 0..self.len {
            let at = |operand: Operand| {
                operand.start.cast::<E>().wrapping_add(if operand.repeated { 0 } else { i })
            };
            // SAFETY: by the contract of `new`.
            all &= unsafe { test(at(x).read(), at(y).read()) };
        }
        all
    }

    /// The operand, whose elements are of type `E`.
    pub fn check<E: Pod>(&self, operand: usize) -> Operand {
        assert!(self.operands[operand].width == size_of::<E>(), "elements are read as what they are");
        self.operands[operand]
    }

    /// Where the results go, which are of type `R`.
    pub fn check_out<R: Pod>(&self) -> *mut R {
        assert!(self.out_width == size_of::<R>(), "elements are written as what they are");
        self.out.cast()
    }
}

/// An operand that is read block by block.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<E> {
    next: *const E,
    /// From one block to the next; 0 where all are the same.
    step: usize,
    /// Room for one block.
    spare: *mut [E; LANES],
}

impl<E: Pod> Blocks<E> {
    /// # Safety
    /// At least one element of the operand may be read. `spare` may be written as long as blocks are taken.
    #[inline(always)]
    pub unsafe fn new(operand: Operand, spare: *mut [E; LANES]) -> Self {
        let next = operand.start.cast::<E>();
        if !operand.repeated {
            return Blocks { next, step: LANES, spare };
        }
        // SAFETY: by the contract.
        unsafe { *spare = [next.read(); LANES] };
        Blocks { next: spare.cast(), step: 0, spare }
    }

    /// Returns the next block of elements.
    ///
    /// # Safety
    /// At least `LANES` elements are left, or [`Blocks::end`] was called.
    #[inline(always)]
    pub unsafe fn take(&mut self) -> [E; LANES] {
        // SAFETY: by the contract.
        let block = unsafe { self.next.cast::<[E; LANES]>().read_unaligned() };
        self.next = self.next.wrapping_add(self.step);
        block
    }

    /// Makes a whole block of the last elements. The first stands in for those that are missing: kernels may
    /// trap on made-up elements.
    ///
    /// # Safety
    /// `left` elements may be read, and `left` is not 0 and less than a block.
    #[inline(always)]
    pub unsafe fn end(&mut self, left: usize) {
        if self.step > 0 {
            // SAFETY: by the contract; the spare block is no part of an operand.
            unsafe {
                *self.spare = [self.next.read(); LANES];
                ptr::copy_nonoverlapping(self.next, self.spare.cast(), left);
            }
            self.next = self.spare.cast();
        }
    }
}

/// Walks over the blocks of a run: a block is read whole before it is written, so that a kernel may work in
/// place. The last elements are a block of their own, somewhere else, that goes through the same loop: it has
/// no tests. The body is put in place, once: a closure might become a call, which knows no wide instructions.
macro_rules! walk {
    ($run:expr, $Out:ty, [$($index:tt $operand:ident: $E:ty),*], $body:expr) => {{
        let run = $run;
        let mut out = run.check_out::<$Out>();
        let (mut whole, left) = (run.len() / $crate::simd::LANES, run.len() % $crate::simd::LANES);
        if run.len() > 0 {
            let mut spare_out = [<$Out as bytemuck::Zeroable>::zeroed(); $crate::simd::LANES];
            let mut spares = ($([<$E as bytemuck::Zeroable>::zeroed(); $crate::simd::LANES],)*);
            // SAFETY: at least one element may be read, by the contract of `Run::new`, and it has the size
            // that the run was made for.
            $(let mut $operand = unsafe {
                $crate::simd::Blocks::<$E>::new(run.check::<$E>($index), &raw mut spares.$index)
            };)*
            let mut last = None;
            loop {
                for _ in 0..whole {
                    // SAFETY: that many blocks are left.
                    let blocks = ($(unsafe { $operand.take() },)*);
                    let mut block = [<$Out as bytemuck::Zeroable>::zeroed(); $crate::simd::LANES];
                    {
                        let ($($operand,)*) = blocks;
                        for lane in 0..$crate::simd::LANES {
                            $(let $operand: $E = $operand[lane];)*
                            block[lane] = $body;
                        }
                    }
                    // SAFETY: that many blocks of the result are left; the operands of this one have been
                    // read.
                    unsafe { out.cast::<[$Out; $crate::simd::LANES]>().write_unaligned(block) };
                    out = out.wrapping_add($crate::simd::LANES);
                }
                if let Some(end) = last {
                    // SAFETY: the result has room for the last elements.
                    unsafe { ::core::ptr::copy_nonoverlapping(spare_out.as_ptr(), end, left) };
                    break;
                }
                if left == 0 {
                    break;
                }
                last = Some(out);
                out = spare_out.as_mut_ptr();
                whole = 1;
                // SAFETY: that many elements are left.
                $(unsafe { $operand.end(left) };)*
            }
        }
    }};
}
pub(crate) use walk;

/// `out[i] = f(x[i])`.
#[inline(always)]
pub fn map<E: Pod, R: Pod>(run: &Run<1>, f: impl Fn(E) -> R) {
    walk!(run, R, [0 x: E], f(x))
}

/// `out[i] = f(x[i], y[i])`.
#[inline(always)]
pub fn zip<E: Pod, R: Pod>(run: &Run<2>, f: impl Fn(E, E) -> R) {
    walk!(run, R, [0 x: E, 1 y: E], f(x, y))
}

/// `out[i] = if mask[i] != 0 { x[i] } else { y[i] }`.
#[inline(always)]
pub fn select<E: Pod>(run: &Run<3>) {
    walk!(run, E, [0 mask: u8, 1 x: E, 2 y: E], if mask == 0 { y } else { x })
}

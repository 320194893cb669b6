//! A run: elements that an elementwise kernel handles in one go.

use bytemuck::Pod;
use core::ptr;

/// Elements that are read and computed together: one or two vector registers.
const LANES: usize = 16;

/// Elements of one operand of a kernel: one after the other, or one of them for the whole run.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub start: *const u8,
    pub repeated: bool,
    /// Bytes of an element.
    pub width: usize,
}

/// Where a kernel with `N` operands reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Run<const N: usize> {
    pub(super) out: *mut u8,
    pub(super) out_width: usize,
    pub(super) operands: [Operand; N],
    pub(super) len: usize,
}

impl<const N: usize> Run<N> {
    /// # Safety
    /// Until the run is dropped, `len` elements of `out_width` bytes may be written at `out`, and those of the
    /// operands may be read: `len` of them, or one of a repeated operand if `len` is not 0. All bytes are
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

    pub(super) fn check<E: Pod>(&self, operand: usize) -> Operand {
        assert!(self.operands[operand].width == size_of::<E>(), "elements are read as what they are");
        self.operands[operand]
    }

    pub(super) fn check_out<R: Pod>(&self) -> *mut R {
        assert!(self.out_width == size_of::<R>(), "elements are written as what they are");
        self.out.cast()
    }
}

/// An operand that is read block by block.
struct Blocks<E> {
    next: *const E,
    repeated: Option<[E; LANES]>,
}

impl<E: Pod> Blocks<E> {
    /// # Safety
    /// At least one element may be read.
    #[inline(always)]
    unsafe fn new(operand: Operand) -> Self {
        let next = operand.start.cast::<E>();
        // SAFETY: by the contract.
        Blocks { next, repeated: operand.repeated.then(|| [unsafe { next.read() }; LANES]) }
    }

    /// # Safety
    /// `LANES` more elements may be read.
    #[inline(always)]
    unsafe fn take(&mut self) -> [E; LANES] {
        if let Some(block) = self.repeated {
            return block;
        }
        // SAFETY: by the contract.
        let block = unsafe { self.next.cast::<[E; LANES]>().read_unaligned() };
        self.next = self.next.wrapping_add(LANES);
        block
    }

    /// The last elements, and the first of them again to fill the block: kernels may trap on made-up elements.
    ///
    /// # Safety
    /// `count` more elements may be read; `count` is not 0 and below `LANES`.
    #[inline(always)]
    unsafe fn rest(&self, count: usize) -> [E; LANES] {
        if let Some(block) = self.repeated {
            return block;
        }
        // SAFETY: by the contract.
        unsafe {
            let mut block = [self.next.read(); LANES];
            ptr::copy_nonoverlapping(self.next, block.as_mut_ptr(), count);
            block
        }
    }
}

/// Walks over the blocks of a run: a block is read whole before it is written, so that a kernel may work in place.
macro_rules! walk {
    ($run:expr, $Out:ty, [$($index:literal $operand:ident: $E:ty),*], $f:expr) => {{
        let run = $run;
        if run.len == 0 {
            return;
        }
        let mut out = run.check_out::<$Out>();
        // SAFETY: the run may be read and written for its whole length, by the contract of `Run::new`, and the
        // elements have the sizes that it was made for.
        unsafe {
            $(let mut $operand = Blocks::<$E>::new(run.check::<$E>($index));)*
            for _ in 0..run.len / LANES {
                $(let $operand = $operand.take();)*
                let mut block = [<$Out>::zeroed(); LANES];
                for lane in 0..LANES {
                    block[lane] = $f($($operand[lane]),*);
                }
                out.cast::<[$Out; LANES]>().write_unaligned(block);
                out = out.wrapping_add(LANES);
            }
            let count = run.len % LANES;
            if count > 0 {
                $(let $operand = $operand.rest(count);)*
                let mut block = [<$Out>::zeroed(); LANES];
                for lane in 0..LANES {
                    block[lane] = $f($($operand[lane]),*);
                }
                ptr::copy_nonoverlapping(block.as_ptr(), out, count);
            }
        }
    }};
}

/// `out[i] = f(x[i])`.
#[inline(always)]
pub fn map<E: Pod, R: Pod>(run: &Run<1>, f: impl Fn(E) -> R) {
    walk!(run, R, [0 x: E], f)
}

/// `out[i] = f(x[i], y[i])`.
#[inline(always)]
pub fn zip<E: Pod, R: Pod>(run: &Run<2>, f: impl Fn(E, E) -> R) {
    walk!(run, R, [0 x: E, 1 y: E], f)
}

/// `out[i] = if mask[i] != 0 { x[i] } else { y[i] }`.
#[inline(always)]
pub fn select<E: Pod>(run: &Run<3>) {
    walk!(run, E, [0 mask: u8, 1 x: E, 2 y: E], |mask: u8, x: E, y: E| if mask == 0 { y } else { x })
}

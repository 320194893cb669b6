//! Device memory of tensors. Both checks look at the memory of the whole process, so nothing else runs
//! meanwhile.

use burn_tensor::{Backend, Tensor};

/// Memory held by the pools of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub buffers: u64,
    /// Bytes of these buffers.
    pub used: u64,
    /// Bytes reserved on the device.
    pub reserved: u64,
}

/// Checks that a tensor of `count` elements of 4 bytes is counted while it lives, and that its memory can be
/// released.
///
/// # Panics
/// When it is not so.
pub fn counted_and_given_back<B: Backend>(
    count: usize,
    device: &B::Device,
    held: &dyn Fn() -> Held,
    clean: &dyn Fn(),
) {
    let bytes = 4 * count as u64;
    let before = held();
    let x = Tensor::<B, 1>::zeros([count], device);
    B::sync(device);
    let with = held();
    assert_eq!((with.buffers, with.used), (before.buffers + 1, before.used + bytes));
    assert!(with.reserved >= with.used, "{with:?}");
    drop(x);
    B::sync(device);
    let after = held();
    assert_eq!((after.buffers, after.used), (before.buffers, before.used));
    clean();
    let cleaned = held();
    assert!(cleaned.reserved + bytes <= with.reserved, "{with:?}, then {cleaned:?}");
}

/// `steps` of training take no more memory after the first ones; `after` runs so many of them and waits.
///
/// # Panics
/// When they do.
pub fn flat(first: usize, last: usize, held: &dyn Fn() -> Held, after: &mut dyn FnMut(usize)) {
    after(first);
    let before = held();
    after(last);
    let now = held();
    println!("after {first} steps {before:?}, after {} {now:?}", first + last);
    assert_eq!((now.buffers, now.used), (before.buffers, before.used));
    // How far a program runs ahead of the device differs, and pools with it: by a hundredth at most.
    assert!(now.reserved <= before.reserved + before.reserved / 100, "{before:?}, then {now:?}");
}

//! Reads handwritten digits on a Cortex-M4 that QEMU emulates, with the network of `digits.onnx`.
//!
//! ```text
//! cargo run --package raspberry-pi-pico --features qemu --target thumbv7em-none-eabihf --example qemu
//! ```
#![no_std]
#![no_main]

use burn::backend::NdArray;
use core::panic::PanicInfo;
use core::ptr::addr_of;
use cortex_m as _;
use cortex_m_rt::{STACK_PAINT_VALUE, entry};
use cortex_m_semihosting::{debug, hprintln};
use raspberry_pi_pico::{ChipHeap, Model, digits, read};

#[global_allocator]
static HEAP: ChipHeap = ChipHeap::new();

#[entry]
fn main() -> ! {
    HEAP.init();
    let model = Model::<NdArray>::default();
    hprintln!("heap for the model: {} bytes, {} while it is made", HEAP.used(), HEAP.peak());
    let mut right = 0;
    for digit in digits() {
        let reading = read(&model, digit);
        right += u32::from(reading.class == reading.label);
        hprintln!("{}: {:?}", reading, reading.logits);
    }
    hprintln!("digits read: {} of {}", right, digits().len());
    hprintln!("heap at most: {} of {} bytes", HEAP.peak(), ChipHeap::SIZE);
    hprintln!("stack at most: {} bytes", stack_peak());
    debug::exit(debug::EXIT_SUCCESS);
    unreachable!("the emulator ended");
}

/// Returns the most bytes of the stack that were in use at once: `cortex-m-rt` painted them all before the
/// program began.
fn stack_peak() -> usize {
    unsafe extern "C" {
        static _stack_end: u32;
        static _stack_start: u32;
    }
    let (lowest, end) = (addr_of!(_stack_end), addr_of!(_stack_start) as usize);
    let words = (end - lowest as usize) / 4;
    // SAFETY: the linker script keeps the words between these two addresses for the stack.
    let word = |index: &usize| unsafe { lowest.add(*index).read_volatile() };
    (words - (0..words).take_while(|index| word(index) == STACK_PAINT_VALUE).count()) * 4
}

#[panic_handler]
fn fail(panic: &PanicInfo<'_>) -> ! {
    hprintln!("{}", panic);
    loop {
        debug::exit(debug::EXIT_FAILURE);
    }
}

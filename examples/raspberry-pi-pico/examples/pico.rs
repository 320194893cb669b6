//! Reads handwritten digits on a Raspberry Pi Pico with the network of `digits.onnx`.
//!
//! It blinks each digit that it reads and writes it to the serial port of its USB.
//!
//! ```text
//! cargo run --profile firmware --package raspberry-pi-pico --features pico --target thumbv6m-none-eabi --example pico
//! cargo run --profile firmware --package raspberry-pi-pico --features pico2 --target thumbv8m.main-none-eabihf --example pico
//! ```
#![no_std]
#![no_main]

use burn::backend::NdArray;
use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::USB;
use embassy_rp::usb::{Driver, InterruptHandler};
use embassy_rp::{Peri, bind_interrupts};
use embassy_time::{Instant, Timer};
use raspberry_pi_pico::{ChipHeap, Model, digits, read};

// ANCHOR: main
#[global_allocator]
static HEAP: ChipHeap = ChipHeap::new();

bind_interrupts!(struct Interrupts {
    USBCTRL_IRQ => InterruptHandler<USB>;
});

/// Writes what is logged to the serial port.
#[embassy_executor::task]
async fn serial(usb: Peri<'static, USB>) {
    let driver = Driver::new(usb, Interrupts);
    embassy_usb_logger::run!(1024, log::LevelFilter::Info, driver);
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    HEAP.init();
    let board = embassy_rp::init(Default::default());
    spawner.spawn(serial(board.USB).expect("one task"));
    let mut led = Output::new(board.PIN_25, Level::Low);

    let model = Model::<NdArray>::default();
    for digit in digits().cycle() {
        let start = Instant::now();
        let reading = read(&model, digit);
        let (micros, peak) = (start.elapsed().as_micros(), HEAP.peak());
        log::info!("{reading} in {micros} us; heap: at most {peak} of {} bytes", ChipHeap::SIZE);
        for _ in 0..reading.class {
            led.set_high();
            Timer::after_millis(150).await;
            led.set_low();
            Timer::after_millis(150).await;
        }
        Timer::after_secs(1).await;
    }
}
// ANCHOR_END: main

/// The light stays on.
#[panic_handler]
fn fail(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: nothing else runs on this core any more.
    let _led = Output::new(unsafe { embassy_rp::Peripherals::steal() }.PIN_25, Level::High);
    loop {
        cortex_m::asm::wfi();
    }
}

use libc::c_int;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that a terminal which takes no output delays the end of the process.
const PATIENCE: Duration = Duration::from_secs(1);

/// Calls `restore`, which gives the terminal back, when a signal ends the process; the signal then does what
/// it does by default.
///
/// Signals that the program ignores or handles itself are left alone. The handlers stay for good: a signal
/// whose handler is taken away would do nothing.
pub(super) fn restore_on_signals(restore: fn() -> io::Result<()>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let signals =
            [SIGTERM, SIGHUP, SIGINT, SIGQUIT].into_iter().filter(|signal| has_default_action(*signal));
        let started = Signals::new(signals).and_then(|signals| {
            thread::Builder::new()
                .name("burn-dashboard-signals".to_string())
                .spawn(move || handle(signals, restore))
        });
        if let Err(error) = started {
            tracing::debug!("signals do not give the terminal back: {error}");
        }
    });
}

fn handle(mut signals: Signals, restore: fn() -> io::Result<()>) {
    for signal in signals.forever() {
        let restoring = thread::spawn(restore);
        let begin = Instant::now();
        while !restoring.is_finished() && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        if emulate_default_handler(signal).is_err() {
            std::process::exit(128 + signal);
        }
    }
}

fn has_default_action(signal: c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the present one, which zeros are a value of.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_DFL
    }
}

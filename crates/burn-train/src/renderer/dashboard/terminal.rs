use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, Stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// The terminal of the process, taken over until it is given back or dropped, a thread panics, or a signal
/// ends the process.
#[derive(Debug)]
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    area: Rect,
}

/// Whether a screen is open: at most one of a process is.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Held while a frame is written, so that none is cut by the end of the screen.
static FRAME: Mutex<()> = Mutex::new(());

/// The most columns and rows that are drawn: a terminal may claim 65,535 of each, which take hundreds of GB.
const LARGEST: (u16, u16) = (1000, 500);

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        if OPEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::other("another dashboard has the terminal"));
        }
        restore_on_panic();
        #[cfg(unix)]
        super::signals::restore_on_signals(restore);
        let area = area();
        let opened = enable_raw_mode()
            .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture))
            .and_then(|()| {
                let options = TerminalOptions { viewport: Viewport::Fixed(area) };
                Terminal::with_options(CrosstermBackend::new(io::stdout()), options)
            });
        match opened {
            Ok(terminal) => Ok(Self { terminal, area }),
            Err(error) => {
                // The error that is reported is the first one.
                let _ = restore();
                Err(error)
            }
        }
    }

    /// Draws, unless a panic or a signal has given the terminal back.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        let _frame = lock_frame();
        if !OPEN.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was given back"));
        }
        let area = area();
        if area != self.area {
            self.area = area;
            self.terminal.resize(area)?;
        }
        self.terminal.draw(draw).map(|_| ())
    }

    pub(super) fn close(self) -> io::Result<()> {
        restore()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The run is over: the error has no reader.
        let _ = restore();
    }
}

/// Returns the area that is drawn on: the terminal, or its upper left where it is larger than any screen.
pub(super) fn area() -> Rect {
    size().map_or(Rect::ZERO, clamp)
}

fn clamp((width, height): (u16, u16)) -> Rect {
    Rect::new(0, 0, width.min(LARGEST.0), height.min(LARGEST.1))
}

/// Gives the terminal back, once.
pub(super) fn restore() -> io::Result<()> {
    if !OPEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let _frame = lock_frame();
    let raw = disable_raw_mode();
    execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show)?;
    raw
}

/// Waits for the frame that is written, but not for ever: the thread that writes it may be the one that
/// panics.
fn lock_frame() -> Option<MutexGuard<'static, ()>> {
    let begin = Instant::now();
    loop {
        match FRAME.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if begin.elapsed() < Duration::from_millis(200) => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

/// Lets the message of a panic appear on a terminal that shows it.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let _ = restore();
            previous(info);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_bounded_whatever_the_terminal_claims() {
        assert_eq!(clamp((65_535, 65_535)), Rect::new(0, 0, 1000, 500));
        assert_eq!(clamp((80, 24)), Rect::new(0, 0, 80, 24));
        assert_eq!(clamp((0, 0)), Rect::ZERO);
    }
}

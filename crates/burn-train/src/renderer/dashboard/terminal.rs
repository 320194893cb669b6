use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use std::io::{self, Stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The terminal of the process, taken over until it is given back or dropped, or a thread panics.
#[derive(Debug)]
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

/// Whether a screen is open: at most one of a process is.
static OPEN: AtomicBool = AtomicBool::new(false);

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        if OPEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::other("another dashboard has the terminal"));
        }
        restore_on_panic();
        let opened = enable_raw_mode()
            .and_then(|()| execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture))
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                // The error that is reported is the first one.
                let _ = restore();
                Err(error)
            }
        }
    }

    pub(super) fn area(&self) -> Rect {
        self.terminal.size().map(|size| Rect::from((Position::ORIGIN, size))).unwrap_or_default()
    }

    /// Draws, unless a panic has given the terminal back.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        match OPEN.load(Ordering::SeqCst) {
            true => self.terminal.draw(draw).map(|_| ()),
            false => Err(io::Error::other("the terminal was given back")),
        }
    }

    pub(super) fn close(self) -> io::Result<()> {
        restore()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = restore();
    }
}

/// Gives the terminal back, once.
pub(super) fn restore() -> io::Result<()> {
    if !OPEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let raw = disable_raw_mode();
    execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show)?;
    raw
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

use super::keys::Answer;
use super::state::{Phase, State};
use super::terminal::{self, Screen};
use super::view::{self, Areas};
use crate::Split;
use crate::history::LearnerSummary;
use crate::renderer::{Interrupter, MetricState, MetricsRenderer, TrainingProgress};
use ratatui::crossterm::event::{self, Event};
use ratatui::layout::Rect;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Shows curves, values and progress on the whole terminal.
///
/// The left and right arrow keys go through the metrics, up and down switch between all of the
/// curves and the recent part. So do the mouse wheel, clicks on the tabs of the metrics and clicks on the plot. `q` asks whether to stop: the run then finishes its step and saves a
/// checkpoint. It also offers to end the program at once, with exit code 130. The terminal is given back at the end, also when the program panics.
#[derive(Debug)]
pub struct DashboardRenderer {
    board: Arc<Board>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// State that the run and the drawing thread share.
#[derive(Debug)]
struct Board {
    state: Mutex<State>,
    /// Whether something has changed since it was drawn.
    changed: AtomicBool,
    closing: AtomicBool,
    interrupter: Interrupter,
}

/// How long the thread waits for a key before it looks for changes.
const TICK: Duration = Duration::from_millis(50);
/// The most often that changes are drawn: ten times a second.
const FRAME: Duration = Duration::from_millis(100);
/// The least often that the clock is drawn.
const REDRAW: Duration = Duration::from_millis(500);

impl DashboardRenderer {
    /// Tells whether the standard output is a terminal that can be drawn on.
    pub fn is_supported() -> bool {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
    }

    /// Takes the terminal over. Quitting stops the runs that look at `interrupter`.
    ///
    /// # Errors
    /// If there is no terminal, or another dashboard has it.
    pub fn open(interrupter: Interrupter) -> io::Result<Self> {
        let board = Arc::new(Board {
            state: Mutex::new(State::new()),
            changed: AtomicBool::new(true),
            closing: AtomicBool::new(false),
            interrupter,
        });
        let screen = Screen::open()?;
        let thread = thread::Builder::new().name("burn-dashboard".to_string()).spawn({
            let board = Arc::clone(&board);
            move || board.show(screen)
        })?;
        Ok(Self { board, thread: Some(thread) })
    }

    fn close(&mut self) -> io::Result<()> {
        self.board.closing.store(true, Ordering::SeqCst);
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(shown)) => shown,
            Some(Err(_)) => Err(io::Error::other("the thread of the dashboard panicked")),
        }
    }
}

impl Board {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.store(true, Ordering::SeqCst);
    }

    /// Draws and listens until the dashboard closes.
    fn show(&self, mut screen: Screen) -> io::Result<()> {
        let mut drawn = Instant::now();
        while !self.closing.load(Ordering::SeqCst) {
            let age = drawn.elapsed();
            let due = age >= FRAME && self.changed.load(Ordering::SeqCst);
            if due || age >= REDRAW {
                self.changed.store(false, Ordering::SeqCst);
                screen.draw(|frame| view::draw(frame, &self.state()))?;
                drawn = Instant::now();
            }
            if event::poll(TICK)? {
                self.listen(&event::read()?, screen.area());
            }
        }
        screen.close()
    }

    fn listen(&self, event: &Event, screen: Rect) {
        if let Event::Mouse(mouse) = event {
            self.state().mouse(*mouse, &Areas::new(screen));
        }
        if let Event::Key(key) = event {
            let answer = self.state().press(*key);
            match answer {
                Answer::Nothing => {}
                Answer::Stop => self.interrupter.stop("the user quit the dashboard"),
                Answer::Close => self.closing.store(true, Ordering::SeqCst),
                Answer::Abort => {
                    let _ = terminal::restore();
                    std::process::exit(130);
                }
            }
        }
        self.changed.store(true, Ordering::SeqCst);
    }
}

impl MetricsRenderer for DashboardRenderer {
    fn update_train(&mut self, state: MetricState) {
        self.board.change(|board| board.update(Split::Train, state));
    }

    fn update_valid(&mut self, state: MetricState) {
        self.board.change(|board| board.update(Split::Valid, state));
    }

    fn render_train(&mut self, item: TrainingProgress) {
        self.board.change(|board| board.advance(Split::Train, item));
    }

    fn render_valid(&mut self, item: TrainingProgress) {
        self.board.change(|board| board.advance(Split::Valid, item));
    }

    fn update_test(&mut self, state: MetricState) {
        self.board.change(|board| board.update(Split::Test, state));
    }

    fn render_test(&mut self, item: TrainingProgress) {
        self.board.change(|board| board.advance(Split::Test, item));
    }

    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        self.close()?;
        if let Some(summary) = summary {
            write!(io::stdout(), "{summary}")?;
        }
        Ok(())
    }

    fn manual_close(&mut self) {
        self.board.change(|board| board.phase = Phase::Over);
        while !self.board.closing.load(Ordering::SeqCst)
            && self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
        {
            thread::sleep(TICK);
        }
    }
}

impl Drop for DashboardRenderer {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.close();
    }
}

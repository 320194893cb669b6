use super::input::Input;
use super::keys::Answer;
use super::listener::{Listener, TICK};
use super::state::{Phase, State};
use super::terminal::{self, Screen};
use super::view::{self, Areas};
use crate::Split;
use crate::callback::RunInfo;
use crate::history::{LearnerSummary, RunOutcome};
use crate::renderer::{Interrupter, MetricState, MetricsRenderer, TrainingProgress};
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Shows curves, values and progress on the whole terminal.
///
/// The left and right arrow keys go through the metrics, up and down switch between all of the curves and the
/// recent part. So do the mouse wheel, clicks on the tabs of the metrics and clicks on the plot. `q` asks
/// whether to stop: the run then finishes its step and saves a checkpoint. It also offers to end the program
/// at once, with exit code 130. The terminal is given back at the end, also when the program panics, and on
/// Unix when `SIGTERM`, `SIGHUP`, `SIGINT` or `SIGQUIT` ends it. At most 1000 columns and 500 rows are drawn.
#[derive(Debug)]
pub struct DashboardRenderer {
    board: Arc<Board>,
    thread: Option<JoinHandle<io::Result<()>>>,
    listener: Listener,
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

/// The longest time that a terminal which takes no output delays the end of the run.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most often that changes are drawn: ten times a second.
const FRAME: Duration = Duration::from_millis(100);
/// The pause after a frame, in times of what the frame took.
const SHARE: u32 = 8;
/// The least often that the clock is drawn.
const REDRAW: Duration = Duration::from_millis(500);

impl DashboardRenderer {
    /// Returns whether the standard output is a terminal that can be drawn on.
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
        let listener = Listener::start({
            let board = Arc::clone(&board);
            move |input| board.handle(input)
        })?;
        Ok(Self { board, thread: Some(thread), listener })
    }

    fn close(&mut self) -> io::Result<()> {
        self.board.closing.store(true, Ordering::SeqCst);
        self.listener.close();
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let begin = Instant::now();
        while !thread.is_finished() {
            if begin.elapsed() > PATIENCE {
                return Err(io::Error::other("the terminal takes no output"));
            }
            thread::sleep(TICK / 10);
        }
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread of the dashboard panicked")))
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

    /// Draws until the dashboard closes.
    fn show(&self, mut screen: Screen) -> io::Result<()> {
        let (mut drawn, mut cost) = (Instant::now(), Duration::ZERO);
        while !self.closing.load(Ordering::SeqCst) {
            let age = drawn.elapsed();
            // A frame of a slow or very large terminal must not hold up the run, which waits for the state.
            let pause = SHARE * cost;
            let due = age >= FRAME.max(pause) && self.changed.load(Ordering::SeqCst);
            if due || age >= REDRAW.max(pause) {
                self.changed.store(false, Ordering::SeqCst);
                let begin = Instant::now();
                screen.draw(|frame| view::draw(frame, &self.state()))?;
                drawn = Instant::now();
                cost = begin.elapsed();
            }
            thread::sleep(TICK);
        }
        screen.close()
    }

    fn handle(&self, input: Input) {
        let answer = match input {
            Input::Key(key) => self.state().press(key),
            Input::Mouse(mouse) => {
                self.state().mouse(mouse, &Areas::new(terminal::area()));
                Answer::Nothing
            }
        };
        match answer {
            Answer::Nothing => {}
            Answer::Stop => self.interrupter.stop("the user quit the dashboard"),
            Answer::Close => self.closing.store(true, Ordering::SeqCst),
            Answer::Abort => {
                let _ = terminal::restore();
                std::process::exit(130);
            }
        }
        self.changed.store(true, Ordering::SeqCst);
    }
}

impl MetricsRenderer for DashboardRenderer {
    fn start(&mut self, run: &RunInfo<'_>) {
        self.board.change(|board| board.start(run));
    }

    fn update_learning_rate(&mut self, lr: f64) {
        self.board.change(|board| board.lr = Some(lr));
    }

    fn show_outcome(&mut self, outcome: &RunOutcome) {
        self.board.change(|board| board.end(outcome));
    }

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
            // A terminal that is gone sends no key.
            && !self.listener.is_over()
            && self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
        {
            thread::sleep(TICK);
        }
    }
}

impl Drop for DashboardRenderer {
    fn drop(&mut self) {
        // The run is over: the error has no reader.
        let _ = self.close();
    }
}

use super::input::Input;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a read waits before it looks whether the dashboard is closed.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// The thread that reads the keyboard and the mouse.
///
/// A read may block as long as it likes: nothing waits for this thread longer than some ticks.
#[derive(Debug)]
pub(super) struct Listener {
    closing: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Listener {
    pub(super) fn start(mut handle: impl FnMut(Input) + Send + 'static) -> io::Result<Self> {
        let closing = Arc::new(AtomicBool::new(false));
        let thread = thread::Builder::new().name("burn-dashboard-keys".to_string()).spawn({
            let closing = Arc::clone(&closing);
            move || {
                // Without a keyboard the dashboard is only looked at.
                if let Err(error) = listen(&closing, &mut handle) {
                    tracing::debug!("the keyboard cannot be read: {error}");
                }
            }
        })?;
        Ok(Self { closing, thread })
    }

    /// Returns whether no key will come any more.
    pub(super) fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Lets the thread end, and waits for it for a short time.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        let begin = Instant::now();
        while !self.thread.is_finished() && begin.elapsed() < 4 * TICK {
            thread::sleep(TICK / 10);
        }
    }
}

/// Reads the terminal until `closing` is set or the terminal is gone.
#[cfg(unix)]
fn listen(closing: &AtomicBool, handle: &mut dyn FnMut(Input)) -> io::Result<()> {
    use super::input::InputParser;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use std::os::fd::AsFd;

    let stdin = io::stdin();
    let terminal =
        if io::IsTerminal::is_terminal(&stdin) { None } else { Some(std::fs::File::open("/dev/tty")?) };
    let terminal = terminal.as_ref().map_or_else(|| stdin.as_fd(), |file| file.as_fd());
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(TICK.subsec_nanos()) as _ };
    let (mut parser, mut buffer) = (InputParser::default(), [0; 1024]);
    while !closing.load(Ordering::SeqCst) {
        match poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => parser.end_sequence(handle),
            Ok(_) => match rustix::io::read(terminal, &mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => parser.push(&buffer[..read], handle),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            },
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reads the console until `closing` is set.
#[cfg(not(unix))]
fn listen(closing: &AtomicBool, handle: &mut dyn FnMut(Input)) -> io::Result<()> {
    use ratatui::crossterm::event::{Event, poll, read};

    while !closing.load(Ordering::SeqCst) {
        if poll(TICK)? {
            match read()? {
                Event::Key(key) => handle(Input::Key(key)),
                Event::Mouse(mouse) => handle(Input::Mouse(mouse)),
                Event::FocusGained | Event::FocusLost | Event::Paste(_) | Event::Resize(..) => {}
            }
        }
    }
    Ok(())
}

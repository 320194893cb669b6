use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A detached terminal, with a server of its own.
pub struct Tmux {
    socket: String,
}

/// A screen that does not come at all is an error after this time.
const PATIENCE: Duration = Duration::from_secs(120);

impl Tmux {
    /// Runs a command of the shell on a terminal.
    pub fn start(command: &str, (width, height): (u32, u32)) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let terminal = Self { socket: format!("burn-train-{}-{number}", std::process::id()) };
        let (width, height) = (width.to_string(), height.to_string());
        let started = Command::new("tmux")
            .args(["-L", &terminal.socket, "-f", "/dev/null", "new-session", "-d"])
            .args(["-x", &width, "-y", &height, command])
            .env("LC_ALL", "C.UTF-8")
            .status();
        assert!(started.expect("tmux is installed").success(), "tmux did not start");
        terminal
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").args(["-u", "-L", &self.socket]).args(arguments).output().unwrap();
        assert!(output.status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Presses a key, by the name that tmux gives it.
    pub fn key(&self, key: &str) {
        self.run(&["send-keys", key]);
    }

    /// Sends bytes as a terminal would.
    pub fn bytes(&self, bytes: &[u8]) {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut arguments = vec!["send-keys", "-H"];
        arguments.extend(hex.iter().map(String::as_str));
        self.run(&arguments);
    }

    /// Returns whether the alternate screen and the mouse are on, as `1 1` or `0 0`.
    pub fn modes(&self) -> String {
        self.run(&["display-message", "-p", "#{alternate_on} #{mouse_any_flag}"]).trim().to_string()
    }

    /// Clicks the left button of the mouse, with the sequences of a terminal (SGR 1006).
    pub fn click(&self, column: usize, row: usize) {
        for end in ["M", "m"] {
            self.run(&["send-keys", "-l", &format!("\u{1b}[<0;{column};{row}{end}")]);
        }
    }

    /// Waits until all of the texts are on the screen, and returns it.
    pub fn wait_for(&self, texts: &[&str]) -> String {
        self.wait(|screen| texts.iter().all(|text| screen.contains(text)), &format!("{texts:?}"))
    }

    /// Waits until a whole frame with a curve, dots of braille patterns, is on the screen, and returns it.
    pub fn wait_for_curve(&self) -> String {
        let has_dots = |screen: &str| screen.contains(|c: char| ('\u{2801}'..='\u{28ff}').contains(&c));
        // The progress is drawn last.
        self.wait(|screen| has_dots(screen) && screen.contains(" Run "), "a curve")
    }

    /// Waits until a text is not on the screen.
    pub fn wait_without(&self, text: &str) -> String {
        self.wait(|screen| !screen.contains(text), &format!("a screen without {text:?}"))
    }

    fn wait(&self, is_there: impl Fn(&str) -> bool, expected: &str) -> String {
        let begin = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(begin.elapsed() < PATIENCE, "no {expected} on the screen:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

//! A test program that runs once more, as a server: what a program in another process does is seen best
//! there.

use std::env;
use std::io::{self, BufRead, BufReader, Lines, Read};
use std::process::{self, Child, ChildStdin, ChildStdout, Command, Stdio};

const VARIABLE: &str = "BURN_TEST_SERVER";

/// A server in another process, which ends with this value or with the test program.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Into which the test runner of the child may still write.
    _output: Lines<BufReader<ChildStdout>>,
    /// The server ends when this is closed.
    input: Option<ChildStdin>,
    url: String,
}

/// Serves until the test program closes the input or ends. `start` starts the server and returns its address.
fn serve<S>(start: impl FnOnce() -> (S, String)) -> ! {
    let (_server, url) = start();
    println!("\nurl {url}");
    let _end = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0);
}

impl Process {
    /// Runs the calling test once more, by its full name, in another process. There this function does not
    /// return: `start` starts the server, and returns its address.
    ///
    /// # Panics
    /// When there is no test of this name, or the other process does not say where the server is.
    pub fn start<S>(test: &str, start: impl FnOnce() -> (S, String)) -> Self {
        if env::var_os(VARIABLE).is_some() {
            serve(start);
        }
        let mut child = Command::new(env::current_exe().expect("a test is a program"))
            .args(["--exact", test, "--nocapture"])
            .env(VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program can be started twice");
        let mut output = BufReader::new(child.stdout.take().expect("piped")).lines();
        let url = output
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("url ").map(String::from));
        let input = child.stdin.take();
        Process { child, _output: output, input, url: url.expect("the server tells where it is") }
    }

    /// Where the server is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends it as if the power went.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Bytes of memory that it has, where the system reports it.
    pub fn memory(&self) -> Option<usize> {
        resident(&self.child.id().to_string())
    }

    /// The most bytes of memory that it has had, where the system reports it.
    pub fn peak_memory(&self) -> Option<usize> {
        status(&self.child.id().to_string(), "VmHWM:")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input.take();
        let _ended = self.child.wait();
    }
}

/// Bytes of memory of a process (`self` for this one), where the system reports it.
pub fn resident(process: &str) -> Option<usize> {
    status(process, "VmRSS:")
}

/// A figure of the status of a process, in bytes.
fn status(process: &str, name: &str) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

//! A server in another process: this test program once more, as a server.

use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions};
use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const VARIABLE: &str = "BURN_REMOTE_TEST_SERVER";

/// A server that ends with this value, or with the test.
pub struct Process {
    child: Child,
    /// Into which the test runner of the child may still write.
    _output: Lines<BufReader<ChildStdout>>,
    /// The server ends when this is closed.
    input: Option<ChildStdin>,
    pub url: String,
}

/// What the test named `serve` does: nothing, unless it is run as a server.
pub fn serve(options: ServerOptions) {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let server = Server::start::<NdArray>(Default::default(), options).expect("there is a free port");
    println!("\nurl {}", server.url());
    let _end = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

impl Process {
    pub fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().expect("a test is a program"))
            .args(["--exact", "serve", "--nocapture"])
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

    /// As if the power went.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Bytes of memory that it has, where the system tells.
    pub fn memory(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input.take();
        let _ended = self.child.wait();
    }
}

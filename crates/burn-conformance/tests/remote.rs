//! A backend in another process, through a real connection, passes what the backend there passes.

use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_remote::server::{Server, ServerOptions};
use burn_remote::{Remote, RemoteDevice};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

const VARIABLE: &str = "BURN_CONFORMANCE_SERVER";

/// The server: this test in a program of its own. It ends when the other one does, whose end of the pipe is then closed.
#[test]
fn serve() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
    println!("\nurl {}", server.as_ref().expect("there is a free port").url());
    let _end = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

type Lines = std::io::Lines<BufReader<ChildStdout>>;

fn start_server() {
    // The child lives as long as the program, and so does its output, into which the test runner may still write.
    static CHILD: OnceLock<(Child, Lines)> = OnceLock::new();
    CHILD.get_or_init(|| {
        let mut child = Command::new(std::env::current_exe().expect("a test is a program"))
            .args(["--exact", "serve", "--nocapture"])
            .env(VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program can be started twice");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let url =
            lines.by_ref().map_while(Result::ok).find_map(|line| line.strip_prefix("url ").map(String::from));
        RemoteDevice::new(&url.expect("the server tells where it is")).set_default();
        (child, lines)
    });
}

burn_conformance::suite!(remote: super::Remote, before = super::start_server(), gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(autodiff: super::Autodiff<super::Remote>, before = super::start_server(), gaps = burn_conformance::known_gaps::NDARRAY);

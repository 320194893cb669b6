//! PyTorch in a process of its own that measures one batch whenever it is asked.

use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Worker threads of PyTorch spin for a while after their work; ours must not pay for that.
const REST: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(crate) struct Torch {
    process: RefCell<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Torch {
    pub(crate) fn start(python: &Path) -> Result<Self, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("torch/baseline.py");
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|cause| format!("{}: {cause}", python.display()))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Ok(Torch { process: RefCell::new(Process { child, questions, answers }) })
    }

    /// Nanoseconds per call of one batch of the workload.
    pub(crate) fn nanoseconds(&self, workload: &str) -> Result<f64, String> {
        let mut process = self.process.borrow_mut();
        let answer = process.ask(workload).map_err(|cause| format!("PyTorch baseline: {cause}"))?;
        std::thread::sleep(REST);
        let answer: Value = serde_json::from_str(&answer)
            .map_err(|cause| format!("PyTorch baseline: {cause}: {answer:?}"))?;
        answer["ns"].as_f64().ok_or(format!("PyTorch baseline: {answer}"))
    }
}

impl Process {
    fn ask(&mut self, workload: &str) -> std::io::Result<String> {
        let questions = self.questions.as_mut().expect("open until the end");
        writeln!(questions, "{workload}")?;
        questions.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its questions is the end of the script.
        self.questions = None;
        let _ = self.child.wait();
    }
}

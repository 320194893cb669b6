//! PyTorch in a process of its own that measures one batch whenever it is asked.

use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

/// Worker threads of PyTorch spin for some milliseconds after their work; ours must not pay for that.
const REST: Duration = Duration::from_millis(40);

/// Folder of the code that `torch.compile` makes.
const COMPILED: &str = "TORCHINDUCTOR_CACHE_DIR";

#[derive(Clone, Debug)]
pub(crate) struct Torch {
    python: PathBuf,
    process: Rc<RefCell<Process>>,
}

/// How PyTorch runs a workload.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// One operation after the other.
    Eager,
    /// Through `torch.compile`.
    Compiled,
}

#[derive(Debug)]
struct Process {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Torch {
    pub(crate) fn start(python: &Path) -> Result<Self, String> {
        Self::start_script(python, "torch/baseline.py")
    }

    /// Starts another script that answers the same questions.
    pub(crate) fn start_script(python: &Path, path: &str) -> Result<Self, String> {
        let mut command = script(python, path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|cause| format!("{}: {cause}", python.display()))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let process = Process { child, questions, answers };
        Ok(Torch { python: python.to_path_buf(), process: Rc::new(RefCell::new(process)) })
    }

    /// Nanoseconds per call of one batch of the workload. The first question for a workload prepares it.
    pub(crate) fn nanoseconds(&self, workload: &str, mode: Mode) -> Result<f64, String> {
        self.times(workload, mode).map(|(nanoseconds, _)| nanoseconds)
    }

    /// Nanoseconds of the clock and of the processors per call of one batch; the latter where the script
    /// counts them.
    pub(crate) fn times(&self, workload: &str, mode: Mode) -> Result<(f64, Option<f64>), String> {
        let question = json!({ "workload": workload, "compiled": matches!(mode, Mode::Compiled) });
        let answer = self.process.borrow_mut().ask(&question);
        let answer = answer.map_err(|cause| format!("baseline in Python: {cause}"))?;
        std::thread::sleep(REST);
        let answer: Value = serde_json::from_str(&answer)
            .map_err(|cause| format!("baseline in Python: {cause}: {answer:?}"))?;
        let nanoseconds = answer["ns"].as_f64().ok_or(format!("baseline in Python: {answer}"))?;
        Ok((nanoseconds, answer["processor_ns"].as_f64()))
    }

    /// The program that makes 50 calls of a workload and prints the most memory it ever had.
    pub(crate) fn memory(&self, workload: &str) -> Command {
        let mut command = script(&self.python, "torch/baseline.py");
        command.args(["--memory", workload]);
        command
    }
}

/// As many threads for PyTorch as rayon has.
fn script(python: &Path, path: &str) -> Command {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().filter(|threads| threads != "0");
    let machine = || std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let threads = asked.unwrap_or_else(machine);
    command.args(["--threads", &threads]);
    // Code compiled for other numbers of threads is slower, and a cache that is shared would give it out.
    if std::env::var_os(COMPILED).is_none() {
        command.env(COMPILED, std::env::temp_dir().join(format!("burn-benches-inductor-{threads}")));
    }
    // Without workers that compile in the background of what is measured.
    command.env("TORCHINDUCTOR_COMPILE_THREADS", "1");
    command
}

impl Process {
    fn ask(&mut self, question: &Value) -> std::io::Result<String> {
        let questions = self.questions.as_mut().expect("open until the end");
        writeln!(questions, "{question}")?;
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

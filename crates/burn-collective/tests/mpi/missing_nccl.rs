//! Ranks without an NCCL that they can use: none, an old one, and one without a GPU.

use crate::{ERRORS, errors, mpirun};
use burn::collective::{Communicator, Nccl};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Name of [`start`].
pub const PROGRAM: &str = "start_of_nccl";
/// Number of a GPU that no host has.
const GPU: usize = 999;

/// Functions of NCCL that the engine looks up, but for the version.
pub const FUNCTIONS: [&str; 16] = [
    "ncclAllGather",
    "ncclAllReduce",
    "ncclBroadcast",
    "ncclCommAbort",
    "ncclCommDestroy",
    "ncclCommGetAsyncError",
    "ncclCommInitRank",
    "ncclCommSplit",
    "ncclGetErrorString",
    "ncclGetLastError",
    "ncclGetUniqueId",
    "ncclGroupEnd",
    "ncclGroupStart",
    "ncclRecv",
    "ncclReduceScatter",
    "ncclSend",
];

/// Starts NCCL, and prints the error.
pub fn start(group: &Communicator) -> ExitCode {
    let error = Nccl::init(group, GPU).expect_err("no host has this GPU");
    eprintln!("rank {}: {error}", group.rank());
    // The launcher ends the others when the first one has ended.
    group.barrier().expect("ranks that all failed to start are in step");
    ExitCode::FAILURE
}

/// Compiles a library.
pub fn compile(folder: &Path, name: &str, text: &str) -> PathBuf {
    let source = folder.join(format!("{name}.c"));
    fs::write(&source, text).unwrap();
    let library = folder.join(name);
    let mut compiler = Command::new("cc");
    let status = compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(status.expect("Rust links with `cc`").success());
    library
}

/// Compiles a library with the functions of NCCL, which is of `version`.
fn library(folder: &Path, version: u32) -> PathBuf {
    let functions = FUNCTIONS.map(|name| format!("int {name}(void) {{ return 1; }}\n")).concat();
    let text = format!("{functions}int ncclGetVersion(int *version) {{ *version = {version}; return 0; }}\n");
    compile(folder, &format!("libnccl-{version}.so"), &text)
}

pub fn starts() {
    let folder = tempfile::tempdir().unwrap();
    let current = library(folder.path(), 21_801);
    let libraries: [(&Path, &[&str]); 3] = [
        (
            Path::new("/nowhere/libnccl.so.2"),
            &["BURN_NCCL_LIBRARY: /nowhere/libnccl.so.2", "Set it to the path"],
        ),
        (&library(folder.path(), 21_403), &["NCCL is 2.14.3; expected 2.18.1 or newer. Install a newer one"]),
        // Hosts with a GPU have none of that number, others have no driver.
        (&current, &["GPU", "host"]),
    ];
    for (path, expected) in libraries {
        let mut command = mpirun(PROGRAM, 2);
        let output = command.env("BURN_NCCL_LIBRARY", path).env(ERRORS, folder.path()).output().unwrap();
        assert!(!output.status.success());
        let text = errors(folder.path(), 2);
        for rank in [0, 1] {
            let start = format!("rank {rank}: Nccl: rank {rank}: ");
            let line = text.lines().find_map(|line| line.strip_prefix(start.as_str()));
            let line = line.unwrap_or_else(|| panic!("{start}\nis not in\n{text}"));
            assert!(expected.iter().all(|expected| line.contains(expected)), "{line}");
        }
    }
}

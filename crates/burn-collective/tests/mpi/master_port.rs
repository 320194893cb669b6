//! Ranks that would find each other at a port which another process has, without a GPU: a driver and an NCCL
//! of the test take the place of NVIDIA's.

use crate::RANK;
use crate::missing_nccl::{FUNCTIONS, compile};
use burn::collective::Nccl;
use std::env::current_exe;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Name of [`start`].
pub const PROGRAM: &str = "start_of_nccl_at_a_port";
/// Variable with the folder in which each rank that waits for the others makes a file.
const WAITING: &str = "COLLECTIVE_TEST_WAITING";

/// Functions of the driver that the start of NCCL calls, and names of the others.
const DRIVER: &str = "int cuInit(unsigned flags) { return 0; }
int cuDeviceGetCount(int *count) { *count = 8; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = 0; return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
";
const OTHERS_OF_DRIVER: [&str; 13] = [
    "cuGetErrorString",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// A rank waits as NCCL does for a process that never answers.
const NCCL: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct { char bytes[128]; } Id;
int ncclGetVersion(int *version) { *version = 21801; return 0; }
int ncclGetUniqueId(Id *id) { return 0; }
int ncclCommInitRank(void **comm, int ranks, Id id, int rank) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", getenv("COLLECTIVE_TEST_WAITING"), rank);
    fclose(fopen(path, "w"));
    for (;;) pause();
}
"#;

/// Starts NCCL with the variables of the launcher, and prints the error.
pub fn start() -> ExitCode {
    let error = Nccl::from_environment(0).expect_err("another process has the port");
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// Compiles the libraries.
fn libraries(folder: &Path) {
    let empty =
        |names: &[&str]| names.iter().map(|name| format!("int {name}(void) {{ return 1; }}\n")).collect();
    let driver: String = empty(&OTHERS_OF_DRIVER);
    compile(folder, "libcuda.so.1", &format!("{DRIVER}{driver}"));
    let others: Vec<&str> = FUNCTIONS
        .into_iter()
        .filter(|name| !["ncclGetUniqueId", "ncclCommInitRank"].contains(name))
        .collect();
    let nccl: String = empty(&others);
    compile(folder, "libnccl.so.2", &format!("{NCCL}{nccl}"));
}

pub fn is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    libraries(folder.path());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    // Rank 0 comes last, when the others wait for it. `burn-launch` itself takes no port that is in use.
    let rank = format!(
        "if [ $RANK = 0 ]; then until [ -e ${WAITING}/1 ] && [ -e ${WAITING}/2 ]; do sleep 0.01; done; fi; \
         MASTER_PORT={port} exec \"$0\" \"$@\""
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_burn-launch"));
    command.args(["-n", "3", "sh", "-c", &rank]).arg(current_exe().unwrap()).args([RANK, PROGRAM]);
    command
        .env("LD_LIBRARY_PATH", folder.path())
        .env("BURN_NCCL_LIBRARY", folder.path().join("libnccl.so.2"));
    let output = command.env(WAITING, folder.path()).output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let waited = |rank: usize, others: &str| {
        format!(
            "[{rank}] Nccl at 127.0.0.1:{port} (MASTER_ADDR and MASTER_PORT): rank {rank} was asked to end (SIGTERM) while it \
             waited; expected all ranks, got none of {others}. Look for the error of the rank that ended first"
        )
    };
    let own = format!(
        "[0] environment: variable MASTER_PORT: expected a port that is free on the host of rank 0, got {port} on rank 0: "
    );
    for expected in [own, waited(1, "[0, 2]"), waited(2, "[0, 1]")] {
        assert!(text.contains(&expected), "{expected}\nis not in\n{text}");
    }
}

//! Libraries of MPI that are not known, which a C compiler makes.

use crate::kills::alone;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Functions that the engine looks up, but for that of the version.
const FUNCTIONS: [&str; 15] = [
    "MPI_Comm_dup",
    "MPI_Comm_get_attr",
    "MPI_Comm_rank",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_size",
    "MPI_Error_string",
    "MPI_Finalize",
    "MPI_Get_count",
    "MPI_Init_thread",
    "MPI_Initialized",
    "MPI_Iprobe",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Recv",
    "MPI_Test",
];

/// Compiles a library with these functions, whose version is `version`.
fn library(folder: &Path, name: &str, functions: &[&str], version: &str) -> PathBuf {
    let source = folder.join(format!("{name}.c"));
    let functions: String =
        functions.iter().map(|name| format!("int {name}(void) {{ return 1; }}\n")).collect();
    let text = format!(
        "#include <string.h>\n{functions}int MPI_Get_library_version(char *text, int *length) {{\n    \
         strcpy(text, \"{version}\");\n    *length = (int)strlen(text);\n    return 0;\n}}\n"
    );
    fs::write(&source, text).unwrap();
    let library = folder.join(format!("lib{name}.so"));
    let mut compiler = Command::new("cc");
    let status = compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(status.expect("Rust links with `cc`").success());
    library
}

pub fn is_named() {
    let folder = tempfile::tempdir().unwrap();
    let start = |library: &Path| alone(&[("BURN_MPI_LIBRARY", library.to_str().unwrap()), ("RANK", "3")]);
    let other = library(folder.path(), "other", &FUNCTIONS, "Other MPI 7.1");
    let text = start(&other);
    assert!(
        text.contains("Mpi::init: rank 3: the MPI library is neither Open MPI nor of the MPICH"),
        "{text}"
    );
    assert!(text.contains("but: Other MPI 7.1. Set BURN_MPI_LIBRARY"), "{text}");
    // One of a time before threads.
    let functions: Vec<&str> = FUNCTIONS.into_iter().filter(|name| *name != "MPI_Init_thread").collect();
    let text = start(&library(folder.path(), "old", &functions, "MPICH 1"));
    assert!(text.contains("the MPI library has no function MPI_Init_thread. Install Open MPI 4"), "{text}");
}

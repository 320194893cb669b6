//! Processes whose system calls are filtered, as in a container without `CAP_SYS_PTRACE`.

use crate::mpirun;
use crate::tensors::{numbers, values, vector};
use burn::collective::{Communicator, Reduction};
use std::process::ExitCode;

/// Name of [`large_messages`].
pub const PROGRAM: &str = "large_messages_under_a_filter";
/// Variable in which Open MPI is told how to move large messages.
const MECHANISM: &str = "OMPI_MCA_btl_vader_single_copy_mechanism";

/// Refuses the system calls by which a process reads and writes the memory of another, with `EPERM`.
#[cfg(target_os = "linux")]
pub fn refuse_single_copies() {
    let load = libc::sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    let is_call = |number: i64, skip: u8| libc::sock_filter { code: 0x15, jt: skip, jf: 0, k: number as u32 };
    let end = |action: u32| libc::sock_filter { code: 0x06, jt: 0, jf: 0, k: action };
    let mut filter = [
        load,
        is_call(libc::SYS_process_vm_readv, 2),
        is_call(libc::SYS_process_vm_writev, 1),
        end(libc::SECCOMP_RET_ALLOW),
        end(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the filter, whose jumps stay inside of it.
    let codes = unsafe {
        [
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program),
        ]
    };
    assert_eq!(codes, [0, 0], "the filter of system calls is refused");
}

/// Moves messages that are larger than those which Open MPI copies through shared memory by itself.
pub fn large_messages(group: &Communicator) -> ExitCode {
    assert_eq!(std::env::var(MECHANISM).as_deref(), Ok("none"));
    let (rank, ranks) = (group.rank(), group.world_size());
    for count in [3, 100_000, 1_000_000] {
        let sum = group.all_reduce(vector(&numbers(rank, count)), Reduction::Sum).map(values).unwrap();
        let mut expected = numbers(0, count);
        for other in 1..ranks {
            expected.iter_mut().zip(numbers(other, count)).for_each(|(sum, value)| *sum += value);
        }
        assert!(sum == expected, "{count} numbers");
    }
    ExitCode::SUCCESS
}

pub fn filtered_system_calls() {
    let mut command = mpirun(PROGRAM, 2);
    let output = command.env_remove(MECHANISM).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !text.contains("Read -1"), "{text}");
}

//! Whether processes of this host may read each other's memory, as Open MPI does by default.

use std::env;

/// Components of Open MPI that move messages between the processes of a host: up to version 4, and from 5 on.
const VARIABLES: [&str; 2] =
    ["OMPI_MCA_btl_vader_single_copy_mechanism", "OMPI_MCA_btl_sm_single_copy_mechanism"];

/// Keeps Open MPI from reading the memory of other processes where the system refuses that, as the filter of
/// system calls in many containers does: large messages would fail with `Read -1, expected .., errno = 1`.
/// They are copied through shared memory then. A variable that is set is left as it is.
pub fn turn_off_where_refused() {
    if is_allowed() {
        return;
    }
    for variable in VARIABLES {
        if env::var_os(variable).is_none() {
            // SAFETY: the library reads the variable when it is initialized, which comes next, and sets some
            // itself; a program that starts its ranks has no thread that reads variables.
            unsafe { env::set_var(variable, "none") };
        }
    }
}

/// Returns whether the system call by which Open MPI reads from other processes works at all. A process may
/// always read from itself, so only a filter of system calls refuses that.
#[cfg(target_os = "linux")]
fn is_allowed() -> bool {
    let (from, mut to) = ([1_u8; 8], [0_u8; 8]);
    let remote = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    // SAFETY: both buffers are as long as their vectors say, and the call only writes to `to`.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    read == 8 && to == from
}

#[cfg(not(target_os = "linux"))]
fn is_allowed() -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{VARIABLES, is_allowed, turn_off_where_refused};
    use std::env;

    #[test]
    fn variables_are_set_only_where_the_call_is_refused() {
        let before = VARIABLES.map(env::var_os);
        turn_off_where_refused();
        if is_allowed() {
            assert_eq!(VARIABLES.map(env::var_os), before);
        } else {
            assert!(VARIABLES.iter().all(|variable| env::var_os(variable).is_some()));
        }
    }
}

//! The most memory that a process ever had.

use crate::workloads::alone;
use std::process::Command;

/// A program that prints how many bytes it had at its peak.
pub(crate) struct Peak {
    program: Command,
}

impl Peak {
    pub(crate) fn new(program: Command) -> Self {
        Peak { program }
    }

    /// Runs the program.
    pub(crate) fn bytes(&mut self) -> Result<f64, String> {
        let output = self.program.output().map_err(|cause| format!("{:?}: {cause}", self.program))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let complaint = || format!("{:?}: {text}{}", self.program, String::from_utf8_lossy(&output.stderr));
        text.trim().parse().map_err(|_| complaint())
    }
}

/// Makes 50 calls of a workload and prints the bytes at the peak: what [`Peak`] runs.
pub(crate) fn print_peak(workload: &str) -> Result<(), String> {
    let mut call = alone(workload).ok_or(format!("no workload {workload} runs alone"))?;
    (0..50).for_each(|_| call());
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|cause| format!("the peak of memory is known on Linux only: {cause}"))?;
    println!("{}", peak_in(&status).ok_or("/proc/self/status has no VmHWM")?);
    Ok(())
}

/// The line of the peak is `VmHWM:    12345 kB`.
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::peak_in;

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(peak_in("VmPeak:\t    9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2 * 1024 * 1024));
        assert_eq!(peak_in("VmRSS:\t 1 kB\n"), None);
    }
}

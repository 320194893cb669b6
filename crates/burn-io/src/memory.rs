use std::fs;

/// Returns how many bytes of memory this machine has left for programs, where the system says so (Linux).
///
/// It is what the kernel estimates to be free without swapping, and at most the limit of the control group.
///
/// ```
/// assert!(burn_io::available_memory().is_none_or(|bytes| bytes > 0));
/// ```
pub fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let machine = available_in(&text)?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok());
    Some(group.map_or(machine, |group: u64| machine.min(group)))
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::available_in;

    #[test]
    fn the_line_of_meminfo_is_in_kibibytes() {
        let text = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(available_in(text), Some(23_000_000 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much kB\n"), None);
    }
}

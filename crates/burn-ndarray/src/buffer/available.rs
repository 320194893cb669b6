//! Memory that the machine can still give, as Linux says it.

use std::fs;
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec::Vec;

/// Blocks from this size on are only made when this much is available. Smaller ones would pay for the question.
pub const ASKED_FROM: usize = 256 << 20;

/// Bytes that a program can take without being ended for it: free memory and swap of the machine, and what the limits of
/// the control groups of the process leave.
pub fn available() -> Option<usize> {
    let groups = limits().into_iter().filter_map(|(folder, files)| left(&folder, files));
    machine().into_iter().chain(groups).min()
}

fn machine() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |name| number_after(&text, name);
    Some((kib("MemAvailable:")? + kib("SwapFree:").unwrap_or(0)) << 10)
}

/// The number that stands after `name` at the start of a line.
fn number_after(text: &str, name: &str) -> Option<usize> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Where a version of control groups says what they may use and do use, and the names of pages of files, which are given
/// up for others.
#[derive(Clone, Copy)]
struct Files {
    root: &'static str,
    limit: &'static str,
    usage: &'static str,
    cached: [&'static str; 2],
}

const FIRST: Files = Files {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_active_file ", "total_inactive_file "],
};
const SECOND: Files = Files {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    cached: ["active_file ", "inactive_file "],
};

/// The groups of the process and those that they are in.
fn limits() -> Vec<(PathBuf, Files)> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let files = match controllers {
            "" => SECOND,
            controllers if controllers.split(',').any(|name| name == "memory") => FIRST,
            _ => continue,
        };
        // In a container the path may be one of the host, where only the root is visible.
        let path = Path::new(path.trim_start_matches('/'));
        limits.extend(path.ancestors().map(|group| (Path::new(files.root).join(group), files)));
    }
    limits
}

/// What the group leaves; none where it has no limit.
fn left(folder: &Path, files: Files) -> Option<usize> {
    let read = |name: &str| -> Option<String> { fs::read_to_string(folder.join(name)).ok() };
    let number = |name| -> Option<usize> { read(name)?.trim().parse().ok() };
    let (limit, usage) = (number(files.limit)?, number(files.usage)?);
    let pages = read("memory.stat").unwrap_or_default();
    let cached: usize = files.cached.iter().filter_map(|name| number_after(&pages, name)).sum();
    Some(limit.saturating_sub(usage.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_memory_is_available_and_no_more_than_there_is() {
        let text = fs::read_to_string("/proc/meminfo").expect("Linux says it");
        let all = (number_after(&text, "MemTotal:").expect("a line") << 10)
            + (number_after(&text, "SwapTotal:").expect("a line") << 10);
        let available = available().expect("Linux says it");
        assert!((1 << 20..all).contains(&available), "{available} of {all}");
    }

    #[test]
    fn a_group_leaves_what_is_not_used_but_by_pages_of_files() {
        let folder = std::env::temp_dir().join(std::format!("burn-ndarray-group-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        write("memory.stat", "anon 600\nactive_file 60\ninactive_file 40\n");
        assert_eq!(left(&folder, SECOND), None);
        write("memory.max", "1000\n");
        assert_eq!(left(&folder, SECOND), Some(400));
        write("memory.max", "500\n");
        assert_eq!(left(&folder, SECOND), Some(0));
        fs::remove_dir_all(&folder).expect("it was there");
    }
}

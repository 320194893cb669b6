//! Memory of the host that a program can still have.

use crate::{Element, OpError, OpErrorKind, Shape, TensorSpec};
use alloc::vec::Vec;

/// Size in bytes from which available memory is checked. For smaller requests the check would cost too much.
const LARGE: usize = 256 << 20;

/// Returns the bytes that the process can allocate without being killed: free memory and swap of the machine,
/// capped by the limits of the control groups of the process. `None` where that is unknown, which is
/// everywhere but on Linux.
#[must_use]
pub fn available() -> Option<usize> {
    #[cfg(all(feature = "std", target_os = "linux"))]
    return linux::available();
    #[cfg(not(all(feature = "std", target_os = "linux")))]
    None
}

/// Returns whether `bytes` can be allocated. Linux overcommits memory, and kills a process that uses too
/// much.
#[must_use]
pub fn is_available(bytes: usize) -> bool {
    bytes < LARGE || available().is_none_or(|available| bytes <= available)
}

/// Allocates an empty vector with capacity for the elements of `shape`.
///
/// # Errors
/// When there is no memory for them: [`OpErrorKind::Memory`].
pub fn reserve<E: Element>(shape: impl Into<Shape>) -> Result<Vec<E>, OpError> {
    let spec = TensorSpec::new(shape.into(), E::DTYPE);
    let len = spec.shape.checked_num_elements();
    let bytes = len.and_then(|len| len.checked_mul(size_of::<E>()));
    let mut list = Vec::new();
    match (len, bytes) {
        (Some(len), Some(bytes)) if is_available(bytes) && list.try_reserve_exact(len).is_ok() => Ok(list),
        _ => Err(out_of_memory(Some(spec), bytes)),
    }
}

/// Creates the error of a call whose allocation of `bytes` failed, for a tensor or else as workspace; `None`
/// for a size that overflows.
#[must_use]
pub fn out_of_memory(spec: Option<TensorSpec>, bytes: Option<usize>) -> OpError {
    // A limit of the process may be below what the machine has.
    let available = available().filter(|&available| bytes.is_none_or(|bytes| bytes > available));
    OpError { op: "allocation", kind: OpErrorKind::Memory { spec, bytes, available }.into() }
}

#[cfg(all(feature = "std", target_os = "linux"))]
mod linux {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::string::String;
    use std::vec::Vec;

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

    /// Files of a control group version with its limit and usage, and the names of its reclaimable page cache
    /// counters.
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

    /// Returns the memory that the control group has left; `None` without a limit.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn memory_that_nobody_has_is_an_error_that_says_how_much() {
        let text = |shape: &[usize]| reserve::<f64>(shape.to_vec()).expect_err("nobody has it").to_string();
        assert!(
            text(&[1 << 60]).starts_with("allocation: [1152921504606846976] f64 takes 8.00 EiB of memory")
        );
        assert!(text(&[usize::MAX, 2]).contains("f64 takes more memory than can be counted"));
        assert_eq!(reserve::<f32>([3, 5]).map(|list| list.capacity()), Ok(15));
    }

    #[test]
    fn what_is_available_is_said_only_where_it_is_less() {
        let text = |bytes| {
            let spec = TensorSpec::new([bytes / 4], DType::F32);
            OpErrorKind::Memory { spec: Some(spec), bytes: Some(bytes), available: None }
        };
        let error = OpError { op: "zeros", kind: text(4 << 20).into() };
        assert_eq!(
            error.to_string(),
            "zeros: [1048576] f32 takes 4.00 MiB of memory, which is not available"
        );
    }
}

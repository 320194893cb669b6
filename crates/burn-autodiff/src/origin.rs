//! Source locations of calls, for anomaly detection.

#[cfg(feature = "std")]
use alloc::string::{String, ToString};
use burn_backend::anomaly;
use core::fmt;

/// Source location of a call.
#[derive(Debug)]
pub struct Origin {
    #[cfg(feature = "std")]
    calls: std::backtrace::Backtrace,
}

impl Origin {
    /// Returns the current source location, if anomaly detection is on.
    pub fn here() -> Option<Self> {
        if anomaly::is_on() { Some(Origin::now()) } else { None }
    }

    #[cold]
    pub fn now() -> Self {
        Origin {
            #[cfg(feature = "std")]
            calls: std::backtrace::Backtrace::force_capture(),
        }
    }
}

/// The innermost call that is not in one of our crates, nor in what those call.
#[cfg(feature = "std")]
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls.to_string();
        let mut lines = calls.lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            let Some((_, function)) = line.split_once(": ") else { continue };
            match lines.next_if(|next| next.starts_with("at ")).map(|next| &next[3..]) {
                Some(place) if is_ours(place) => {}
                Some(place) => return write!(f, "{place} (in {function})"),
                None if is_our_function(function) => {}
                None => return f.write_str(function),
            }
        }
        f.write_str("a place that the program has no debug information about")
    }
}

#[cfg(feature = "std")]
const CRATES: [&str; 14] = [
    "autodiff", "backend", "core", "dataset", "fusion", "ir", "ndarray", "nn", "optim", "remote", "router",
    "tensor", "train", "vision",
];

/// Whether a file is of Burn (`../crates/burn-nn/src/..`, `../burn-nn-0.1.0/src/..`) or of the standard
/// library.
#[cfg(feature = "std")]
fn is_ours(place: &str) -> bool {
    let is_burn = |folder: &str| {
        let name = folder.strip_prefix("burn-");
        let name = name.map(|name| name.split_once('-').map_or(name, |(name, _version)| name));
        name.is_some_and(|name| CRATES.contains(&name))
    };
    place.starts_with("/rustc/") || place.contains("/library/") || place.split(['/', '\\']).any(is_burn)
}

/// Whether a function is of Burn (`burn_nn::..`, `<burn_nn::.. as ..>::..`, `<T as burn_nn::..>::..`) or of
/// the standard library, for programs without lines.
#[cfg(feature = "std")]
fn is_our_function(function: &str) -> bool {
    let start = |path: &str| path.trim_start_matches(['<', '&']).trim_start_matches("mut ").to_string();
    let (own, of) = match function.split_once(" as ") {
        Some((own, of)) => (start(own), start(of)),
        None => (start(function), String::new()),
    };
    // A parameter of a generic implementation says nothing; its trait does.
    let path = if own.contains("::") || of.is_empty() { own } else { of };
    match path.split_once("::") {
        Some((name, _)) => {
            let is_burn = name.strip_prefix("burn_").is_some_and(|name| CRATES.contains(&name));
            is_burn || ["std", "core", "alloc"].contains(&name)
        }
        // Entry points of a program or a thread, and names without a path.
        None => path.starts_with('_') || path.starts_with("rust_"),
    }
}

#[cfg(not(feature = "std"))]
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a place that is not known without the standard library")
    }
}

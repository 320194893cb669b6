//! Processes of the ranks, for finding those that died.

use std::fs;
use std::process;

/// Process of a rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    /// Host and process-id namespace in which `process_id` counts.
    host: String,
    process_id: u32,
    /// Time at which the process started: its number may be given to another one later.
    start_time: String,
}

impl Peer {
    /// Returns this process.
    pub fn this() -> Self {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let process_id = process::id();
        let host = format!("{} {}", boot.trim(), namespace.display());
        Peer { host, process_id, start_time: start_time(process_id).unwrap_or_default() }
    }

    pub fn encode(&self) -> Vec<u8> {
        format!("{}\n{}\n{}", self.host, self.process_id, self.start_time).into_bytes()
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8(bytes.to_vec()).ok()?;
        let mut lines = text.lines().map(str::to_string);
        let (host, process_id) = (lines.next()?, lines.next()?.parse().ok()?);
        Some(Peer { host, process_id, start_time: lines.next()? })
    }

    /// Returns whether this process can see that the other one is gone. Processes of other hosts cannot be
    /// seen.
    pub fn is_gone(&self, own: &Peer) -> bool {
        let is_visible = !self.start_time.is_empty() && self.host == own.host;
        is_visible && start_time(self.process_id).as_ref() != Some(&self.start_time)
    }
}

/// Returns the start time of a process that runs, on Linux.
fn start_time(process_id: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process_id}/stat")).ok()?;
    // The name of the program comes before, in parentheses, and may have spaces.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let is_running = !matches!(state, "Z" | "X" | "x");
    fields.nth(18).filter(|_| is_running).map(str::to_string)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Peer;
    use std::process::Command;

    #[test]
    fn peer_that_was_killed_is_gone() {
        let own = Peer::this();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let start_time = super::start_time(child.id()).unwrap();
        let other = Peer { process_id: child.id(), start_time, ..own.clone() };
        assert_eq!(Peer::decode(&other.encode()), Some(other.clone()));
        assert!(!other.is_gone(&own) && !own.is_gone(&own));
        child.kill().unwrap();
        // Not yet waited for: it is a zombie.
        while !other.is_gone(&own) {
            std::thread::yield_now();
        }
        let elsewhere = Peer { host: "another host".into(), ..other };
        assert!(!elsewhere.is_gone(&own));
        child.wait().unwrap();
    }
}

//! State shared by the ranks of a group of threads.

use super::inbox::Inbox;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Hubs of groups that are being made, with the number of members that took them.
type Splits = BTreeMap<(u64, usize), (Arc<Hub>, usize)>;

#[derive(Debug)]
pub struct Hub {
    pub inboxes: Vec<Inbox>,
    /// Groups made of this one, by the count of splits before and the number of the group, until all members
    /// have them; and how many have.
    splits: Mutex<Splits>,
}

impl Hub {
    pub fn new(world_size: usize) -> Arc<Self> {
        let inboxes = (0..world_size).map(|_| Inbox::new(world_size)).collect();
        Arc::new(Hub { inboxes, splits: Mutex::default() })
    }

    /// Returns the group that `members` ranks share; the first of them makes it.
    pub fn split(&self, number: (u64, usize), members: usize) -> Arc<Hub> {
        let mut splits = self.splits.lock().unwrap_or_else(PoisonError::into_inner);
        let (hub, taken) = splits.entry(number).or_insert_with(|| (Hub::new(members), 0));
        let hub = hub.clone();
        *taken += 1;
        if *taken == members {
            splits.remove(&number);
        }
        hub
    }
}

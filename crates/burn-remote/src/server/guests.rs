use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::oneshot;

/// Connections that have no session yet. A new one is always accepted: the oldest is closed for it, so that
/// idle connections cannot keep others out.
#[derive(Debug)]
pub struct Guests {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// The oldest first. Dropping the sender closes the connection.
    by_age: BTreeMap<u64, oneshot::Sender<()>>,
}

/// Slot of one connection, freed when it is dropped.
#[derive(Debug)]
pub struct Guest {
    guests: Arc<Guests>,
    number: u64,
    place: oneshot::Receiver<()>,
}

impl Guests {
    /// Creates room for `most` connections, at least one.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Guests { most: most.max(1), open: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().expect("no panic while locked")
    }

    /// Returns the slot of a new connection. If none is free, the oldest guest loses its own.
    pub fn enter(self: &Arc<Self>) -> Guest {
        let (sender, place) = oneshot::channel();
        let mut open = self.lock();
        if open.by_age.len() >= self.most {
            open.by_age.pop_first();
        }
        let number = open.next;
        open.next += 1;
        open.by_age.insert(number, sender);
        Guest { guests: self.clone(), number, place }
    }

    /// Closes the oldest connection, for a system that has no more of them.
    pub fn close_oldest(&self) {
        self.lock().by_age.pop_first();
    }
}

impl Guest {
    /// Waits until a younger guest has taken the slot.
    pub async fn is_closed(&mut self) {
        // Nothing is ever sent.
        let _closed = (&mut self.place).await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.guests.lock().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(guest: &mut Guest) -> bool {
        matches!(guest.place.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    #[test]
    fn the_oldest_guest_loses_its_place_to_the_youngest() {
        let guests = Guests::new(2);
        let mut first = guests.enter();
        let mut second = guests.enter();
        assert!(is_open(&mut first) && is_open(&mut second));
        let mut third = guests.enter();
        assert!(!is_open(&mut first) && is_open(&mut second) && is_open(&mut third));
        // A guest that leaves makes room.
        drop(second);
        let mut fourth = guests.enter();
        assert!(is_open(&mut third) && is_open(&mut fourth));
        // A guest that lost its slot leaves those of others alone.
        drop(first);
        assert!(is_open(&mut third) && is_open(&mut fourth));
        guests.close_oldest();
        assert!(!is_open(&mut third) && is_open(&mut fourth));
    }
}

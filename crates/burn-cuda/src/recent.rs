use std::collections::HashMap;
use std::hash::Hash;

/// Cache that evicts the least recently used key (LRU).
#[derive(Debug)]
pub struct Recent<K, V> {
    most: usize,
    /// Number of accesses so far.
    now: u64,
    /// Values with the number of their last access.
    kept: HashMap<K, (u64, V)>,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    /// Creates a cache of at most `most` keys.
    pub fn new(most: usize) -> Self {
        Recent { most, now: 0, kept: HashMap::new() }
    }

    pub fn get(&mut self, key: &K) -> Option<&V> {
        self.now += 1;
        let (asked, value) = self.kept.get_mut(key)?;
        *asked = self.now;
        Some(value)
    }

    /// Inserts `value`, and returns the value it replaces, or evicts as least recently used.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.now += 1;
        let mut left = None;
        if self.kept.len() >= self.most && !self.kept.contains_key(&key) {
            let oldest = self.kept.iter().min_by_key(|(_, (asked, _))| *asked).map(|(key, _)| key.clone());
            left = oldest.and_then(|oldest| self.kept.remove(&oldest));
        }
        let replaced = self.kept.insert(key, (self.now, value));
        left.or(replaced).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_is_asked_for_stays() {
        let mut recent = Recent::new(3);
        for key in 0..3 {
            assert_eq!(recent.insert(key, key * 10), None);
        }
        assert_eq!(recent.get(&0), Some(&0));
        assert_eq!(recent.insert(3, 30), Some(10));
        assert_eq!(recent.get(&2), Some(&20));
        assert_eq!(recent.insert(4, 40), Some(0));
        assert_eq!(recent.insert(5, 50), Some(30));
        let found: Vec<_> = (0..6).filter(|key| recent.get(key).is_some()).collect();
        assert_eq!(found, [2, 4, 5]);
    }

    #[test]
    fn a_key_that_is_there_makes_nobody_leave() {
        let mut recent = Recent::new(2);
        recent.insert('a', 1);
        recent.insert('b', 2);
        assert_eq!(recent.insert('a', 3), Some(1));
        assert_eq!((recent.get(&'a').copied(), recent.get(&'b').copied()), (Some(3), Some(2)));
    }
}

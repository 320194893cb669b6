use std::collections::{BTreeMap, BTreeSet};

/// Owners of pages, and which are free.
///
/// Pages are given in runs of neighbours where possible, because neighbours are read without a copy.
#[derive(Clone, Debug)]
pub struct PagePool {
    owners: Vec<u32>,
    free: BTreeSet<usize>,
    /// Pages without an owner whose content may be wanted again, by the time of their release.
    idle: BTreeMap<u64, usize>,
    idle_since: Vec<Option<u64>>,
    clock: u64,
}

impl PagePool {
    pub fn new(pages: usize) -> Self {
        PagePool {
            owners: vec![0; pages],
            free: (0..pages).collect(),
            idle: BTreeMap::new(),
            idle_since: vec![None; pages],
            clock: 0,
        }
    }

    /// The number of pages that can be given.
    pub fn available(&self) -> usize {
        self.free.len() + self.idle.len()
    }

    /// Whether a page has several owners.
    pub fn is_shared(&self, page: usize) -> bool {
        self.owners[page] > 1
    }

    /// Adds an owner to a page with content.
    pub fn share(&mut self, page: usize) {
        if let Some(since) = self.idle_since[page].take() {
            self.idle.remove(&since);
        }
        self.owners[page] += 1;
    }

    /// Removes an owner. A page without any is free, or idle if its content is worth keeping.
    pub fn release(&mut self, page: usize, keep: bool) {
        self.owners[page] -= 1;
        if self.owners[page] > 0 {
            return;
        }
        if keep {
            self.clock += 1;
            self.idle.insert(self.clock, page);
            self.idle_since[page] = Some(self.clock);
        } else {
            self.free.insert(page);
        }
    }

    /// Gives `count` pages, after page `last` if they are free; the content of the second list of pages is
    /// lost. `None` if there are not as many.
    pub fn take(&mut self, count: usize, last: Option<usize>) -> Option<(Vec<usize>, Vec<usize>)> {
        if count > self.available() {
            return None;
        }
        let mut evicted = Vec::new();
        let mut pages = self.neighbours(count, last);
        while pages.is_none() && self.free.len() < count {
            let (_, page) = self.idle.pop_first()?;
            self.idle_since[page] = None;
            self.free.insert(page);
            evicted.push(page);
            pages = self.neighbours(count, last).filter(|_| self.free.len() >= count);
        }
        let pages = pages.unwrap_or_else(|| self.longest_runs(count));
        for page in &pages {
            self.free.remove(page);
            self.owners[*page] = 1;
        }
        Some((pages, evicted))
    }

    /// `count` neighbours that are free: after `last`, or in the smallest gap that has as many.
    fn neighbours(&self, count: usize, last: Option<usize>) -> Option<Vec<usize>> {
        let after = last.map_or(0, |last| last + 1);
        let runs = self.runs();
        let follows = |(start, length): &&(usize, usize)| *start <= after && after + count <= start + length;
        if last.is_some() && runs.iter().any(|run| follows(&run)) {
            return Some((after..after + count).collect());
        }
        let fitting = runs.iter().filter(|(_, length)| *length >= count).min_by_key(|(_, length)| *length);
        fitting.map(|(start, _)| (*start..start + count).collect())
    }

    fn longest_runs(&self, count: usize) -> Vec<usize> {
        let mut runs = self.runs();
        runs.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
        runs.into_iter().flat_map(|(start, length)| start..start + length).take(count).collect()
    }

    /// Free pages as first page and length.
    fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for page in &self.free {
            match runs.last_mut() {
                Some((start, length)) if *start + *length == *page => *length += 1,
                _ => runs.push((*page, 1)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::PagePool;

    #[test]
    fn page_pool_gives_neighbours_and_evicts_the_oldest_first() {
        let mut pool = PagePool::new(8);
        let (first, _) = pool.take(3, None).unwrap();
        let (second, _) = pool.take(2, None).unwrap();
        assert_eq!((&first[..], &second[..]), (&[0, 1, 2][..], &[3, 4][..]));
        for page in first {
            pool.release(page, true);
        }
        assert_eq!(pool.available(), 6);
        assert_eq!(pool.take(3, Some(4)).unwrap(), (vec![5, 6, 7], vec![]));
        // Only idle pages are left; those released first lose their content.
        assert_eq!(pool.take(2, None).unwrap(), (vec![0, 1], vec![0, 1]));
        assert!(pool.available() == 1 && pool.take(2, None).is_none());
    }

    #[test]
    fn page_pool_keeps_a_page_as_long_as_it_has_an_owner() {
        let mut pool = PagePool::new(2);
        let (pages, _) = pool.take(1, None).unwrap();
        pool.share(pages[0]);
        pool.release(pages[0], false);
        assert_eq!(pool.available(), 1);
        pool.release(pages[0], false);
        assert_eq!(pool.available(), 2);
    }
}

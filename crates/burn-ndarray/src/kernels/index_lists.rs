//! Positions of indices, in a list for each thread.

use crate::memory::Buffer;
use crate::miri::shrink;

/// Sets of indices that are counted: their counters fill half of a first cache.
const SETS: usize = shrink(1 << 12, 1 << 2);

/// Lists of positions, in order within each, such that equal indices are in one list.
pub struct IndexLists {
    positions: Buffer,
    /// The end of each list, in `positions`.
    ends: Buffer,
}

impl IndexLists {
    /// Divides the positions of indices below `size` into lists that are about equally long, unless they are
    /// too many for 32 bits or there is no memory.
    pub fn new(indices: &[i64], size: usize, lists: usize) -> Option<Self> {
        let count = u32::try_from(indices.len()).ok().filter(|&count| count > 0)?;
        let mut positions = Buffer::try_new(indices.len() * size_of::<u32>())?;
        let sets = size.clamp(1, SETS).next_power_of_two();
        let mut counters = Buffer::try_new(sets * size_of::<u32>())?;
        let mut ends = Buffer::try_new(lists * size_of::<u32>())?;
        let counters: &mut [u32] = counters.as_mut_slice()?;
        // Neighbours are in different sets: the most frequent ones often lie together.
        let set = |index: i64| index as usize & (sets - 1);
        counters.fill(0);
        for &index in indices {
            counters[set(index)] += 1;
        }
        let places: &mut [u32] = ends.as_mut_slice()?;
        places.fill(0);
        let mut before = 0;
        // Where there was the number of indices of a set, there is the list that it belongs to.
        for counter in counters.iter_mut() {
            let list = (u64::from(before) * lists as u64 / u64::from(count)).min(lists as u64 - 1) as u32;
            before += core::mem::replace(counter, list);
            places[list as usize] = before;
        }
        start_where_the_list_before_ends(places);
        let sorted: &mut [u32] = positions.as_mut_slice()?;
        for (position, &index) in (0..).zip(indices) {
            let place = &mut places[counters[set(index)] as usize];
            sorted[*place as usize] = position;
            *place += 1;
        }
        Some(IndexLists { positions, ends })
    }

    /// Number of lists.
    pub fn count(&self) -> usize {
        self.ends.as_slice::<u32>().len()
    }

    /// Length of the longest list.
    pub fn longest(&self) -> usize {
        (0..self.count()).map(|list| self.list(list).len()).max().unwrap_or(0)
    }

    /// The positions of a list.
    pub fn list(&self, list: usize) -> &[u32] {
        let ends: &[u32] = self.ends.as_slice();
        let start = list.checked_sub(1).map_or(0, |before| ends[before]);
        &self.positions.as_slice()[start as usize..ends[list] as usize]
    }
}

/// Replaces the end of each list, or 0 of an empty one, by its start.
fn start_where_the_list_before_ends(places: &mut [u32]) {
    let mut end = 0;
    for place in places {
        let start = end;
        end = end.max(*place);
        *place = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(indices: &[i64], size: usize, lists: usize) -> Vec<Vec<u32>> {
        let found = IndexLists::new(indices, size, lists).expect("memory");
        (0..lists).map(|list| found.list(list).to_vec()).collect()
    }

    #[test]
    fn equal_indices_are_in_one_list_in_order() {
        for (size, count) in shrink([(3, 50), (700, 5000), (10_000, 5000)], [(3, 9), (20, 60), (99, 60)]) {
            let indices: Vec<i64> = (0..count).map(|k: i64| k * k * 31 % size).collect();
            for threads in [1, 2, 3, 16] {
                let found = lists(&indices, size as usize, threads);
                let mut owners = vec![None; size as usize];
                for (list, positions) in found.iter().enumerate() {
                    assert!(positions.is_sorted_by(|a, b| a < b), "{size} {threads}");
                    for &position in positions {
                        let owner = &mut owners[indices[position as usize] as usize];
                        assert_eq!(*owner.get_or_insert(list), list, "{size} {threads}");
                    }
                }
                assert_eq!(found.iter().map(Vec::len).sum::<usize>(), indices.len());
            }
        }
    }

    #[test]
    fn lists_are_about_equally_long() {
        // Every index once: a set has at most a list's share more than there should be.
        let indices: Vec<i64> = (0..400).map(|k| k * 7 % 400).collect();
        for threads in [2, 3, 4] {
            let longest = lists(&indices, 400, threads).iter().map(Vec::len).max().expect("a list");
            assert!(longest <= 400 / threads + 400usize.div_ceil(SETS), "{threads}: {longest}");
        }
    }

    #[test]
    fn one_frequent_index_is_one_list() {
        let indices = [5; 40];
        let found = lists(&indices, 9, 3);
        assert!(found.iter().any(|list| list.len() == 40));
    }
}

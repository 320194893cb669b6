//! Sorting by digits, and the first few in order.
//!
//! Workspace for a row of `n` elements of `w` bytes, on each thread: none for sorting and ordering elements
//! of one byte, nor for ordering many of two bytes (512 KiB of counts); otherwise `n w` bytes for sorting and
//! `16 n` bytes for ordering, `32 n` if the elements differ by more than 32 bits can say. Sorting floats with
//! zeros of both signs is ordering a copy.

use crate::kernels::radix_keys::{Key, Keyed};
use crate::memory::{Buffer, Room};
use crate::miri::shrink;
use alloc::vec::Vec;
use bytemuck::Pod;

/// Rows that are shorter are sorted by comparison: the counts of digits would be longer than they.
const SHORT: usize = shrink(192, 64);
/// Rows of elements of two bytes that are counted.
const COUNTED: usize = shrink(4096, 256);
/// Elements that are compared with the worst of the best together.
const BLOCK: usize = shrink(64, 16);

/// Sorts a row, and keeps the order of equals.
pub fn sort_row<E: Keyed>(row: &mut [E], descending: bool) {
    // -0.0 and 0.0 are equal and differ in bits.
    if row.iter().any(|x| x.key() != x.rank()) {
        let _room = Room::new::<E>(row.len());
        let unsorted = row.to_vec();
        return order_row(&unsorted, descending, |i, at| row[i] = unsorted[at]);
    }
    let turn = |key: E::Key| if descending { key.flipped() } else { key };
    if E::Key::BITS == 8 && row.len() >= SHORT {
        let mut counts = [0; 256];
        row.iter().for_each(|x| counts[turn(x.key()).byte(0)] += 1);
        let mut rest = row;
        for (key, count) in counts.into_iter().enumerate() {
            let (equal, others) = rest.split_at_mut(count);
            equal.fill(E::of_key(turn(E::Key::of(key as u64))));
            rest = others;
        }
        return;
    }
    // A key takes the place of its element.
    let keys: &mut [E::Key] = bytemuck::cast_slice_mut(row);
    keys.iter_mut().for_each(|key| *key = turn(bytemuck::cast::<E::Key, E>(*key).key()));
    if keys.len() < SHORT {
        keys.sort_unstable();
    } else {
        let mut spare = Buffer::new(size_of_val(keys));
        let spare: &mut [E::Key] = spare.as_mut_slice().expect("a new buffer is unique");
        if by_digits(keys, spare, E::Key::BITS / 8, |key, byte| key.byte(byte)) {
            keys.copy_from_slice(spare);
        }
    }
    keys.iter_mut().for_each(|key| *key = bytemuck::cast(E::of_key(turn(*key))));
}

/// The positions of the elements in order: calls `place(i, at)` when the `i`th is at `at`. Of equals, the
/// first comes first.
pub fn order_row<E: Keyed>(row: &[E], descending: bool, mut place: impl FnMut(usize, usize)) {
    let rank = |&x: &E| (if descending { x.rank().flipped() } else { x.rank() }).wide();
    if row.is_empty() {
        return;
    }
    if E::Key::BITS == 8 && row.len() >= SHORT || E::Key::BITS == 16 && row.len() >= COUNTED {
        return order_by_counts(row, 1 << E::Key::BITS, |x| rank(x) as usize, place);
    }
    let (low, high) = row.iter().map(rank).fold((u64::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
    if high - low > u64::from(u32::MAX) {
        let mut scratch = Buffer::new(2 * row.len() * size_of::<[u64; 2]>());
        let scratch: &mut [[u64; 2]] = scratch.as_mut_slice().expect("a new buffer is unique");
        let (keys, spare) = scratch.split_at_mut(row.len());
        keys.iter_mut().zip(row).enumerate().for_each(|(i, (key, x))| *key = [rank(x) - low, i as u64]);
        let sorted = if by_digits(keys, spare, 8, |key, byte| key[0].byte(byte)) { spare } else { keys };
        return sorted.iter().enumerate().for_each(|(i, key)| place(i, key[1] as usize));
    }
    // Distance from the lowest in the upper half of a word, position in the lower.
    let mut scratch = Buffer::new(2 * row.len() * size_of::<u64>());
    let scratch: &mut [u64] = scratch.as_mut_slice().expect("a new buffer is unique");
    let (keys, spare) = scratch.split_at_mut(row.len());
    keys.iter_mut().zip(row).enumerate().for_each(|(i, (key, x))| *key = (rank(x) - low) << 32 | i as u64);
    let sorted = if keys.len() < SHORT {
        keys.sort_unstable();
        keys
    } else if by_digits(keys, spare, 4, |key, byte| key.byte(byte + 4)) {
        spare
    } else {
        keys
    };
    sorted.iter().enumerate().for_each(|(i, &key)| place(i, key as u32 as usize));
}

/// [`order_row`] for elements of few different ranks: where the first of each rank goes is counted.
fn order_by_counts<E>(
    row: &[E],
    ranks: usize,
    rank: impl Fn(&E) -> usize,
    mut place: impl FnMut(usize, usize),
) {
    let mut starts = Buffer::new(ranks * size_of::<usize>());
    let starts: &mut [usize] = starts.as_mut_slice().expect("a new buffer is unique");
    starts.fill(0);
    row.iter().for_each(|x| starts[rank(x)] += 1);
    let mut next = 0;
    for start in starts.iter_mut() {
        next += core::mem::replace(start, next);
    }
    for (at, x) in row.iter().enumerate() {
        let start = &mut starts[rank(x)];
        place(*start, at);
        *start += 1;
    }
}

/// Sorts by `bytes` digits, the lowest first, and keeps the order of equals. Whether the result is in
/// `spare`.
fn by_digits<T: Pod>(
    items: &mut [T],
    spare: &mut [T],
    bytes: usize,
    digit: impl Fn(T, usize) -> usize,
) -> bool {
    let mut counts = [[0_u32; 256]; 8];
    for &item in &*items {
        for (byte, counts) in counts[..bytes].iter_mut().enumerate() {
            counts[digit(item, byte)] += 1;
        }
    }
    let (mut from, mut to, mut moved) = (items, spare, false);
    for (byte, counts) in counts[..bytes].iter().enumerate() {
        if counts[digit(from[0], byte)] as usize == from.len() {
            continue;
        }
        let mut next = 0;
        let mut starts = counts.map(|count| {
            next += count;
            next - count
        });
        for &item in &*from {
            let start = &mut starts[digit(item, byte)];
            to[*start as usize] = item;
            *start += 1;
        }
        core::mem::swap(&mut from, &mut to);
        moved = !moved;
    }
    moved
}

/// The positions of the first `k` elements in order, `0 < k <= len`; of equals, the first comes first.
pub fn first_of_row<E: Keyed>(row: &[E], k: usize, descending: bool) -> Vec<(E::Key, u32)> {
    let rank = |x: E| if descending { x.rank().flipped() } else { x.rank() };
    let room = (2 * k).max(BLOCK);
    let _room = Room::new::<(E::Key, u32)>(room + BLOCK);
    let mut best: Vec<(E::Key, u32)> = Vec::with_capacity(room + BLOCK);
    let (start, rest) = row.split_at(room.min(row.len()));
    best.extend(start.iter().zip(0..).map(|(&x, i)| (rank(x), i)));
    let shrink = |best: &mut Vec<(E::Key, u32)>| {
        best.select_nth_unstable(k - 1);
        best.truncate(k);
        best[k - 1].0
    };
    let mut worst = shrink(&mut best);
    for (block, first) in rest.chunks(BLOCK).zip((start.len() as u32..).step_by(BLOCK)) {
        if !E::any_below(block, worst, descending) {
            continue;
        }
        // An element equal to the worst comes after it, so only smaller ranks are collected.
        best.extend(block.iter().zip(first..).map(|(&x, i)| (rank(x), i)).filter(|(rank, _)| *rank < worst));
        if best.len() > room {
            worst = shrink(&mut best);
        }
    }
    best.sort_unstable();
    best.truncate(k);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_backend::f16;

    /// Few different values, so that there are equals, and the special ones.
    fn sample(len: usize, spread: u64) -> Vec<f32> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let special = [f32::NAN, -0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN];
        (0..len)
            .map(|_| {
                let k = next() % spread;
                special.get(k as usize).copied().unwrap_or(k as f32 * 0.37 - spread as f32 / 6.0)
            })
            .collect()
    }

    fn expected(row: &[f32], descending: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = if descending { (b, a) } else { (a, b) };
            row[a].partial_cmp(&row[b]).unwrap_or_else(|| row[a].is_nan().cmp(&row[b].is_nan()))
        });
        order
    }

    #[test]
    fn orders_of_all_lengths_agree_with_a_stable_sort() {
        for &len in
            shrink(&[0, 1, 2, 63, 64, 65, 191, 192, 1000, 5000][..], &[0, 1, 2, 15, 16, 17, 63, 64, 90])
        {
            for (spread, descending) in [(9, false), (9, true), (1 << 40, false), (1 << 40, true)] {
                let row = sample(len, spread);
                let order = expected(&row, descending);
                let mut found = vec![usize::MAX; len];
                order_row(&row, descending, |i, place| found[i] = place);
                assert_eq!(found, order, "{len} {spread} {descending}");
                let doubles: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
                order_row(&doubles, descending, |i, place| found[i] = place);
                assert_eq!(found, order, "{len} {spread} {descending}");
                let mut sorted = row.clone();
                sort_row(&mut sorted, descending);
                assert!(
                    sorted.iter().zip(&order).all(|(x, &i)| *x == row[i] || x.is_nan() && row[i].is_nan())
                );
                for k in [1, 2, 10, 64, shrink(999, 80)].into_iter().filter(|&k| k <= len) {
                    let first: Vec<usize> = first_of_row(&row, k, descending)
                        .into_iter()
                        .map(|(_, place)| place as usize)
                        .collect();
                    assert_eq!(first, order[..k], "{k} of {len} {spread} {descending}");
                }
            }
        }
    }

    #[test]
    fn integers_of_any_range_are_sorted() {
        let len = shrink(700, 90);
        for row in [vec![3_i64, -1, 3, i64::MIN, i64::MAX, 0, -1], (0..len).map(|i| i * 7919 % 701).collect()]
        {
            let mut sorted = row.clone();
            sorted.sort_unstable();
            let mut found = row.clone();
            sort_row(&mut found, false);
            assert_eq!(found, sorted);
            order_row(&row, true, |i, place| assert_eq!(row[place], sorted[row.len() - 1 - i]));
        }
    }

    #[test]
    fn narrow_elements_are_sorted_as_they_are() {
        for len in shrink([5, 191, 300, 4095, 5000], [5, 63, 100, 255, 300]) {
            for (spread, descending) in [(9, false), (1 << 40, true)] {
                let halves: Vec<f16> = sample(len, spread).into_iter().map(f16::from_f32).collect();
                let singles: Vec<f32> = halves.iter().map(|x| x.to_f32()).collect();
                let order = expected(&singles, descending);
                let mut found = vec![usize::MAX; len];
                order_row(&halves, descending, |i, place| found[i] = place);
                assert_eq!(found, order, "{len} {spread} {descending}");
                let mut sorted = halves.clone();
                sort_row(&mut sorted, descending);
                let same = |x: f16, y: f16| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                assert!(sorted.iter().zip(&order).all(|(&x, &i)| same(x, halves[i])));
                let bytes: Vec<i8> = (0..len).map(|i| (i * 7919 % 251) as i8).collect();
                let mut order: Vec<usize> = (0..len).collect();
                order.sort_by_key(|&i| if descending { -i16::from(bytes[i]) } else { i16::from(bytes[i]) });
                order_row(&bytes, descending, |i, place| found[i] = place);
                assert_eq!(found, order, "{len} {descending}");
                let mut sorted = bytes.clone();
                sort_row(&mut sorted, descending);
                assert!(sorted.iter().zip(order).all(|(&x, i)| x == bytes[i]));
            }
        }
    }
}

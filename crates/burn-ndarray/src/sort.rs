//! Sorting by digits, and the first few in order.

use crate::buffer::{Buffer, Room};
use crate::keys::{Key, Keyed};
use crate::simd::dispatch;
use alloc::vec::Vec;
use bytemuck::Pod;

/// Rows that are shorter are sorted by comparison: the counts of digits would be longer than they.
const SHORT: usize = 192;
/// Elements that are compared with the worst of the best together.
const BLOCK: usize = 64;

/// Sorts a row, and keeps the order of equals.
pub fn sort_row<E: Keyed>(row: &mut [E], descending: bool) {
    // Only zeros are equal and different.
    if row.iter().any(|x| x.key() != x.rank()) {
        let _room = Room::new::<E>(row.len());
        let unsorted = row.to_vec();
        return order_row(&unsorted, descending, |i, at| row[i] = unsorted[at]);
    }
    let mut scratch = Buffer::new(2 * size_of_val(row));
    let scratch: &mut [E::Key] = scratch.as_mut_slice().expect("a new buffer is unique");
    let (keys, spare) = scratch.split_at_mut(row.len());
    let turn = |key: E::Key| if descending { key.flipped() } else { key };
    keys.iter_mut().zip(&*row).for_each(|(key, &x)| *key = turn(x.key()));
    let sorted = if keys.len() < SHORT {
        keys.sort_unstable();
        keys
    } else {
        by_digits(keys, spare, E::Key::BITS / 8, |key, byte| key.byte(byte))
    };
    row.iter_mut().zip(&*sorted).for_each(|(x, &key)| *x = E::of_key(turn(key)));
}

/// The positions of the elements in order; of equals, the first comes first.
pub fn order_row<E: Keyed>(row: &[E], descending: bool, mut place: impl FnMut(usize, usize)) {
    let rank = |&x: &E| (if descending { x.rank().flipped() } else { x.rank() }).wide();
    let (low, high) = row.iter().map(rank).fold((u64::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
    if row.is_empty() {
        return;
    }
    if high - low > u64::from(u32::MAX) {
        let mut scratch = Buffer::new(2 * row.len() * size_of::<[u64; 2]>());
        let scratch: &mut [[u64; 2]] = scratch.as_mut_slice().expect("a new buffer is unique");
        let (keys, spare) = scratch.split_at_mut(row.len());
        keys.iter_mut().zip(row).enumerate().for_each(|(i, (key, x))| *key = [rank(x) - low, i as u64]);
        let sorted = by_digits(keys, spare, 8, |key, byte| key[0].byte(byte));
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
    } else {
        by_digits(keys, spare, 4, |key, byte| key.byte(byte + 4))
    };
    sorted.iter().enumerate().for_each(|(i, &key)| place(i, key as u32 as usize));
}

/// Sorts by `bytes` digits, the lowest first, and keeps the order of equals. The result is in one of the slices.
fn by_digits<'a, T: Pod>(
    items: &'a mut [T],
    spare: &'a mut [T],
    bytes: usize,
    digit: impl Fn(T, usize) -> usize,
) -> &'a mut [T] {
    let mut counts = [[0_u32; 256]; 8];
    for &item in &*items {
        for (byte, counts) in counts[..bytes].iter_mut().enumerate() {
            counts[digit(item, byte)] += 1;
        }
    }
    let (mut from, mut to) = (items, spare);
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
    }
    from
}

/// The positions of the first `k` elements in order, `0 < k <= len`; of equals, the first comes first.
pub fn first_of_row<E: Keyed>(
    row: &[E],
    k: usize,
    descending: bool,
    any_below: AnyBelow<E>,
) -> Vec<(E::Key, u32)> {
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
        if !any_below(block, worst, descending) {
            continue;
        }
        // What equals the worst comes after it.
        best.extend(block.iter().zip(first..).map(|(&x, i)| (rank(x), i)).filter(|(rank, _)| *rank < worst));
        if best.len() > room {
            worst = shrink(&mut best);
        }
    }
    best.sort_unstable();
    best.truncate(k);
    best
}

/// Whether an element comes before all with this rank.
pub type AnyBelow<E> = fn(&[E], <E as Keyed>::Key, bool) -> bool;

#[inline(always)]
fn any_below<E: Keyed>(row: &[E], worst: E::Key, descending: bool) -> bool {
    let mut any = false;
    if descending {
        for &x in row {
            any |= x.rank().flipped() < worst;
        }
    } else {
        for &x in row {
            any |= x.rank() < worst;
        }
    }
    any
}

macro_rules! any_below {
    ($($ty:ident $key:ident $body:ident $name:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(row: &[$ty], worst: $key, descending: bool) -> bool {
            any_below(row, worst, descending)
        }
        dispatch! { pub fn $name(row: &[$ty], worst: $key, descending: bool) -> bool = $body }
    )*};
}
any_below! {
    f32 u32 body_f32 any_below_f32;
    f64 u64 body_f64 any_below_f64;
    i64 u64 body_i64 any_below_i64;
    u64 u64 body_u64 any_below_u64;
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for len in [0, 1, 2, 63, 64, 65, 191, 192, 1000, 5000] {
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
                for k in [1, 2, 10, 64, 999].into_iter().filter(|&k| k <= len) {
                    let first: Vec<usize> = first_of_row(&row, k, descending, any_below_f32)
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
        for row in [vec![3_i64, -1, 3, i64::MIN, i64::MAX, 0, -1], (0..700).map(|i| i * 7919 % 701).collect()]
        {
            let mut sorted = row.clone();
            sorted.sort_unstable();
            let mut found = row.clone();
            sort_row(&mut found, false);
            assert_eq!(found, sorted);
            order_row(&row, true, |i, place| assert_eq!(row[place], sorted[row.len() - 1 - i]));
        }
    }
}

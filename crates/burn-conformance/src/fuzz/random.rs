use burn_backend::{DType, Dims, Shape};

/// Numbers that look random and are the same everywhere: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// Sizes at which index arithmetic overflows.
const EXTREMES: [usize; 6] =
    [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, isize::MAX as usize, 1 << 62, 1 << 32];

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A dimension, a size or an option: mostly up to a little more than `likely`, now and then as large as
    /// there is.
    pub fn number(&mut self, likely: usize) -> usize {
        if self.chance(4) {
            return self.pick(&EXTREMES);
        }
        self.below(likely.saturating_add(2).min(64))
    }

    /// [`Random::number`] with a sign.
    pub fn signed(&mut self, likely: usize) -> isize {
        let number = self.number(likely) as isize;
        if self.chance(30) { number.wrapping_neg() } else { number }
    }

    /// One to four numbers, or a number for each of `count`.
    pub fn numbers(&mut self, count: usize, likely: usize) -> Dims {
        let count = if self.chance(5) { self.below(5) } else { count };
        (0..count).map(|_| self.number(likely)).collect()
    }

    /// Sizes of so many dimensions, most often `from` or one more each.
    pub fn likely_sizes(&mut self, count: usize, from: usize) -> Dims {
        let small: Dims = (0..count).map(|_| from + self.below(2)).collect();
        if self.chance(85) { small } else { self.numbers(count, 3) }
    }

    /// A shape of few elements.
    pub fn shape(&mut self) -> Shape {
        let rank = self.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 7]);
        self.shape_of(rank)
    }

    /// A shape of few elements and this rank.
    pub fn shape_of(&mut self, rank: usize) -> Shape {
        loop {
            let shape: Shape = (0..rank).map(|_| self.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 5])).collect();
            if shape.num_elements() <= 256 {
                return shape;
            }
        }
    }

    pub fn dtype(&mut self) -> DType {
        if self.chance(60) {
            self.pick(&[DType::F64, DType::F32, DType::I64, DType::Bool])
        } else {
            self.pick(&DType::ALL)
        }
    }
}

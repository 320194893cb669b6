/// A small, portable pseudo-random generator: xoshiro256++ seeded by SplitMix64.
///
/// The numbers depend on the seed and the stream alone, not on the platform or the version of this
/// crate: a recorded seed reproduces an order of data years later. Not for cryptography.
///
/// Blackman and Vigna, *Scrambled linear pseudorandom number generators*, 2021.
///
/// ```
/// use burn::data::dataset::random::Generator;
///
/// let mut first = Generator::new(42);
/// let mut second = Generator::new(42);
/// assert_eq!(first.next_u64(), second.next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// Starts the sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self::with_stream(seed, 0)
    }

    /// Starts one of the independent sequences of `seed`, for instance one per epoch.
    pub fn with_stream(seed: u64, stream: u64) -> Self {
        let mut expand = SplitMix64(SplitMix64(seed).next().wrapping_add(stream));
        Self { state: std::array::from_fn(|_| expand.next()) }
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let carried = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= carried;
        *s3 = s3.rotate_left(45);
        result
    }

    /// Returns a number in `0..bound`, each equally likely.
    ///
    /// Lemire, *Fast random integer generation in an interval*, 2019.
    ///
    /// # Panics
    /// If `bound` is zero.
    #[track_caller]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a random number below 0 was asked for");
        let bound = bound as u64;
        let rejected = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= rejected {
                return (product >> 64) as usize;
            }
        }
    }

    /// Returns a number in `0..1`, a multiple of `2^-53`, each equally likely.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a number in `low..high`, uniformly distributed: `low + (high - low) * unit()`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns `true` with a probability of `probability`.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number with the standard normal distribution: mean 0, variance 1.
    ///
    /// Box and Muller, *A note on the generation of random normal deviates*, 1958.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.unit(), self.unit());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Puts the items in a random order (Fisher and Yates, from the last item down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut generator = SplitMix64(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(published.map(|_| generator.next()), published);
    }

    #[test]
    fn xoshiro_gives_the_published_numbers() {
        let mut generator = Generator { state: [1, 2, 3, 4] };
        let published = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
            14_011_001_112_246_962_877,
            12_406_186_145_184_390_807,
            15_849_039_046_786_891_736,
            10_450_023_813_501_588_000,
        ];
        assert_eq!(published.map(|_| generator.next_u64()), published);
    }

    #[test]
    fn numbers_below_a_bound_are_even() {
        let mut generator = Generator::new(3);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[generator.below(7)] += 1;
        }
        // Five standard deviations of a binomial with n = 70,000 and p = 1/7 are 463.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 463), "{counts:?}");
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut generator = Generator::new(5);
        let count = 100_000;
        let moments = |values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / f64::from(count);
            (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / f64::from(count))
        };
        let (mean, variance) = moments((0..count).map(|_| generator.uniform(2.0, 5.0)).collect());
        // Uniform: mean 7/2, variance 9/12; five standard errors are 0.014 and 0.011.
        assert!((mean - 3.5).abs() < 0.014 && (variance - 0.75).abs() < 0.011, "{mean} {variance}");
        let (mean, variance) = moments((0..count).map(|_| generator.normal()).collect());
        assert!(mean.abs() < 0.016 && (variance - 1.0).abs() < 0.023, "{mean} {variance}");
        let hits = (0..count).filter(|_| generator.chance(0.25)).count();
        assert!(hits.abs_diff(25_000) < 685, "{hits}");
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let mut first = Generator::with_stream(9, 1);
        let mut second = Generator::with_stream(9, 2);
        assert_ne!(first.next_u64(), second.next_u64());
    }
}

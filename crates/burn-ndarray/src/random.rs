use burn_backend::Distribution;
use std::sync::atomic::{AtomicU64, Ordering};

static SEED: AtomicU64 = AtomicU64::new(0x9E37_79B9_7F4A_7C15);

pub fn seed(seed: u64) {
    SEED.store(seed, Ordering::Relaxed);
}

fn uniform() -> f64 {
    let mut z = SEED.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

pub fn sample(distribution: Distribution) -> f64 {
    match distribution {
        Distribution::Default => uniform(),
        Distribution::Bernoulli(p) => f64::from(u8::from(uniform() < p)),
        Distribution::Uniform(low, high) => low + (high - low) * uniform(),
        Distribution::Normal(mean, std) => {
            let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
            mean + std * radius * (std::f64::consts::TAU * uniform()).cos()
        }
    }
}

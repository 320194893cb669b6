//! Times of collectives between GPUs.

/// A link: a message of `bytes` takes `latency + bytes / bandwidth` seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    /// Alpha, in seconds.
    pub latency: f64,
    /// Beta, in bytes a second: the bus bandwidth that NCCL's tests report.
    pub bandwidth: f64,
}

impl Link {
    /// Returns the time of `steps` messages, each of `bytes`.
    fn messages(self, steps: f64, bytes: f64) -> f64 {
        if steps == 0.0 { 0.0 } else { steps * (self.latency + bytes / self.bandwidth) }
    }

    /// Returns the time of a reduce-scatter of `bytes` on a ring, or of the all-gather that is its reverse.
    pub fn reduce_scatter(self, gpus: usize, bytes: f64) -> f64 {
        let gpus = gpus as f64;
        self.messages(gpus - 1.0, bytes / gpus)
    }

    /// Returns the link whose all-reduce takes the measured times for two sizes: `(bytes, seconds)`.
    pub fn from_all_reduce(gpus: usize, small: (f64, f64), large: (f64, f64)) -> Self {
        let steps = 2.0 * (gpus as f64 - 1.0);
        let bandwidth = steps / gpus as f64 * (large.0 - small.0) / (large.1 - small.1);
        Link { latency: (small.1 - steps / gpus as f64 * small.0 / bandwidth) / steps, bandwidth }
    }
}

/// GPUs of hosts, with a link inside of each and one between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cluster {
    pub gpus_per_host: usize,
    pub inside: Link,
    /// Link between hosts, one for each GPU.
    pub between: Link,
}

impl Cluster {
    /// Returns the time of a reduce-scatter of `bytes` over all GPUs: in each host, then of the parts between
    /// hosts.
    pub fn reduce_scatter(self, gpus: usize, bytes: f64) -> f64 {
        let per_host = gpus.min(self.gpus_per_host);
        let between = self.between.reduce_scatter(gpus.div_ceil(per_host), bytes / per_host as f64);
        self.inside.reduce_scatter(per_host, bytes) + between
    }

    /// Returns the time of an all-reduce: a reduce-scatter and an all-gather.
    pub fn all_reduce(self, gpus: usize, bytes: f64) -> f64 {
        2.0 * self.reduce_scatter(gpus, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1e-300), "{found} is not {expected}");
    }

    const INSIDE: Link = Link { latency: 1e-5, bandwidth: 1e11 };
    const BETWEEN: Link = Link { latency: 4e-5, bandwidth: 1e10 };

    /// A reduce-scatter and an all-gather.
    fn all_reduce(link: Link, gpus: usize, bytes: f64) -> f64 {
        2.0 * link.reduce_scatter(gpus, bytes)
    }

    #[test]
    fn ring_collectives_have_their_closed_forms() {
        for gpus in [1_usize, 2, 3, 8, 1024] {
            let (n, bytes) = (gpus as f64, 3e8);
            // Thakur et al. 2005: 2 (n - 1) alpha + 2 (n - 1) / n * bytes / beta.
            let expected = 2.0 * (n - 1.0) * 1e-5 + 2.0 * (n - 1.0) / n * bytes / 1e11;
            is_close(all_reduce(INSIDE, gpus, bytes), expected);
        }
    }

    #[test]
    fn hosts_exchange_the_parts_of_their_gpus() {
        let cluster = Cluster { gpus_per_host: 4, inside: INSIDE, between: BETWEEN };
        is_close(cluster.all_reduce(4, 1e9), all_reduce(INSIDE, 4, 1e9));
        let expected = all_reduce(INSIDE, 4, 1e9) + all_reduce(BETWEEN, 3, 2.5e8);
        is_close(cluster.all_reduce(12, 1e9), expected);
        is_close(cluster.all_reduce(1, 1e9), 0.0);
    }

    #[test]
    fn a_link_is_recovered_from_two_times() {
        for gpus in [2, 4] {
            let time = |bytes| (bytes, all_reduce(INSIDE, gpus, bytes));
            let found = Link::from_all_reduce(gpus, time(1e6), time(1e9));
            assert!((found.latency / INSIDE.latency - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.bandwidth / INSIDE.bandwidth - 1.0).abs() < 1e-9, "{found:?}");
        }
    }
}

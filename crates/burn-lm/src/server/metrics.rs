use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters, in the text format of Prometheus.
#[derive(Debug, Default)]
pub struct Metrics {
    pub requests: AtomicU64,
    pub rejected: AtomicU64,
    pub cancelled: AtomicU64,
    pub failed: AtomicU64,
    pub prompt_tokens: AtomicU64,
    pub cached_tokens: AtomicU64,
    pub generated_tokens: AtomicU64,
    pub active: AtomicU64,
    pub waiting: AtomicU64,
    pub first_token_microseconds: AtomicU64,
    pub first_tokens: AtomicU64,
}

impl Metrics {
    pub fn add(counter: &AtomicU64, count: usize) {
        counter.fetch_add(count as u64, Relaxed);
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut write = |name: &str, kind: &str, help: &str, value: f64| {
            let _infallible = writeln!(
                text,
                "# HELP burn_lm_{name} {help}\n# TYPE burn_lm_{name} {kind}\nburn_lm_{name} {value}"
            );
        };
        let counters = [
            ("requests_total", "Requests for texts.", &self.requests),
            ("requests_rejected_total", "Requests refused because the queue was full.", &self.rejected),
            ("requests_cancelled_total", "Requests whose client went away.", &self.cancelled),
            ("requests_failed_total", "Requests that failed in the model.", &self.failed),
            ("prompt_tokens_total", "Tokens of prompts.", &self.prompt_tokens),
            ("prompt_tokens_cached_total", "Tokens of prompts taken from the cache.", &self.cached_tokens),
            ("generated_tokens_total", "Tokens generated.", &self.generated_tokens),
            ("time_to_first_token_seconds_count", "Requests with a first token.", &self.first_tokens),
        ];
        for (name, help, value) in counters {
            write(name, "counter", help, value.load(Relaxed) as f64);
        }
        let seconds = self.first_token_microseconds.load(Relaxed) as f64 / 1e6;
        write("time_to_first_token_seconds_sum", "counter", "Sum of the times to the first token.", seconds);
        write("sequences_active", "gauge", "Sequences that are decoded.", self.active.load(Relaxed) as f64);
        write("requests_waiting", "gauge", "Requests that wait.", self.waiting.load(Relaxed) as f64);
        text
    }
}

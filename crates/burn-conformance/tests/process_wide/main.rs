//! State that a process has once: a default server, a default slot of a router, counters of fusion.

mod defaults;
mod fusion_report;

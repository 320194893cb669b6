//! The page around the curves.

use crate::Split;
use crate::history::{MetricHistory, MetricSummary};
use std::fmt::Write;

pub(super) const STYLE: &str = include_str!("style.css");

/// Shows the values under the pointer: the polylines hold them in the units of the picture.
pub(super) const SCRIPT: &str = include_str!("pointer.js");

/// Replaces what HTML gives a meaning.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the color of the curves of a phase.
pub(super) fn color(split: Split) -> &'static str {
    match split {
        Split::Train => "#d1495b",
        Split::Valid => "#2a7fb8",
        Split::Test => "#3a9d5d",
    }
}

/// Returns the table of the lowest and highest value of every metric, and of its value in the last epoch.
pub(super) fn table(history: &MetricHistory) -> String {
    let mut table =
        "<div class=\"wide\">\n<table>\n<tr><th>Split</th><th>Metric</th><th>Min</th><th>Epoch</th><th>Max</th><th>Epoch</th>\
                     <th>Last</th></tr>\n"
            .to_string();
    for MetricSummary { split, name, min, max } in history.summaries() {
        let last = history.epochs(split, &name).last().map_or(f64::NAN, |(_, stats)| stats.mean);
        let _ = writeln!(
            table,
            "<tr><td>{split}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&name),
            number(min.value),
            min.epoch,
            number(max.value),
            max.epoch,
            number(last)
        );
    }
    table.push_str("</table>\n</div>\n");
    table
}

/// Returns the table of names and texts.
pub(super) fn facts(facts: &[(&str, String)]) -> String {
    let rows =
        facts.iter().map(|(name, text)| format!("<tr><th>{name}</th><td>{}</td></tr>\n", escape(text)));
    format!("<table class=\"facts\">\n{}</table>\n", rows.collect::<String>())
}

pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && size < 1e-3 => format!("{value:.3e}"),
        _ => format!("{value:.4}"),
    }
}

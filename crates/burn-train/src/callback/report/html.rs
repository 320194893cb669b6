//! The page around the curves.

use crate::Split;
use crate::history::{MetricHistory, MetricSummary};
use std::fmt::Write;

pub(super) const STYLE: &str = "\
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1360px;margin:2rem auto;padding:0 1rem}
section{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1rem}
svg{width:100%;fill:none;stroke-width:1.5}
svg text{fill:currentColor;stroke:none;font-size:11px}
svg .title{font-weight:600;font-size:13px}
svg .x{text-anchor:middle}
svg .y{text-anchor:end}
svg .grid{stroke:currentColor;stroke-opacity:.15}
table{border-collapse:collapse}
td,th{padding:.2rem .8rem;border-bottom:1px solid #8884;text-align:right}
td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}
pre{overflow:auto}
";

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
        "<table>\n<tr><th>Split</th><th>Metric</th><th>Min</th><th>Epoch</th><th>Max</th><th>Epoch</th>\
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
    table.push_str("</table>\n");
    table
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && size < 1e-3 => format!("{value:.3e}"),
        _ => format!("{value:.4}"),
    }
}

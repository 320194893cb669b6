//! The page around the curves.

use crate::Split;
use crate::history::{MetricHistory, MetricSummary};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Shows the values under the pointer, which the polylines hold in the units of the picture, and smooths the
/// curves by an exponential moving average.
const SCRIPT: &str = concat!(include_str!("pointer.js"), include_str!("smooth.js"));

/// Controls of all curves; they stand directly before their section.
pub(super) const CONTROLS: &str = "\
<input type=\"checkbox\" id=\"log\"> <label for=\"log\">logarithmic where values are above zero</label>
<label class=\"slider\">smoothing <input type=\"range\" id=\"smooth\" min=\"0\" max=\"0.95\" step=\"0.05\" value=\"0\"></label>
";

/// Returns a page of a title, which is escaped, and what follows it.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</html>\n"
    )
}

/// Returns the end of a page with curves.
pub(super) fn end() -> String {
    format!("<script>\n{SCRIPT}</script>\n")
}

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

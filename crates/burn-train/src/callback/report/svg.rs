//! Curves as SVG.

use super::html::escape;
use std::fmt::Write;

/// A line of a chart.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) color: &'a str,
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 36.0;

/// Draws lines over an axis called `x_name`; none where no point is finite.
pub(super) fn chart(title: &str, x_name: &str, series: &[Series<'_>]) -> Option<String> {
    let points = || series.iter().flat_map(|series| &series.points).filter(|(_, y)| y.is_finite());
    let (x_low, x_high) = range(points().map(|point| point.0))?;
    let (y_low, y_high) = range(points().map(|point| point.1))?;
    let x_at = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
    let y_at = |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\">\n<text class=\"title\" x=\"{LEFT}\" \
         y=\"16\">{0}</text>\n",
        escape(title)
    );
    for tick in ticks(y_low, y_high) {
        let (y, label) = (y_at(tick), label(tick));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for tick in ticks(x_low, x_high) {
        let (x, label) = (x_at(tick), label(tick));
        let _ = writeln!(
            svg,
            "<text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
            HEIGHT - BOTTOM + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"x\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 4.0,
        escape(x_name)
    );
    for (at, Series { name, color, points }) in series.iter().enumerate() {
        draw_line(&mut svg, color, points, (&x_at, &y_at));
        let x = WIDTH - RIGHT - 70.0 * (series.len() - at) as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} 12h14\" stroke=\"{color}\"/><text x=\"{:.1}\" y=\"16\">{}</text>",
            x + 18.0,
            escape(name)
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

type Scale<'a> = &'a dyn Fn(f64) -> f64;

/// Draws the finite points: a gap where one is not, a dot where one is alone.
fn draw_line(svg: &mut String, color: &str, points: &[(f64, f64)], (x_at, y_at): (Scale<'_>, Scale<'_>)) {
    for part in points.split(|(_, y)| !y.is_finite()) {
        match part {
            [] => {}
            [(x, y)] => {
                let (x, y) = (x_at(*x), y_at(*y));
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
            }
            part => {
                let places: Vec<String> =
                    part.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
                let _ = writeln!(svg, "<polyline points=\"{}\" stroke=\"{color}\"/>", places.join(" "));
            }
        }
    }
}

/// Returns the least and the greatest value, never an empty range.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    match high - low {
        _ if low > high => None,
        width if width > f64::EPSILON * high.abs() => Some((low, high)),
        _ => Some((low - low.abs().max(1.0) * 0.5, high + high.abs().max(1.0) * 0.5)),
    }
}

/// Returns about five round numbers in a range.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    (0..12).map(|at| (first + f64::from(at)) * step).take_while(|tick| *tick <= high + step * 1e-9).collect()
}

fn label(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        size if !(1e-4..1e6).contains(&size) => format!("{value:.2e}"),
        _ => {
            let text = format!("{value:.5}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(1.0, 1.5).len(), 6);
        for (low, high) in [(-3.0, 4.0), (1e-9, 2e-9), (5e8, 9e9)] {
            let ticks = ticks(low, high);
            assert!((3..=11).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|tick| *tick >= low && *tick <= high * 1.001), "{ticks:?}");
        }
        assert_eq!(label(0.25), "0.25");
        assert_eq!(label(2e-7), "2.00e-7");
    }

    #[test]
    fn points_that_are_not_finite_are_gaps() {
        let points = vec![(1.0, 1.0), (2.0, f64::NAN), (3.0, 2.0), (4.0, 3.0)];
        let series = [Series { name: "a<b", color: "red", points }];
        let svg = chart("Loss", "epoch", &series).unwrap();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (1, 1));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"), "{svg}");
        let none = [Series { name: "", color: "", points: vec![(1.0, f64::NAN)] }];
        assert!(chart("Loss", "epoch", &none).is_none());
    }
}

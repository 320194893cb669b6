//! Curves as SVG.

use super::html::escape;
use crate::axis::Axis;
use std::fmt::Write;

/// A line of a chart.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) color: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
/// Half of the label of the last tick.
const RIGHT: f64 = 30.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 44.0;
/// Width of a legend entry; its letters are larger on narrow screens.
const LEGEND: f64 = 70.0;

/// Lines over a common axis.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    /// Name of the horizontal axis: `epoch`.
    pub(super) x_name: &'a str,
    pub(super) series: &'a [Series],
    /// Position of the mark of the best epoch.
    pub(super) best: Option<f64>,
    /// Whether the names of the lines are above them.
    pub(super) has_legend: bool,
}

/// Scale of the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Log,
}

impl Chart<'_> {
    /// Draws the lines on a linear and, where all values are above zero and differ by more than tenfold, on a
    /// logarithmic scale; none where no point is finite.
    pub(super) fn draw(&self) -> Option<String> {
        let linear = self.draw_on(Scale::Linear)?;
        let values = || self.values().map(|point| point.1);
        let (low, high) =
            values().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
        if low > 0.0 && high > 10.0 * low {
            let log = self.draw_on(Scale::Log)?;
            return Some(format!("<div class=\"has-log\">\n{linear}{log}</div>\n"));
        }
        Some(format!("<div>\n{linear}</div>\n"))
    }

    /// Returns the points that can be drawn.
    fn values(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.series.iter().flat_map(|series| &series.points).filter(|(_, y)| y.is_finite())
    }

    fn draw_on(&self, scale: Scale) -> Option<String> {
        let (x_low, x_high) = width(self.values().map(|point| point.0))?;
        let y = Axis::new(self.values().map(|point| scale.position(point.1)), scale.intervals())?;
        let x_at = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
        let y_at =
            |position: f64| HEIGHT - BOTTOM - (position - y.low) / (y.high - y.low) * (HEIGHT - TOP - BOTTOM);
        let class = match scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
        };
        let (title, x_name) = (escape(self.title), escape(self.x_name));
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut svg = format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" data-unit=\"{x_name}\" \
             data-x=\"{LEFT} {right} {x_low} {x_high}\" data-y=\"{bottom} {TOP} {} {}\">\n<text class=\"title\" x=\"{LEFT}\" \
             y=\"20\">{title}</text>\n",
            y.low, y.high
        );
        draw_grid(&mut svg, &y, scale, &y_at);
        // The curve fills the width: its ends need not be round, so ticks beyond them are left out.
        let x = Axis::of_whole_numbers([x_low, x_high].into_iter(), 8)?;
        for tick in x.ticks().filter(|tick| (x_low..=x_high).contains(tick)) {
            let (at, label) = (x_at(tick), x.label(tick));
            let _ =
                writeln!(svg, "<text class=\"x\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>", bottom + 18.0);
        }
        let middle = f64::midpoint(LEFT, right);
        let _ =
            writeln!(svg, "<text class=\"x\" x=\"{middle:.1}\" y=\"{:.1}\">{x_name}</text>", HEIGHT - 4.0);
        let best = self.best.filter(|best| (x_low..=x_high).contains(best));
        let entries = self.series.len() + usize::from(best.is_some());
        let entry = |at: usize| right - LEGEND * (entries - at) as f64;
        if let Some(best) = best {
            draw_best(&mut svg, best, x_at(best), entry(self.series.len()));
        }
        for (at, Series { name, color, points }) in self.series.iter().enumerate() {
            let name = escape(name);
            let _ = writeln!(svg, "<g data-name=\"{name}\" stroke=\"{color}\">");
            let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, scale.position(*y))).collect();
            draw_line(&mut svg, color, &points, (&x_at, &y_at));
            svg.push_str("</g>\n");
            if !self.has_legend {
                continue;
            }
            let x = entry(at);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} 16h14\" stroke=\"{color}\"/><text class=\"legend\" x=\"{:.1}\" y=\"20\">{name}</text>",
                x + 18.0
            );
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }
}

impl Scale {
    /// Returns the position of a value on the axis.
    fn position(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }

    fn intervals(self) -> usize {
        match self {
            Self::Linear => 5,
            Self::Log => 6,
        }
    }

    fn label(self, axis: &Axis, tick: f64) -> String {
        match self {
            Self::Linear => axis.label(tick),
            Self::Log => match 10_f64.powf(tick) {
                value if (1e-3..1e6).contains(&value) => format!("{}", (value * 1e6).round() / 1e6),
                value => format!("{value:.0e}"),
            },
        }
    }
}

/// Returns the ends of the horizontal axis, which differ.
fn width(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    match high - low {
        _ if low > high => None,
        0.0 => Some((low - 1.0, high + 1.0)),
        _ => Some((low, high)),
    }
}

/// Function from a value to its coordinate.
type Coordinate<'a> = &'a dyn Fn(f64) -> f64;

/// Draws the horizontal lines and their labels.
fn draw_grid(svg: &mut String, y: &Axis, scale: Scale, y_at: Coordinate<'_>) {
    let right = WIDTH - RIGHT;
    for tick in y.ticks() {
        let (at, label) = (y_at(tick), scale.label(y, tick));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right:.1}\"/><text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
}

/// Draws the mark of the best epoch at `x`, and its entry of the legend at `legend`.
fn draw_best(svg: &mut String, best: f64, x: f64, legend: f64) {
    let bottom = HEIGHT - BOTTOM;
    let _ = writeln!(
        svg,
        "<path class=\"best\" d=\"M{x:.1} {TOP}V{bottom}\"><title>best epoch {best}</title></path>\n\
         <path class=\"best\" d=\"M{legend:.1} 16h14\"/><text class=\"legend\" x=\"{:.1}\" y=\"20\">best</text>",
        legend + 18.0
    );
}

/// Draws the finite points: a gap where one is not, a dot where one is alone.
fn draw_line(
    svg: &mut String,
    color: &str,
    points: &[(f64, f64)],
    (x_at, y_at): (Coordinate<'_>, Coordinate<'_>),
) {
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
                let _ = writeln!(svg, "<polyline points=\"{}\"/>", places.join(" "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(points: Vec<(f64, f64)>, best: Option<f64>) -> Option<String> {
        let series = [Series { name: "a<b".into(), color: "red", points }];
        Chart { title: "Loss", x_name: "epoch", series: &series, best, has_legend: true }.draw()
    }

    #[test]
    fn points_that_are_not_finite_are_gaps() {
        let svg = draw(vec![(1.0, 1.0), (2.0, f64::NAN), (3.0, 2.0), (4.0, 3.0)], None).unwrap();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (1, 1));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"), "{svg}");
        assert!(draw(vec![(1.0, f64::NAN)], None).is_none());
    }

    #[test]
    fn values_of_several_decades_have_a_logarithmic_scale_too() {
        let svg = draw(vec![(1.0, 0.002), (2.0, 0.3), (3.0, 20.0)], Some(2.0)).unwrap();
        assert_eq!(svg.matches("<svg class=\"linear\"").count(), 1);
        assert_eq!(svg.matches("<svg class=\"log\"").count(), 1);
        for label in ["0.001", "0.01", "0.1", "1", "10", "100"] {
            assert!(svg.contains(&format!(">{label}</text>")), "{label} in {svg}");
        }
        assert_eq!(svg.matches("<title>best epoch 2</title>").count(), 2);
        for values in [[1.0, 9.0], [0.0, 9.0], [-1.0, 90.0]] {
            let svg = draw(vec![(1.0, values[0]), (2.0, values[1])], None).unwrap();
            assert!(!svg.contains("class=\"log\""), "{values:?}");
        }
    }

    #[test]
    fn the_axis_of_an_accuracy_ends_at_100() {
        let svg = draw(vec![(1.0, 61.0), (2.0, 99.9)], None).unwrap();
        assert!(
            svg.contains(">100</text>") && !svg.contains(">110</text>") && svg.contains(" 60 100\">"),
            "{svg}"
        );
        let svg = draw(vec![(1.0, 100.0), (2.0, 100.0)], None).unwrap();
        assert!(svg.contains(">100</text>") && !svg.contains(">150</text>"), "{svg}");
    }
}

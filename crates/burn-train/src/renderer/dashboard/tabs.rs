use super::state::State;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The tabs that fit into a line, with the selected one among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VisibleTabs {
    /// Number of the metric, and its columns from the left of the line.
    pub(super) tabs: Vec<(usize, Range<u16>)>,
    /// Whether there are more on the left and on the right.
    pub(super) more: [bool; 2],
}

/// Columns of a mark of more tabs.
const MARK: u16 = 2;
const DIVIDER: &str = "\u{2502}";

impl VisibleTabs {
    /// Begins with the first metric from which on the selected one fits.
    pub(super) fn new(names: &[&str], selected: usize, width: u16) -> Self {
        let widths: Vec<u16> = names.iter().map(|name| Line::from(*name).width() as u16 + 2).collect();
        let room = width.saturating_sub(2 * MARK);
        let reach = |first: usize| widths[first..=selected].iter().map(|width| width + 1).sum::<u16>();
        let first = (0..selected.min(names.len())).find(|first| reach(*first) <= room + 1);
        let first = first.unwrap_or(selected.min(names.len()));
        let (mut tabs, mut column) = (Vec::new(), MARK);
        for (at, width) in widths.iter().enumerate().skip(first) {
            if column + width > MARK + room && !tabs.is_empty() {
                break;
            }
            tabs.push((at, column..column + width));
            column += width + 1;
        }
        let last = tabs.last().map_or(0, |(at, _)| at + 1);
        Self { tabs, more: [first > 0, last < names.len()] }
    }

    /// Returns the metric whose tab has a column.
    pub(super) fn at(&self, column: u16) -> Option<usize> {
        self.tabs.iter().find(|(_, columns)| columns.contains(&column)).map(|(at, _)| *at)
    }

    pub(super) fn line(&self, names: &[&str], selected: usize) -> Line<'static> {
        let mark = |shown: bool, mark: &'static str| Span::from(if shown { mark } else { "  " });
        let mut spans = vec![mark(self.more[0], "\u{25c2} ")];
        for (position, (at, _)) in self.tabs.iter().enumerate() {
            if position > 0 {
                spans.push(Span::from(DIVIDER));
            }
            let style = match *at == selected {
                true => Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
                false => Style::new(),
            };
            spans.extend([Span::from(" "), Span::styled(names[*at].to_string(), style), Span::from(" ")]);
        }
        spans.push(mark(self.more[1], " \u{25b8}"));
        Line::from(spans)
    }
}

impl State {
    pub(super) fn names(&self) -> Vec<&str> {
        self.metrics.iter().map(|metric| metric.name.as_str()).collect()
    }

    /// Returns the metric whose tab is at a place of the screen, where `bar` is the line of the tabs.
    pub(super) fn tab_at(&self, bar: Rect, column: u16, row: u16) -> Option<usize> {
        let inside = row == bar.y && (bar.x..bar.right()).contains(&column);
        let tabs = || VisibleTabs::new(&self.names(), self.selected, bar.width);
        inside.then(|| tabs().at(column - bar.x)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tabs_are_there_where_they_fit() {
        let tabs = VisibleTabs::new(&["Loss", "Accuracy"], 1, 40);
        assert_eq!(tabs.tabs, [(0, 2..8), (1, 9..19)]);
        assert_eq!((tabs.more, tabs.at(8), tabs.at(9), tabs.at(1)), ([false; 2], None, Some(1), None));
    }

    #[test]
    fn the_selected_tab_is_always_there() {
        let names = ["Loss", "Accuracy", "Learning Rate", "CPU Usage", "Iteration Speed"];
        for width in 5..80 {
            for selected in 0..names.len() {
                let tabs = VisibleTabs::new(&names, selected, width);
                assert!(tabs.tabs.iter().any(|(at, _)| *at == selected), "{width} {selected}");
            }
        }
        let tabs = VisibleTabs::new(&names, 2, 34);
        assert_eq!(tabs.more, [true, true]);
        assert!(VisibleTabs::new(&[], 0, 30).tabs.is_empty());
    }
}

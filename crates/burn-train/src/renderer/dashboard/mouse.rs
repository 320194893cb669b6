use super::state::{Phase, Prompt, State};
use super::view::Areas;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

impl State {
    /// Does what the mouse asks for: a click on a tab selects its metric, a click on the plot switches
    /// between all of the curves and the recent part, the wheel goes through the metrics.
    pub(super) fn mouse(&mut self, event: MouseEvent, areas: &Areas) {
        if self.prompt == Prompt::Quit && self.phase != Phase::Over {
            return;
        }
        let count = self.metrics.len().max(1);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                if let Some(metric) = self.tab_at(areas.tab_line(), event.column, event.row) {
                    self.selected = metric;
                } else if areas.plot.contains(Position::new(event.column, event.row)) {
                    self.switch_history();
                }
            }
            MouseEventKind::ScrollDown => self.selected = (self.selected + 1) % count,
            MouseEventKind::ScrollUp => self.selected = (self.selected + count - 1) % count,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::History;
    use super::*;
    use crate::Split;
    use crate::metric::MetricEntry;
    use crate::renderer::MetricState;
    use ratatui::crossterm::event::KeyModifiers;
    use ratatui::layout::Rect;

    #[test]
    fn clicks_and_the_wheel_change_the_plot() {
        let mut state = State::new();
        for name in ["Loss", "Accuracy"] {
            state.update(Split::Train, MetricState::Numeric(MetricEntry::new(name, "1", ""), 1.0));
        }
        let areas = Areas::new(Rect::new(0, 0, 100, 30));
        let bar = areas.tab_line();
        let mut send = |kind, column, row| {
            state.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }, &areas);
            (state.selected, state.history)
        };
        let click = MouseEventKind::Down(MouseButton::Left);
        assert_eq!(send(click, bar.x + 12, bar.y), (1, History::Full));
        assert_eq!(send(click, bar.x + 3, bar.y), (0, History::Full));
        assert_eq!(send(click, bar.x + 30, bar.y), (0, History::Full));
        assert_eq!(send(click, areas.plot.x + 5, areas.plot.y + 5), (0, History::Recent));
        assert_eq!(send(MouseEventKind::ScrollDown, 0, 0), (1, History::Recent));
        assert_eq!(send(MouseEventKind::ScrollUp, 0, 0), (0, History::Recent));
    }
}

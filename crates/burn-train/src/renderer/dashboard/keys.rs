use super::state::{History, Phase, Prompt, State};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Request of a key to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Nothing,
    /// Finish the step, save a checkpoint and return.
    Stop,
    /// End the program now.
    Abort,
    /// Close the dashboard of a run that is over.
    Close,
}

impl State {
    /// Does what a key asks for.
    pub(super) fn press(&mut self, key: KeyEvent) -> Answer {
        if key.kind == KeyEventKind::Release {
            return Answer::Nothing;
        }
        let quits = key.code == KeyCode::Char('q')
            || (key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL));
        match (self.phase, self.prompt) {
            (Phase::Over, _) if quits || key.code == KeyCode::Esc => Answer::Close,
            (Phase::Starting | Phase::Running(_), Prompt::Quit) => self.press_in_prompt(key.code),
            (Phase::Starting | Phase::Running(_), Prompt::Closed) if quits => {
                self.prompt = Prompt::Quit;
                Answer::Nothing
            }
            _ => {
                self.browse(key.code);
                Answer::Nothing
            }
        }
    }

    fn press_in_prompt(&mut self, key: KeyCode) -> Answer {
        match key {
            KeyCode::Char('s') | KeyCode::Enter => {
                self.prompt = Prompt::Closed;
                self.stop = Some("stopping after the step".to_string());
                Answer::Stop
            }
            KeyCode::Char('a') => Answer::Abort,
            KeyCode::Char('c' | 'n') | KeyCode::Esc => {
                self.prompt = Prompt::Closed;
                Answer::Nothing
            }
            _ => Answer::Nothing,
        }
    }

    /// Switches between all of the curves and the recent part.
    pub(super) fn switch_history(&mut self) {
        self.history = match self.history {
            History::Full => History::Recent,
            History::Recent => History::Full,
        }
    }

    fn browse(&mut self, key: KeyCode) {
        let count = self.metrics.len().max(1);
        match key {
            KeyCode::Right | KeyCode::Tab => self.selected = (self.selected + 1) % count,
            KeyCode::Left | KeyCode::BackTab => self.selected = (self.selected + count - 1) % count,
            KeyCode::Up | KeyCode::Down => self.switch_history(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Split;
    use crate::metric::MetricEntry;
    use crate::renderer::MetricState;

    fn state() -> State {
        let mut state = State::new();
        for name in ["Loss", "Accuracy", "Learning Rate"] {
            state.update(Split::Train, MetricState::Numeric(MetricEntry::new(name, "1", ""), 1.0));
        }
        state
    }

    fn press(state: &mut State, code: KeyCode) -> Answer {
        state.press(KeyEvent::from(code))
    }

    #[test]
    fn arrows_go_round_the_metrics_and_histories() {
        let mut state = state();
        let mut selected = |code| {
            press(&mut state, code);
            (state.selected, state.history)
        };
        assert_eq!(selected(KeyCode::Right), (1, History::Full));
        assert_eq!(selected(KeyCode::Right), (2, History::Full));
        assert_eq!(selected(KeyCode::Right), (0, History::Full));
        assert_eq!(selected(KeyCode::Left), (2, History::Full));
        assert_eq!(selected(KeyCode::Down), (2, History::Recent));
        assert_eq!(selected(KeyCode::Up), (2, History::Full));
    }

    #[test]
    fn quitting_takes_two_keys() {
        let mut state = state();
        assert_eq!(press(&mut state, KeyCode::Char('s')), Answer::Nothing);
        assert_eq!(press(&mut state, KeyCode::Char('q')), Answer::Nothing);
        assert_eq!((state.prompt, state.stop.is_some()), (Prompt::Quit, false));
        assert_eq!(press(&mut state, KeyCode::Esc), Answer::Nothing);
        assert_eq!(state.prompt, Prompt::Closed);

        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(state.press(control_c), Answer::Nothing);
        assert_eq!(press(&mut state, KeyCode::Char('s')), Answer::Stop);
        assert!(state.stop.is_some() && state.prompt == Prompt::Closed);
        press(&mut state, KeyCode::Char('q'));
        assert_eq!(press(&mut state, KeyCode::Char('a')), Answer::Abort);
    }

    #[test]
    fn a_run_that_is_over_is_closed_by_one_key() {
        let mut state = state();
        state.phase = Phase::Over;
        assert_eq!(press(&mut state, KeyCode::Right), Answer::Nothing);
        assert_eq!(press(&mut state, KeyCode::Char('q')), Answer::Close);
    }

    #[test]
    fn without_metrics_arrows_do_nothing() {
        let mut state = State::new();
        press(&mut state, KeyCode::Left);
        assert_eq!(state.selected, 0);
    }
}

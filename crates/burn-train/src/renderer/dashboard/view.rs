use super::state::{History, Metric, Phase, Prompt, State, short};
use super::tabs::VisibleTabs;
use crate::Split;
use crate::axis::Axis;
use crate::history::{RECENT, RunEnd};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Flex, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{self, Block, Chart, Clear, Dataset, Gauge, GraphType, Paragraph, Wrap};
use std::time::Duration;

/// The parts of the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Areas {
    status: Rect,
    values: Rect,
    tabs: Rect,
    pub(super) plot: Rect,
    progress: Rect,
}

impl Areas {
    pub(super) fn new(screen: Rect) -> Self {
        let [top, progress] = Layout::vertical([Constraint::Min(8), Constraint::Length(6)]).areas(screen);
        let [left, right] = Layout::horizontal([Constraint::Length(36), Constraint::Min(30)]).areas(top);
        let [status, values] = Layout::vertical([Constraint::Length(9), Constraint::Min(3)]).areas(left);
        let [tabs, plot] = Layout::vertical([Constraint::Length(3), Constraint::Min(3)]).areas(right);
        Self { status, values, tabs, plot, progress }
    }

    /// Returns the line of the tabs, inside of their border.
    pub(super) fn tab_line(&self) -> Rect {
        Block::bordered().inner(self.tabs)
    }
}

/// Draws the dashboard.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let areas = Areas::new(frame.area());
    draw_status(frame, areas.status, state);
    draw_values(frame, areas.values, state);
    draw_plot(frame, &areas, state);
    draw_progress(frame, areas.progress, state);
    if state.prompt == Prompt::Quit {
        draw_prompt(frame);
    }
}

fn color(split: Split) -> Color {
    match split {
        Split::Train => Color::Red,
        Split::Valid => Color::Cyan,
        Split::Test => Color::Green,
    }
}

fn draw_status(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let doing = match (&state.stop, state.phase) {
        (_, Phase::Over) => "over, press q to close".to_string(),
        (Some(stop), _) => stop.clone(),
        (None, Phase::Starting) => "starting".to_string(),
        (None, Phase::Running(Split::Train)) => "training".to_string(),
        (None, Phase::Running(Split::Valid)) => "validating".to_string(),
        (None, Phase::Running(Split::Test)) => "testing".to_string(),
    };
    let progress = &state.progress;
    let items = format!("{} / {}", progress.progress.items_processed, progress.progress.items_total);
    let mut epoch = format!("{} / {}", progress.epoch, progress.epoch_total);
    epoch += match state.outcome.as_ref().map(|outcome| &outcome.end) {
        Some(RunEnd::StoppedEarly) => ", stopped early",
        Some(RunEnd::Interrupted { .. }) => ", stopped",
        Some(RunEnd::NothingLeft) => ", nothing left",
        Some(RunEnd::Finished) | None => "",
    };
    let left = state.remaining().map_or(String::new(), |left| format!(", {} left", clock(left)));
    let row = |name: &str, value: String| Line::from(vec![format!("{name:<10}").bold(), Span::from(value)]);
    let lines = vec![
        row("Status", doing),
        row("Epoch", epoch),
        row("Iteration", progress.iteration.to_string()),
        row("Items", items),
        row("Time", clock(state.elapsed()) + &left),
        row("Speed", state.speed.text().unwrap_or_else(|| "-".to_string())),
        row("Rate", state.lr.map_or("-".to_string(), short)),
    ];
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Status ")), area);
}

fn draw_values(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let value = |split: Split, text: &str| {
        Line::from(vec![
            Span::styled(format!("  {split} "), Style::new().fg(color(split))),
            Span::from(text.to_string()),
        ])
    };
    let mut lines = Vec::new();
    for metric in &state.metrics {
        let mut name = vec![metric.name.clone().bold()];
        name.extend(
            metric.best().map(|best| format!("  best {}, epoch {}", best.formatted, best.epoch).dim()),
        );
        lines.push(Line::from(name));
        for split in Split::ALL {
            lines.extend(metric.line(split).formatted.as_deref().map(|text| value(split, text)));
        }
    }
    for (split, entry) in &state.notes {
        lines.push(Line::from(entry.name.clone().bold()));
        lines.push(value(*split, &entry.formatted));
    }
    let keys = Line::from(" \u{2190} \u{2192} metric  \u{2191} \u{2193} history  q quit ").dim();
    let block = Block::bordered().title(" Metrics ").title_bottom(keys);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn draw_plot(frame: &mut Frame<'_>, areas: &Areas, state: &State) {
    let (names, line) = (state.names(), areas.tab_line());
    frame.render_widget(Block::bordered().title(" Plots "), areas.tabs);
    let tabs = VisibleTabs::new(&names, state.selected, line.width);
    frame.render_widget(tabs.line(&names, state.selected), line);
    let history = match state.history {
        History::Full => "Full history",
        History::Recent => "Recent history",
    };
    match state.metrics.get(state.selected) {
        Some(metric) => {
            let block = Block::bordered().title(format!(" {}: {history} ", metric.name));
            draw_chart(frame, areas.plot, block, metric, state.history);
        }
        None => frame.render_widget(Block::bordered().title(format!(" {history} ")), areas.plot),
    }
}

fn draw_chart(frame: &mut Frame<'_>, area: Rect, block: Block<'_>, metric: &Metric, history: History) {
    let points = |split: Split| {
        let curve = &metric.line(split).curve;
        match history {
            History::Full => curve.full(),
            History::Recent => {
                let last =
                    Split::ALL.map(|split| metric.line(split).curve.last_x()).into_iter().fold(0.0, f64::max);
                curve.recent_from(last - RECENT as f64 + 1.0)
            }
        }
    };
    let lines = Split::ALL.map(|split| (split, points(split)));
    let all = || lines.iter().flat_map(|(_, points)| points);
    let inner = block.inner(area);
    let x = Axis::of_whole_numbers(all().map(|point| point.0), usize::from(inner.width) / 12);
    let y = Axis::new(all().map(|point| point.1), usize::from(inner.height) / 3);
    let shown = || lines.iter().filter(|(_, points)| !points.is_empty());
    let datasets = shown().map(|(split, points)| {
        let style = Style::new().fg(color(*split));
        let dataset = Dataset::default().marker(Marker::Braille).style(style);
        dataset.graph_type(GraphType::Line).data(points)
    });
    let axis = |axis: Option<Axis>, alignment| {
        let drawn = widgets::Axis::default().labels_alignment(alignment);
        match axis {
            Some(axis) => {
                drawn.bounds([axis.low, axis.high]).labels(axis.ticks().map(|tick| axis.label(tick)))
            }
            None => drawn,
        }
    };
    // On the border, where no curve is.
    let legend =
        shown().map(|(split, _)| Span::styled(format!(" \u{25cf} {split}"), Style::new().fg(color(*split))));
    let legend: Vec<Span<'_>> = legend.chain([Span::from(" ")]).collect();
    let block = block.title_bottom(Line::from(legend).right_aligned());
    frame.render_widget(
        Chart::new(datasets.collect())
            .x_axis(axis(x, Alignment::Left))
            .y_axis(axis(y, Alignment::Right))
            .block(block),
        area,
    );
}

fn draw_progress(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let [run, phase_area] = Layout::vertical([Constraint::Length(3); 2]).areas(area);
    let split = match state.phase {
        Phase::Running(split) => split,
        Phase::Starting | Phase::Over => Split::Train,
    };
    let gauge = |ratio: f64, title: String, color| {
        Gauge::default()
            .ratio(ratio)
            .gauge_style(Style::new().fg(color))
            .block(Block::bordered().title(title))
    };
    frame.render_widget(gauge(state.done(), " Run ".to_string(), Color::Yellow), run);
    let title = format!(" Epoch {} {split} ", state.progress.epoch);
    frame.render_widget(gauge(state.in_phase(), title, color(split)), phase_area);
}

fn draw_prompt(frame: &mut Frame<'_>) {
    let [row] = Layout::vertical([Constraint::Length(7)]).flex(Flex::Center).areas(frame.area());
    let [area] = Layout::horizontal([Constraint::Length(58)]).flex(Flex::Center).areas(row);
    let lines = vec![
        Line::default(),
        Line::from(" s  stop: finish this step and save a checkpoint of it"),
        Line::from(" a  abort: end the program now, without a checkpoint"),
        Line::from(" c  continue"),
    ];
    let block = Block::bordered().title(" Quit? ").title_alignment(Alignment::Center).yellow();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::MetricEntry;
    use crate::renderer::{MetricState, TrainingProgress};
    use burn_dataset::dataloader::Progress;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};

    fn screen(state: &State, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, state)).unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        (0..height).map(row).collect()
    }

    fn state() -> State {
        let mut state = State::new();
        for iteration in 1..=20 {
            for (name, value) in [("Loss", 1.0 / f64::from(iteration)), ("Accuracy", f64::from(iteration))] {
                let entry = MetricEntry::new(name, format!("{value:.2}"), "");
                state.update(Split::Train, MetricState::Numeric(entry, value));
            }
            let iteration = iteration as usize;
            let progress = Progress::new(iteration * 5, 200);
            let item = TrainingProgress { progress, epoch: 2, epoch_total: 4, iteration };
            state.advance(Split::Train, item);
        }
        let entry = MetricEntry::new("Loss", "0.31", "");
        state.update(Split::Valid, MetricState::Numeric(entry, 0.31));
        state.update(Split::Valid, MetricState::Generic(MetricEntry::new("Confusion", "3 of 5", "")));
        state
    }

    #[track_caller]
    fn contains(screen: &[String], texts: &[&str]) {
        for text in texts {
            assert!(screen.iter().any(|row| row.contains(text)), "no {text:?} in\n{}", screen.join("\n"));
        }
    }

    #[test]
    fn tr_029_all_parts_are_on_the_screen() {
        let screen = screen(&state(), 100, 30);
        contains(&screen, &["Status    training", "Epoch     2 / 4", "Items     100 / 200", "Iteration 20"]);
        contains(&screen, &["Speed     ", " items/s"]);
        contains(
            &screen,
            &["Train 0.05", "Valid 0.31", "Valid 3 of 5", "Loss \u{2502} Accuracy", "Full history"],
        );
        contains(&screen, &[" Run ", "38%", " Epoch 2 Train ", "50%"]);
        let dots = |row: &String| row.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
        assert!(screen.iter().filter(|row| dots(row)).count() >= 10, "{}", screen.join("\n"));
    }

    #[test]
    fn tr_029_keys_change_the_plot() {
        let mut state = state();
        let loss = screen(&state, 100, 30);
        contains(&loss, &["1.0\u{2502}", " 0\u{2502}"]);
        state.press(KeyEvent::from(KeyCode::Right));
        state.press(KeyEvent::from(KeyCode::Down));
        let accuracy = screen(&state, 100, 30);
        contains(&accuracy, &["Recent history", "20\u{2502}"]);
    }

    #[test]
    fn the_prompt_covers_the_plot_until_it_is_answered() {
        let mut state = state();
        state.press(KeyEvent::from(KeyCode::Char('q')));
        contains(
            &screen(&state, 100, 30),
            &["Quit?", "s  stop: finish this step and save a checkpoint of it"],
        );
        state.press(KeyEvent::from(KeyCode::Char('s')));
        let stopping = screen(&state, 100, 30);
        contains(&stopping, &["stopping after the step"]);
        assert!(!stopping.iter().any(|row| row.contains("Quit?")));
    }

    /// Where there is little room, the plot keeps its title, then the status its names.
    #[test]
    fn any_size_shows_what_has_room() {
        let texts = ["Status", "training", "Train 0.05", "Epoch 2 Train"];
        for (width, height, title, shown) in [
            (1, 1, false, [false; 4]),
            (20, 5, true, [false; 4]),
            (40, 12, true, [true, false, false, true]),
            (300, 80, true, [true; 4]),
        ] {
            let drawn = screen(&state(), width, height);
            let has = |text: &str| drawn.iter().any(|row| row.contains(text));
            assert_eq!(texts.map(has), shown, "{width} x {height}:\n{}", drawn.join("\n"));
            assert_eq!(has("Loss: Full"), title, "{}", drawn.join("\n"));
            let first = screen(&State::new(), width, height);
            assert_eq!(first.iter().any(|row| row.contains("Full history")), title, "{}", first.join("\n"));
        }
    }

    #[test]
    fn the_legend_is_on_the_border_of_a_small_terminal() {
        let screen = screen(&state(), 80, 24);
        let legend = screen.iter().position(|row| row.contains("\u{25cf} Train \u{25cf} Valid")).unwrap();
        assert!(screen[legend].contains('\u{2518}'), "{}", screen.join("\n"));
        let first = |text: &str| screen.iter().position(|row| row.contains(text)).unwrap();
        assert!(first("Loss: Full history") < legend && legend <= first(" Run "), "{}", screen.join("\n"));
    }

    #[test]
    fn axes_are_round_and_stay_in_the_range_of_the_metric() {
        let mut state = State::new();
        for (at, percent) in [61.5, 88.1, 99.98].into_iter().enumerate() {
            let entry = MetricEntry::new("Accuracy", format!("{percent:.2} %"), "");
            state.update(Split::Train, MetricState::Numeric(entry, percent));
            let item = TrainingProgress { iteration: at + 1, ..Default::default() };
            state.advance(Split::Train, item);
        }
        let screen = screen(&state, 80, 24);
        contains(&screen, &["100\u{2502}", " 60\u{2502}"]);
        let numbers = screen
            .iter()
            .filter_map(|row| row[..].split('\u{2502}').rev().nth(2)?.trim().parse::<f64>().ok());
        assert!(
            numbers.clone().count() >= 2 && numbers.into_iter().all(|tick| tick <= 100.0),
            "{}",
            screen.join("\n")
        );
    }

    #[test]
    fn the_end_and_the_best_epoch_are_shown() {
        use crate::history::RunOutcome;
        let mut state = state();
        state.lr = Some(2.5e-4);
        state.end(&RunOutcome {
            end: RunEnd::StoppedEarly,
            epochs: 4,
            last_epoch: 2,
            best: None,
            returns_best: false,
        });
        state.phase = Phase::Over;
        let screen = screen(&state, 80, 24);
        contains(&screen, &["Epoch     2 / 4, stopped early", "Rate      2.50e-4", "over, press q to close"]);
    }
}

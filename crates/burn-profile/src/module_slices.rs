use crate::Event;
use crate::event::SpanEvent;
use std::collections::BTreeMap;

/// Returns a slice for each module and the modules that it is in, around the calls of a thread that follow
/// each other.
pub fn module_slices(events: &[Event]) -> Vec<SpanEvent> {
    let mut threads: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in events {
        threads.entry(event.thread).or_default().push(event);
    }
    let mut slices = Vec::new();
    for events in threads.values_mut() {
        events.sort_by_key(|event| event.begin);
        add_slices_of_thread(events, &mut slices);
    }
    slices
}

fn add_slices_of_thread(events: &[&Event], slices: &mut Vec<SpanEvent>) {
    // Slices that may go on, the outermost first, all in one span.
    let (mut open, mut span): (Vec<SpanEvent>, &str) = (Vec::new(), "");
    for event in events {
        let paths = paths(event);
        let is_same = |(open, path): &(&SpanEvent, &String)| open.path == **path;
        let common = if span == event.span { open.iter().zip(&paths).take_while(is_same).count() } else { 0 };
        span = &event.span;
        slices.extend(open.drain(common..));
        for path in paths.into_iter().skip(common) {
            let (thread, begin) = (event.thread, event.begin);
            open.push(SpanEvent { path, thread, begin, duration: event.duration });
        }
        for slice in &mut open {
            slice.duration = event.begin + event.duration - slice.begin;
        }
    }
    slices.append(&mut open);
}

/// Returns the paths of the module of an event and of those that it is in, the outermost first: `a
/// (backward)` and `a.b (backward)` of `a.b (backward)`. A span has a slice of its own.
fn paths(event: &Event) -> Vec<String> {
    if event.module == event.span {
        return Vec::new();
    }
    let (module, phase) = match event.module.find(" (") {
        Some(at) => event.module.split_at(at),
        None => (event.module.as_str(), ""),
    };
    let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
    ends.map(|end| format!("{}{phase}", &module[..end])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn event(begin: u64, module: &str, span: &str) -> Event {
        Event {
            module: module.into(),
            span: span.into(),
            name: "add".into(),
            operands: Vec::new(),
            thread: 1,
            begin: Duration::from_nanos(begin),
            duration: Duration::from_nanos(5),
            bytes: 0,
        }
    }

    #[test]
    fn slices_are_around_calls_of_one_module_that_follow_each_other() {
        let events = [
            event(0, "a.0", ""),
            event(10, "a.1", ""),
            event(20, "step", "step"),
            event(30, "a.1 (backward)", "step"),
        ];
        let slices = module_slices(&events);
        let mut found: Vec<(&str, u128, u128)> = slices
            .iter()
            .map(|slice| (slice.path.as_str(), slice.begin.as_nanos(), slice.duration.as_nanos()))
            .collect();
        found.sort();
        let expected =
            [("a", 0, 15), ("a (backward)", 30, 5), ("a.0", 0, 5), ("a.1", 10, 5), ("a.1 (backward)", 30, 5)];
        assert_eq!(found, expected);
    }
}

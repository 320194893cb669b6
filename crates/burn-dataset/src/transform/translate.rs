use std::ops::ControlFlow;

use crate::{Dataset, DatasetError, Receive};

/// Reads the items whose indices `place` finds, in one call of the dataset between those that have none.
pub(super) fn read_translated<I, D: Dataset<I>>(
    dataset: &D,
    indices: &[usize],
    place: impl Fn(usize) -> Result<Option<usize>, DatasetError>,
    receive: &mut Receive<'_, I>,
) {
    let mut found = Vec::with_capacity(indices.len());
    for &index in indices {
        match place(index) {
            Ok(Some(index)) => found.push(index),
            missing => {
                let flow = read_found(dataset, &mut found, receive);
                if flow.is_break() || receive(missing.map(|_| None)).is_break() {
                    return;
                }
            }
        }
    }
    let _ = read_found(dataset, &mut found, receive);
}

fn read_found<I, D: Dataset<I>>(
    dataset: &D,
    found: &mut Vec<usize>,
    receive: &mut Receive<'_, I>,
) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    dataset.read_many(found, &mut |item| {
        flow = receive(item);
        flow
    });
    found.clear();
    flow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn read(most: usize) -> Vec<Option<usize>> {
        let dataset: InMemDataset<usize> = (0..10).collect();
        let place = |index: usize| Ok((index != 2).then_some(index + 1));
        let mut items = Vec::new();
        read_translated(&dataset, &[0, 1, 2, 3, 20], place, &mut |item| {
            items.push(item.unwrap());
            if items.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        items
    }

    #[test]
    fn items_that_are_not_there_keep_their_place() {
        assert_eq!(read(10), [Some(1), Some(2), None, Some(4), None]);
    }

    #[test]
    fn nothing_is_read_after_a_break() {
        assert_eq!((1..=4).map(|most| read(most).len()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}

//! The loader under strain: failures, early drops, slow items, many items.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder, DataLoaderError, Progress};
use burn_dataset::transform::{
    ComposedDataset, MapperDataset, PartialDataset, SamplerDataset, ShuffledDataset, WindowsDataset,
};
use burn_dataset::{Dataset, DatasetError, InMemDataset};

const WORKERS: [usize; 4] = [0, 1, 2, 4];

/// Counts reads and does at one index what the test says.
struct Probe {
    len: usize,
    reads: Arc<AtomicUsize>,
    at: usize,
    action: fn() -> Option<usize>,
}

impl Probe {
    fn new(len: usize) -> Self {
        Self { len, reads: Arc::default(), at: usize::MAX, action: || None }
    }

    fn acting(len: usize, at: usize, action: fn() -> Option<usize>) -> Self {
        Self { at, action, ..Self::new(len) }
    }
}

impl Dataset<usize> for Probe {
    fn get(&self, index: usize) -> Option<usize> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if index == self.at { (self.action)() } else { (index < self.len).then_some(index) }
    }

    fn len(&self) -> usize {
        self.len
    }
}

fn keep(items: Vec<usize>) -> Vec<usize> {
    items
}

fn loader<D: Dataset<usize> + 'static>(dataset: D, workers: usize) -> Arc<dyn DataLoader<Vec<usize>>> {
    DataLoaderBuilder::new(keep).batch_size(10).num_workers(workers).build(dataset)
}

/// Runs an epoch to its end and returns its batches and its error.
fn run(loader: &dyn DataLoader<Vec<usize>>) -> (Vec<Vec<usize>>, Option<DataLoaderError>) {
    let mut iterator = loader.iter();
    let mut batches = Vec::new();
    loop {
        match iterator.try_next() {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => return (batches, None),
            Err(error) => {
                assert_eq!(iterator.try_next(), Ok(None));
                return (batches, Some(error));
            }
        }
    }
}

#[test]
fn batches_and_their_order_do_not_depend_on_the_number_of_workers() {
    let epochs = |workers| -> Vec<Vec<Vec<usize>>> {
        let dataset = (0..1_003).collect::<InMemDataset<usize>>();
        let loader =
            DataLoaderBuilder::new(keep).batch_size(16).shuffle(5).num_workers(workers).build(dataset);
        (0..3).map(|_| loader.iter().collect()).collect()
    };
    let expected = epochs(0);
    assert_ne!(expected[0], expected[1]);
    assert_ne!(expected[1], expected[2]);
    for workers in [1, 2, 4, 7] {
        assert_eq!(epochs(workers), expected, "{workers} workers");
    }
}

#[test]
fn order_survives_batches_that_take_unequal_time() {
    let uneven = |items: Vec<usize>| {
        std::thread::sleep(Duration::from_millis(if items[0].is_multiple_of(20) { 6 } else { 0 }));
        items[0]
    };
    let dataset = (0..200).collect::<InMemDataset<usize>>();
    let loader = DataLoaderBuilder::new(uneven).batch_size(10).num_workers(4).build(dataset);
    assert_eq!(loader.iter().collect::<Vec<_>>(), (0..200).step_by(10).collect::<Vec<_>>());
}

#[test]
fn a_missing_item_ends_the_epoch_with_its_index() {
    for workers in WORKERS {
        let (batches, error) = run(&*loader(Probe::acting(100, 37, || None), workers));
        assert_eq!(batches.concat(), (0..30).collect::<Vec<_>>(), "{workers} workers");
        assert_eq!(error, Some(DataLoaderError::MissingItem { index: 37, len: 100 }));
    }
}

/// Gives numbers, except one that it cannot read.
struct Unreadable;

impl Dataset<usize> for Unreadable {
    fn get(&self, index: usize) -> Option<usize> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<usize>, DatasetError> {
        match index {
            37 => Err(DatasetError::Damaged {
                path: "37.png".into(),
                reason: "it is empty".to_owned(),
                advice: "Draw it again".to_owned(),
            }),
            _ => Ok((index < self.len()).then_some(index)),
        }
    }

    fn len(&self) -> usize {
        100
    }
}

#[test]
fn an_unreadable_item_ends_the_epoch_with_its_index_and_reason_through_every_transform() {
    let check = |dataset: Box<dyn Dataset<usize>>, at| {
        let dataset = Arc::new(dataset);
        for workers in WORKERS {
            let message = "37.png is damaged: it is empty. Draw it again".to_owned();
            let expected = DataLoaderError::UnreadableItem { index: at, message };
            let dataset = PartialDataset::new(Arc::clone(&dataset), 0, usize::MAX);
            assert_eq!(run(&*loader(dataset, workers)).1, Some(expected));
        }
    };
    check(Box::new(Unreadable), 37);
    check(Box::new(PartialDataset::new(Unreadable, 30, 60)), 7);
    check(Box::new(MapperDataset::new(Unreadable, |item: &usize| *item)), 37);
    check(Box::new(ComposedDataset::new(vec![Unreadable, Unreadable])), 37);
    let windows = WindowsDataset::new(Unreadable, 5);
    check(Box::new(MapperDataset::new(windows, |window: &Vec<usize>| window[0])), 33);

    let position = |dataset: &dyn Dataset<usize>| (0..100).position(|index| dataset.get(index).is_none());
    let shuffled = ShuffledDataset::with_seed(Unreadable, 1);
    let position_in_shuffled = position(&shuffled).unwrap();
    check(Box::new(shuffled), position_in_shuffled);
    let sampled = SamplerDataset::without_replacement(Unreadable, 100);
    let position_in_sampled = position(&sampled).unwrap();
    check(Box::new(sampled), position_in_sampled);
}

#[test]
fn a_dataset_that_panics_ends_the_epoch_with_its_index_and_message() {
    for workers in WORKERS {
        let (batches, error) = run(&*loader(Probe::acting(100, 52, || panic!("disk on fire")), workers));
        assert_eq!(batches.len(), 5, "{workers} workers");
        let message = "disk on fire".to_owned();
        assert_eq!(error, Some(DataLoaderError::DatasetPanicked { index: 52, message }));
    }
}

#[test]
fn a_batcher_that_panics_ends_the_epoch_with_its_batch_and_message() {
    for workers in WORKERS {
        let fussy = |items: Vec<usize>| {
            assert!(!items.contains(&25), "item {} is bad", 25);
            items
        };
        let dataset = (0..50).collect::<InMemDataset<usize>>();
        let loader = DataLoaderBuilder::new(fussy).batch_size(10).num_workers(workers).build(dataset);
        let (batches, error) = run(&*loader);

        assert_eq!(batches.len(), 2, "{workers} workers");
        let error = error.expect("the batch with item 25 fails");
        assert!(matches!(&error, DataLoaderError::BatcherPanicked { batch: 2, indices, .. }
            if *indices == (20..30).collect::<Vec<_>>()));
        assert!(error.to_string().contains("indices 20 21 22"), "{error}");
        assert!(error.to_string().contains("item 25 is bad"), "{error}");
    }
}

/// A payload that panics when it is dropped takes the worker with it.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("the payload panics too");
    }
}

#[test]
fn a_worker_that_dies_ends_the_epoch_with_its_batch() {
    for workers in [1, 4] {
        let probe = Probe::acting(100, 52, || std::panic::panic_any(Grenade));
        let (batches, error) = run(&*loader(probe, workers));
        assert_eq!(batches.len(), 5, "{workers} workers");
        let indices = (50..60).collect();
        assert_eq!(error, Some(DataLoaderError::WorkerLost { batch: 5, indices }));
    }
}

#[test]
fn the_epoch_after_a_failed_one_runs() {
    static FAILURES: AtomicUsize = AtomicUsize::new(0);
    let fail_once = || (FAILURES.fetch_add(1, Ordering::SeqCst) > 0).then_some(37);
    let loader = loader(Probe::acting(100, 37, fail_once), 2);

    assert!(run(&*loader).1.is_some());
    assert_eq!(run(&*loader).0.concat(), (0..100).collect::<Vec<_>>());
}

#[test]
fn the_plain_iterator_panics_with_the_text_of_the_error() {
    for workers in WORKERS {
        let loader = loader(Probe::acting(100, 37, || None), workers);
        let consume = || loader.iter().count();
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(consume)).unwrap_err();
        let message = payload.downcast_ref::<String>().expect("a panic with a formatted message");
        assert_eq!(message, "the dataset returned no item at index 37, below its length 100");
    }
}

#[test]
fn an_iterator_that_is_dropped_early_stops_its_workers() {
    for workers in WORKERS {
        let probe = Probe::new(1_000_000);
        let reads = Arc::clone(&probe.reads);
        let loader = loader(probe, workers);

        let mut iterator = loader.iter();
        assert_eq!(iterator.next(), Some((0..10).collect()));
        drop(iterator);

        let after = reads.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(reads.load(Ordering::SeqCst), after, "{workers} workers read on");
        // Each worker is at most two batches ahead of the one that was taken.
        assert!(after <= 10 * (1 + 2 * workers.max(1)), "{after} reads by {workers} workers");
    }
}

#[test]
fn a_drop_waits_for_one_item_not_for_a_batch() {
    struct Slow;
    impl Dataset<usize> for Slow {
        fn get(&self, index: usize) -> Option<usize> {
            std::thread::sleep(Duration::from_millis(20));
            Some(index)
        }
        fn len(&self) -> usize {
            100_000
        }
    }
    let loader = DataLoaderBuilder::new(keep).batch_size(50_000).num_workers(2).build(Slow);
    let iterator = loader.iter();
    let begin = Instant::now();
    drop(iterator);
    // A whole batch would take 1,000 seconds.
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn prefetch_is_bounded() {
    for workers in [1, 4] {
        let probe = Probe::new(100_000);
        let reads = Arc::clone(&probe.reads);
        let loader = loader(probe, workers);
        let mut iterator = loader.iter();
        for taken in 1..=5 {
            iterator.next();
            std::thread::sleep(Duration::from_millis(5));
            let ahead = reads.load(Ordering::SeqCst) - 10 * taken;
            assert!(ahead <= 10 * 2 * workers, "{ahead} items ahead with {workers} workers");
        }
    }
}

#[test]
fn progress_counts_items() {
    for workers in WORKERS {
        let loader = loader(Probe::new(25), workers);
        let mut iterator = loader.iter();
        assert_eq!(iterator.progress(), Progress::new(0, 25));
        let mut processed = Vec::new();
        while iterator.next().is_some() {
            processed.push(iterator.progress().items_processed);
        }
        assert_eq!(processed, [10, 20, 25]);
        assert_eq!(iterator.progress(), Progress::new(25, 25));
        assert_eq!(iterator.next(), None);
    }
}

#[test]
fn an_epoch_can_be_run_again_by_its_number() {
    let loader = |workers| {
        let dataset = (0..40).collect::<InMemDataset<usize>>();
        DataLoaderBuilder::new(keep).batch_size(8).shuffle(1).num_workers(workers).build(dataset)
    };
    let through: Vec<Vec<Vec<usize>>> = {
        let loader = loader(2);
        (0..4).map(|_| loader.iter().collect()).collect()
    };

    let resumed = loader(0);
    resumed.set_next_epoch(3);
    assert_eq!(resumed.iter().collect::<Vec<_>>(), through[2]);
    assert_eq!(resumed.next_epoch(), 4);
    assert_eq!(resumed.iter_epoch(2).collect::<Vec<_>>(), through[1]);
    assert_eq!(resumed.next_epoch(), 4);
    assert_eq!(resumed.iter().collect::<Vec<_>>(), through[3]);
}

#[test]
fn an_empty_dataset_has_no_batch() {
    for workers in WORKERS {
        let loader = loader(Probe::new(0), workers);
        assert_eq!((loader.num_items(), loader.num_batches()), (0, 0));
        assert_eq!(run(&*loader), (vec![], None));
    }
}

#[test]
fn two_iterators_run_side_by_side() {
    let loader = loader(Probe::new(100), 2);
    let (mut first, mut second) = (loader.iter(), loader.iter());
    for _ in 0..10 {
        assert_eq!(first.next(), second.next());
    }
    assert_eq!((first.next(), second.next()), (None, None));
}

#[test]
fn a_hundred_thousand_items_pass_through() {
    for workers in WORKERS {
        let begin = Instant::now();
        let dataset = (0..100_000).collect::<InMemDataset<usize>>();
        let loader = DataLoaderBuilder::new(|items: Vec<usize>| items.iter().sum::<usize>())
            .batch_size(32)
            .shuffle(9)
            .num_workers(workers)
            .build(dataset);
        assert_eq!(loader.iter().sum::<usize>(), 4_999_950_000);
        println!("{workers} workers: 100,000 items in {:?}", begin.elapsed());
    }
}

/// As many items as can be counted.
struct Endless;

impl Dataset<usize> for Endless {
    fn get(&self, index: usize) -> Option<usize> {
        Some(index)
    }

    fn len(&self) -> usize {
        usize::MAX
    }
}

#[test]
fn an_order_that_memory_cannot_hold_is_an_error() {
    let shuffled = ShuffledDataset::with_seed(Endless, 1);
    let error = shuffled.try_get(0).unwrap_err();
    assert!(matches!(error, DatasetError::TooManyItems { items: usize::MAX }), "{error}");
    assert!(shuffled.try_iter().next().is_some_and(|item| item.is_err()));
}

#[test]
fn more_items_than_can_be_shuffled_are_an_error_once() {
    for workers in [0, 2] {
        let builder = DataLoaderBuilder::new(|items: Vec<usize>| items).batch_size(4).num_workers(workers);
        let loader = builder.shuffle(7).build(Endless);
        let mut batches = loader.iter();
        let error = batches.try_next().unwrap_err();
        assert!(matches!(error, DataLoaderError::NoOrder { items: usize::MAX, .. }), "{error}");
        assert!(error.to_string().contains("cannot be shuffled"), "{error}");
        assert_eq!(batches.try_next(), Ok(None));
        assert_eq!(batches.progress().items_processed, 0);
    }
    let in_order = DataLoaderBuilder::new(|items: Vec<usize>| items).batch_size(4).build(Endless);
    assert_eq!(in_order.iter().nth(1), Some(vec![4, 5, 6, 7]));
}

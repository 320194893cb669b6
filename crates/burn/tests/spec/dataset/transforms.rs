//! Transforms of datasets and what loaders do with many items.

use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::transform::{
    ConcatDataset, MapperDataset, PartialDataset, RngDataset, ShuffledDataset, SplitDataset,
};
use burn::data::dataset::vision::{Annotation, ImageAugmentation, ImageDatasetItem, Pixels};
use burn::data::dataset::{Dataset, DatasetError, InMemDataset, Receive};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn numbers(count: usize) -> InMemDataset<usize> {
    (0..count).collect()
}

fn sorted<I: Ord, D: Dataset<I>>(parts: &[&D]) -> Vec<I> {
    let mut items: Vec<I> = parts.iter().flat_map(|part| part.iter()).collect();
    items.sort();
    items
}

#[test]
fn x_308_a_split_cuts_by_fractions_and_shares_no_item() {
    let split = SplitDataset::shuffled(numbers(101), 42).unwrap();
    let [train, valid, test] = split.fractions([0.8, 0.1, 0.1]).unwrap();
    // round(101 * 0.8) = 81, round(101 * 0.9) = 91.
    assert_eq!([train.len(), valid.len(), test.len()], [81, 10, 10]);
    assert_eq!(sorted(&[&train, &valid, &test]), (0..101).collect::<Vec<_>>());
    let [again, _, _] = SplitDataset::shuffled(numbers(101), 42).unwrap().fractions([0.8, 0.1, 0.1]).unwrap();
    assert_eq!(again.iter().collect::<Vec<_>>(), train.iter().collect::<Vec<_>>());
    assert!(split.fractions([0.8, 0.1]).is_err());
}

#[test]
fn x_308_k_folds_validate_on_every_item_once() {
    let folds = SplitDataset::shuffled(numbers(10), 1).unwrap().k_fold(3).unwrap();
    assert_eq!(folds.iter().map(|fold| fold.valid.len()).collect::<Vec<_>>(), [4, 3, 3]);
    assert_eq!(
        sorted(&folds.iter().map(|fold| &fold.valid).collect::<Vec<_>>()),
        (0..10).collect::<Vec<_>>()
    );
    for fold in &folds {
        assert_eq!(sorted(&[&fold.train, &fold.valid]), (0..10).collect::<Vec<_>>());
    }
    assert!(SplitDataset::in_order(numbers(10)).k_fold::<usize>(11).is_err());
}

#[test]
fn x_308_datasets_of_several_types_follow_each_other() {
    let all = ConcatDataset::new()
        .with(numbers(2))
        .with(MapperDataset::new(numbers(3), |item: &usize| item + 100))
        .with(PartialDataset::new(numbers(9), 7, 9));
    assert_eq!(all.iter().collect::<Vec<_>>(), [0, 1, 100, 101, 102, 7, 8]);
    assert_eq!(all.get(7), None);
}

#[test]
fn x_308_random_items_are_fixed_by_the_seed_and_the_index() {
    let dataset = |seed| RngDataset::new(1_000, seed, |random| random.normal());
    let items: Vec<f64> = dataset(7).iter().collect();
    assert_eq!(dataset(7).get(500), Some(items[500]));
    assert_ne!(dataset(8).get(500), Some(items[500]));
    // Five standard errors of a mean of 1,000 standard normal numbers are 0.158.
    assert!((items.iter().sum::<f64>() / 1_000.0).abs() < 0.158);
}

fn image() -> ImageDatasetItem {
    ImageDatasetItem {
        image: Pixels::U8(vec![1, 2, 3, 4]),
        height: 2,
        width: 2,
        channels: 1,
        annotation: Annotation::Label(0),
        image_path: "a.png".into(),
    }
}

#[test]
fn x_308_augmentations_differ_by_epoch_and_not_by_workers() {
    let epochs = |workers| -> Vec<Vec<Pixels>> {
        let augmentation = ImageAugmentation::new().horizontal_flip(0.5).vertical_flip(0.5).crop([2, 2], 1);
        let loader = DataLoaderBuilder::new(|items: Vec<ImageDatasetItem>| items[0].image.clone())
            .augment(move |item, random| augmentation.apply(item, random))
            .num_workers(workers)
            .build(InMemDataset::new(vec![image(); 20]));
        (0..2).map(|_| loader.iter().collect()).collect()
    };
    let alone = epochs(0);
    assert_ne!(alone[0], alone[1]);
    assert!(alone[0].iter().any(|pixels| *pixels != alone[0][0]), "each item is changed on its own");
    for workers in [1, 3] {
        assert_eq!(epochs(workers), alone, "{workers} workers");
    }
}

/// Counts the calls for many items, and of how many items they were.
#[derive(Clone, Default)]
struct Counting {
    calls: Arc<AtomicUsize>,
    singles: Arc<AtomicUsize>,
}

impl Dataset<usize> for Counting {
    fn get(&self, index: usize) -> Option<usize> {
        self.singles.fetch_add(1, Ordering::SeqCst);
        (index < self.len()).then_some(index)
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, usize>) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        for &index in indices {
            let item = if index == 77 { Err(DatasetError::Other("torn".into())) } else { Ok(Some(index)) };
            if receive(item).is_break() {
                return;
            }
        }
    }

    fn len(&self) -> usize {
        100
    }
}

#[test]
fn x_308_a_batch_is_one_call_through_every_transform() {
    let counting = Counting::default();
    let shuffled = ShuffledDataset::with_seed(PartialDataset::new(counting.clone(), 0, 60), 3);
    let doubled = MapperDataset::new(shuffled, |item: &usize| 2 * item);
    let loader = DataLoaderBuilder::new(|items: Vec<usize>| items).batch_size(20).build(doubled);
    let mut items: Vec<usize> = loader.iter().flatten().collect();
    items.sort();
    assert_eq!(items, (0..60).map(|item| 2 * item).collect::<Vec<_>>());
    assert_eq!((counting.calls.load(Ordering::SeqCst), counting.singles.load(Ordering::SeqCst)), (3, 0));
}

#[test]
fn x_308_an_error_among_many_items_has_its_index() {
    let error = Counting::default().get_many(&[1, 77, 2]).unwrap_err();
    assert_eq!(error.to_string(), "the item at index 77: torn");
    for workers in [0, 2] {
        let builder = DataLoaderBuilder::new(|items: Vec<usize>| items);
        let loader = builder.batch_size(10).num_workers(workers).build(Counting::default());
        let mut batches = loader.iter();
        for _ in 0..7 {
            assert!(batches.try_next().unwrap().is_some());
        }
        let error = batches.try_next().unwrap_err().to_string();
        assert!(error.contains("index 77: torn"), "{error}");
    }
}

#[test]
fn x_308_batches_made_ahead_are_bounded() {
    let made = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&made);
    let loader = DataLoaderBuilder::new(move |items: Vec<usize>| {
        counter.fetch_add(1, Ordering::SeqCst);
        items
    })
    .prefetch(3)
    .num_workers(2)
    .build(numbers(1_000));
    let mut batches = loader.iter();
    for taken in 1..=10 {
        batches.next();
        std::thread::sleep(std::time::Duration::from_millis(3));
        let ahead = made.load(Ordering::SeqCst) - taken;
        assert!(ahead <= 6, "{ahead} batches ahead of the one that was taken");
    }
    let all = loader.iter_epoch(9);
    assert_eq!(all.map(|batch| batch[0]).collect::<Vec<_>>(), (0..1_000).collect::<Vec<_>>());
}

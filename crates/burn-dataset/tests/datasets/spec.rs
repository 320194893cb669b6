//! One test for each promise about datasets (DA) and data loaders (DL).

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn_dataset::dataloader::batcher::Batcher;
use burn_dataset::dataloader::{BatchDataLoader, DataLoader, DataLoaderBuilder, StreamDataLoader};
use burn_dataset::transform::{
    ComposedDataset, Mapper, MapperDataset, PartialDataset, SamplerDataset, ShuffledDataset, WindowsDataset,
};
use burn_dataset::vision::{MnistDataset, MnistItem, MnistSplit};
use burn_dataset::{Dataset, InMemDataset, IterableDataset};

fn numbers(count: usize) -> InMemDataset<usize> {
    (0..count).collect()
}

fn items<I>(dataset: &impl Dataset<I>) -> Vec<I> {
    dataset.iter().collect()
}

#[test]
fn da_001_a_dataset_needs_get_and_len() {
    struct Even;
    impl Dataset<usize> for Even {
        fn get(&self, index: usize) -> Option<usize> {
            (index < 3).then_some(2 * index)
        }
        fn len(&self) -> usize {
            3
        }
    }
    fn shared_by_threads<T: Send + Sync>(_: &T) {}

    shared_by_threads(&Even);
    assert!(!Even.is_empty());
    assert_eq!(items(&Even), [0, 2, 4]);
}

mod only_in_mem_dataset_in_scope {
    use burn_dataset::InMemDataset;

    #[test]
    fn da_002_in_mem_dataset_reads_without_the_trait() {
        let dataset = InMemDataset::new(vec![('x', 1), ('y', 2)]);
        assert_eq!(dataset.len(), 2);
        assert_eq!(dataset.get(1), Some(('y', 2)));
        assert_eq!(dataset.get(2), None);
        assert!(!dataset.is_empty());
    }
}

#[cfg(feature = "csv")]
#[test]
fn da_003_rows_of_a_csv_file_are_items() {
    #[derive(serde::Deserialize, Clone, Debug, PartialEq)]
    struct Row {
        name: String,
        size: f32,
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, "name\tsize\nant\t0.5\nbee\t1\n").unwrap();

    let dataset = InMemDataset::<Row>::from_csv(&path, csv::ReaderBuilder::new().delimiter(b'\t')).unwrap();
    assert_eq!(dataset.get(0), Some(Row { name: "ant".into(), size: 0.5 }));
    assert_eq!(dataset.len(), 2);

    std::fs::write(&path, "name\tsize\nant\tlarge\n").unwrap();
    let error = InMemDataset::<Row>::from_csv(&path, csv::ReaderBuilder::new().delimiter(b'\t')).unwrap_err();
    assert!(error.to_string().contains("rows.csv") && error.to_string().contains("line: 2"), "{error}");
}

#[test]
fn da_006_a_sampler_draws_with_replacement_by_default() {
    let drawn = items(&SamplerDataset::<_, usize>::new(numbers(10), 10));
    let mut distinct = drawn.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(drawn.len(), 10);
    assert!(distinct.len() < 10, "ten draws of ten without a repetition have odds of 1 in 2755: {drawn:?}");
}

#[test]
fn da_006_a_sampler_without_replacement_repeats_nothing() {
    let mut drawn = items(&SamplerDataset::<_, usize>::without_replacement(numbers(10), 10));
    drawn.sort();
    assert_eq!(drawn, items(&numbers(10)));
}

#[test]
fn da_006_a_sample_may_exceed_the_dataset() {
    assert_eq!(items(&SamplerDataset::<_, usize>::new(numbers(3), 50)).len(), 50);
    assert_eq!(items(&SamplerDataset::<_, usize>::without_replacement(numbers(3), 50)).len(), 50);
}

#[test]
fn da_007_a_seed_fixes_the_shuffle() {
    let shuffled = |seed| items(&ShuffledDataset::<_, usize>::with_seed(numbers(20), seed));
    assert_eq!(shuffled(42), shuffled(42));
    assert_ne!(shuffled(42), shuffled(43));

    let mut sorted = shuffled(42);
    sorted.sort();
    assert_eq!(sorted, items(&numbers(20)));
}

#[test]
fn da_008_partial_datasets_split_eighty_to_twenty() {
    let dataset = Arc::new(numbers(10));
    let cut = dataset.len() * 8 / 10;
    let train = PartialDataset::<_, usize>::new(Arc::clone(&dataset), 0, cut);
    let valid = PartialDataset::<_, usize>::new(Arc::clone(&dataset), cut, dataset.len());
    assert_eq!(items(&train), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(items(&valid), [8, 9]);
}

#[test]
fn da_009_a_mapper_makes_items_of_items() {
    struct Half;
    impl Mapper<usize, f32> for Half {
        fn map(&self, item: &usize) -> f32 {
            *item as f32 / 2.0
        }
    }
    assert_eq!(items(&MapperDataset::new(numbers(4), Half)), [0.0, 0.5, 1.0, 1.5]);
}

#[test]
fn da_010_composed_datasets_follow_each_other() {
    let composed = ComposedDataset::new(vec![numbers(2), numbers(0), numbers(3)]);
    assert_eq!(items(&composed), [0, 1, 0, 1, 2]);
}

#[test]
fn da_011_windows_overlap() {
    let windows = WindowsDataset::new(numbers(5), 3);
    assert_eq!(items(&windows), [[0, 1, 2], [1, 2, 3], [2, 3, 4]]);
}

/// Counts the items that are read.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Counting {
    fn reads(&self) -> usize {
        self.0.swap(0, Ordering::SeqCst)
    }
}

impl Dataset<usize> for Counting {
    fn get(&self, index: usize) -> Option<usize> {
        self.0.fetch_add(1, Ordering::SeqCst);
        (index < self.len()).then_some(index)
    }

    fn len(&self) -> usize {
        1_000
    }
}

#[test]
fn da_012_transforms_read_nothing_before_they_are_asked() {
    let counting = Counting::default();
    let check = |dataset: &dyn Dataset<usize>, reads_per_item| {
        assert!(!dataset.is_empty());
        assert_eq!(counting.reads(), 0);
        dataset.get(5).unwrap();
        assert_eq!(counting.reads(), reads_per_item);
    };
    check(&PartialDataset::new(counting.clone(), 10, 20), 1);
    check(&ShuffledDataset::with_seed(counting.clone(), 1), 1);
    check(&SamplerDataset::new(counting.clone(), 3_000), 1);
    check(&SamplerDataset::without_replacement(counting.clone(), 3_000), 1);
    check(&MapperDataset::new(counting.clone(), |item: &usize| item + 1), 1);
    check(&ComposedDataset::new(vec![counting.clone(), counting.clone()]), 1);
    let windows = WindowsDataset::new(counting.clone(), 4);
    check(&MapperDataset::new(windows, |window: &Vec<usize>| window.len()), 4);
}

#[test]
fn da_012_a_loader_reads_nothing_before_it_is_iterated() {
    let counting = Counting::default();
    let loader = DataLoaderBuilder::new(|items: Vec<usize>| items).shuffle(1).build(counting.clone());
    let mut iterator = loader.iter();
    assert_eq!(counting.reads(), 0);
    iterator.next();
    assert_eq!(counting.reads(), 1);
}

/// Joins words; the separator stands for the device that a batcher owns.
struct Join {
    separator: &'static str,
}

impl Batcher<&'static str, String> for Join {
    fn batch(&self, items: Vec<&'static str>) -> String {
        items.join(self.separator)
    }
}

fn words() -> InMemDataset<&'static str> {
    InMemDataset::new(vec!["a", "b", "c", "d", "e"])
}

#[test]
fn dl_001_a_batcher_has_an_item_and_a_batch_type() {
    assert_eq!(Join { separator: "-" }.batch(vec!["x", "y"]), "x-y");
}

#[test]
fn dl_003_every_option_of_the_builder_may_be_left_out() {
    let join = || DataLoaderBuilder::new(Join { separator: "+" });
    let sorted = |loader: Arc<dyn DataLoader<String>>| {
        let mut batches: Vec<String> = loader.iter().collect();
        batches.sort();
        batches
    };
    assert_eq!(sorted(join().build(words())), ["a", "b", "c", "d", "e"]);
    assert_eq!(sorted(join().batch_size(2).build(words())), ["a+b", "c+d", "e"]);
    assert_eq!(sorted(join().shuffle(1).build(words())), ["a", "b", "c", "d", "e"]);
    assert_eq!(sorted(join().num_workers(3).build(words())), ["a", "b", "c", "d", "e"]);
    let all = join().batch_size(5).shuffle(1).num_workers(2).build(words());
    assert_eq!(all.iter().next().map(|batch| batch.len()), Some(9));
}

#[test]
fn dl_004_epochs_are_shuffled_anew_from_the_seed() {
    let epochs = |seed, workers| -> Vec<Vec<Vec<usize>>> {
        let loader = DataLoaderBuilder::new(|items: Vec<usize>| items)
            .batch_size(7)
            .shuffle(seed)
            .num_workers(workers)
            .build(numbers(100));
        (0..3).map(|_| loader.iter().collect()).collect()
    };
    let expected = epochs(42, 0);
    assert_ne!(expected[0], expected[1]);
    assert_ne!(expected, epochs(43, 0));
    for epoch in &expected {
        let mut seen = epoch.concat();
        seen.sort();
        assert_eq!(seen, items(&numbers(100)));
    }
    for workers in [1, 2, 4] {
        assert_eq!(epochs(42, workers), expected, "{workers} workers");
    }
}

#[test]
fn dl_005_a_batch_may_be_a_tuple() {
    let split = |items: Vec<(f32, u8)>| -> (Vec<f32>, Vec<u8>) { items.into_iter().unzip() };
    let dataset = InMemDataset::new(vec![(0.5, 1), (1.5, 2)]);
    let loader = DataLoaderBuilder::new(split).batch_size(2).build(dataset);
    for (values, labels) in loader.iter() {
        assert_eq!((values, labels), (vec![0.5, 1.5], vec![1, 2]));
    }
}

#[test]
fn dl_006_batches_are_made_in_several_threads() {
    fn is_a_loader<L: DataLoader<O>, O>() {}
    is_a_loader::<BatchDataLoader<usize>, usize>();

    // Each batch waits for another one to be made at the same time: one thread would never finish.
    let meeting = Arc::new(std::sync::Barrier::new(2));
    let meet = move |items: Vec<usize>| {
        meeting.wait();
        (items[0], std::thread::current().id())
    };
    let loader = DataLoaderBuilder::new(meet).num_workers(2).build(numbers(8));
    let (order, threads): (Vec<_>, Vec<_>) = loader.iter().unzip();

    assert_eq!(order, items(&numbers(8)));
    assert!(threads.iter().any(|thread| *thread != threads[0]));
    assert!(!threads.contains(&std::thread::current().id()));
}

#[test]
fn dl_007_the_last_batch_holds_what_is_left() {
    for (len, sizes) in [(0, vec![]), (1, vec![1]), (4, vec![4]), (9, vec![4, 4, 1])] {
        for workers in [0, 2] {
            let builder = DataLoaderBuilder::new(|items: Vec<usize>| items.len());
            let loader = builder.batch_size(4).num_workers(workers).build(numbers(len));
            assert_eq!(loader.num_batches(), sizes.len());
            assert_eq!(loader.num_items(), len);
            assert_eq!(loader.iter().collect::<Vec<_>>(), sizes);
        }
    }
}

/// Runs the only test whose name contains this again, in a process of its own with other variables.
fn run_with(test: &str, variables: &[(&str, &Path)]) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([test, "--nocapture"]).env("RUN_AS_CHILD", "1");
    child.env_remove("BURN_MNIST_DIR").env_remove("BURN_MNIST_MIRROR").envs(variables.iter().copied());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 passed"), "{test} is not the name of one test: {said}");
}

fn is_child() -> bool {
    std::env::var_os("RUN_AS_CHILD").is_some()
}

/// Writes the two gzip files of a split; pixel 0 of image `i` and label `i` are `i` modulo 10.
fn write_mnist(folder: &Path, prefix: &str, count: usize) {
    std::fs::create_dir_all(folder).unwrap();
    let write = |name: &str, header: &[u32], values: &[u8]| {
        let file = std::fs::File::create(folder.join(format!("{prefix}-{name}.gz"))).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        header.iter().for_each(|word| encoder.write_all(&word.to_be_bytes()).unwrap());
        encoder.write_all(values).unwrap();
        encoder.finish().unwrap();
    };
    let labels: Vec<u8> = (0..count).map(|index| (index % 10) as u8).collect();
    let mut images = vec![0; count * 28 * 28];
    images.chunks_exact_mut(28 * 28).zip(&labels).for_each(|(image, label)| image[0] = *label);

    write("images-idx3-ubyte", &[0x803, count as u32, 28, 28], &images);
    write("labels-idx1-ubyte", &[0x801, count as u32], &labels);
}

#[test]
fn da_016_mnist_items_are_images_and_labels() {
    if is_child() {
        let (train, test) = (MnistDataset::train(), MnistDataset::test());
        assert_eq!((train.len(), test.len()), (30, 20));
        let MnistItem { image, label } = train.get(13).unwrap();
        let _: [[f32; 28]; 28] = image;
        let _: u8 = label;
        assert_eq!((image[0][0], image[27][27], label), (3.0, 0.0, 3));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_mnist(folder.path(), "train", 30);
    write_mnist(folder.path(), "t10k", 20);
    run_with("da_016_mnist_items_are_images_and_labels", &[("BURN_MNIST_DIR", folder.path())]);
}

#[test]
#[allow(deprecated)]
fn da_016_the_old_names_are_aliases() {
    use burn_dataset::vision::{MNISTDataset, MNISTItem};
    let item: MNISTItem = MnistItem { image: [[0.5; 28]; 28], label: 1 };
    let json = serde_json::to_string(&item).unwrap();
    assert_eq!(serde_json::from_str::<MnistItem>(&json).unwrap(), item);
    let _: fn() -> MnistDataset = MNISTDataset::train;
}

#[test]
fn da_017_mnist_is_read_from_the_cache_in_the_home_folder() {
    if is_child() {
        assert_eq!(MnistDataset::try_test().unwrap().get(9_999).unwrap().label, 9);
        return;
    }
    let home = tempfile::tempdir().unwrap();
    write_mnist(&home.path().join(".cache/burn-dataset/mnist/test"), "t10k", 10_000);
    run_with("da_017_mnist_is_read_from_the_cache_in_the_home_folder", &[("HOME", home.path())]);
}

#[test]
fn da_017_an_offline_folder_is_named_by_a_variable() {
    if is_child() {
        let error = MnistDataset::try_train().unwrap_err().to_string();
        assert!(error.contains("train-images-idx3-ubyte.gz was not found in"), "{error}");
        assert!(error.contains("mnist-is-not-here"), "{error}");
        assert!(std::panic::catch_unwind(MnistDataset::train).is_err());
        return;
    }
    let folder = Path::new("mnist-is-not-here");
    run_with("da_017_an_offline_folder_is_named_by_a_variable", &[("BURN_MNIST_DIR", folder)]);
}

#[cfg(feature = "download")]
#[test]
fn da_017_files_that_are_missing_are_asked_of_the_mirror() {
    if is_child() {
        let error = MnistDataset::try_train().unwrap_err().to_string();
        assert!(error.contains("/train-images-idx3-ubyte.gz: ") && error.contains("404"), "{error}");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mirror = format!("http://{}/digits", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let read = std::io::Read::read(&mut stream, &mut request).unwrap();
        stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
        String::from_utf8_lossy(&request[..read]).into_owned()
    });
    let variables = [("HOME", home.path()), ("BURN_MNIST_MIRROR", Path::new(&mirror))];
    run_with("da_017_files_that_are_missing_are_asked_of_the_mirror", &variables);
    assert!(server.join().unwrap().starts_with("GET /digits/train-images-idx3-ubyte.gz "));
}

#[test]
fn da_018_the_splits_have_sixty_and_ten_thousand_items() {
    let folder = tempfile::tempdir().unwrap();
    for (split, prefix, count) in [(MnistSplit::Train, "train", 60_000), (MnistSplit::Test, "t10k", 10_000)] {
        write_mnist(folder.path(), prefix, count);
        assert_eq!(split.num_items(), count);
        assert_eq!(MnistDataset::from_dir(folder.path(), split).unwrap().len(), count);
    }
}

#[test]
fn da_018_the_cache_is_refused_with_another_number_of_items() {
    if is_child() {
        let error = MnistDataset::try_train().unwrap_err().to_string();
        assert!(error.contains("it has 59999 items, not 60000"), "{error}");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    write_mnist(&home.path().join(".cache/burn-dataset/mnist/train"), "train", 59_999);
    run_with("da_018_the_cache_is_refused_with_another_number_of_items", &[("HOME", home.path())]);
}

#[test]
fn da_019_the_length_of_a_dataset_is_the_length_of_an_epoch() {
    let loader = DataLoaderBuilder::new(|items: Vec<usize>| items.len());
    let sampled = SamplerDataset::new(numbers(1_000), 100);
    assert_eq!(loader.batch_size(10).build(sampled).iter().sum::<usize>(), 100);
}

#[test]
fn da_019_streams_have_a_trait_of_their_own() {
    struct Endless;
    impl IterableDataset<usize> for Endless {
        fn stream(&self, epoch: usize) -> Box<dyn Iterator<Item = usize>> {
            Box::new(100 * epoch..)
        }
        fn items_per_epoch(&self) -> usize {
            5
        }
    }
    let loader = StreamDataLoader::new(|items: Vec<usize>| items, Endless, 3);
    assert_eq!(loader.iter().collect::<Vec<_>>(), [vec![100, 101, 102], vec![103, 104]]);
    assert_eq!(loader.iter().next(), Some(vec![200, 201, 202]));
}

#[cfg(feature = "vision")]
mod image_folder {
    use burn_dataset::Dataset;
    use burn_dataset::vision::{Annotation, ImageFolderDataset, Pixels};

    fn save(path: &std::path::Path, pixels: [u8; 4]) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        image::GrayImage::from_raw(2, 2, pixels.to_vec()).unwrap().save(path).unwrap();
    }

    #[test]
    fn da_014_the_subfolders_of_a_folder_are_its_classes() {
        let root = tempfile::tempdir().unwrap();
        save(&root.path().join("zero/a.png"), [0, 1, 2, 3]);
        save(&root.path().join("one/b.png"), [4, 5, 6, 7]);

        let dataset = ImageFolderDataset::new_classification(root.path()).unwrap();
        assert_eq!(dataset.classes(), ["one", "zero"]);
        assert_eq!(dataset.len(), 2);
        let item = dataset.get(1).unwrap();
        assert_eq!(item.annotation, Annotation::Label(1));
        assert_eq!(item.image, Pixels::U8(vec![0, 1, 2, 3]));
        assert!(ImageFolderDataset::new_classification(root.path().join("two")).is_err());
    }

    #[test]
    fn da_015_an_image_may_have_several_labels() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("c.png");
        save(&path, [9, 8, 7, 6]);

        let labels = vec!["tree".to_string(), "sky".to_string()];
        let new = |classes| {
            let items = vec![(path.clone(), labels.clone()), (path.clone(), vec![])];
            ImageFolderDataset::new_multilabel_classification_with_items(items, classes)
        };
        let dataset = new(&["sky", "sea", "tree"]).unwrap();
        assert_eq!(dataset.get(0).unwrap().annotation, Annotation::MultiLabel(vec![2, 0]));
        assert_eq!(dataset.get(1).unwrap().annotation, Annotation::MultiLabel(vec![]));
        assert!(new(&["sky"]).unwrap_err().to_string().contains("`tree`"));
    }
}

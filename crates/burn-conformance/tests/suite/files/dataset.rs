use super::target::{Target, pack};
use burn_dataset::vision::{ImageFolderDataset, MnistDataset, MnistSplit};
use burn_dataset::{Dataset, InMemDataset};
use std::path::Path;

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn load_mnist(folder: &Path) -> Result<(), String> {
    MnistDataset::from_dir(folder, MnistSplit::Test).map(drop).map_err(text)
}

fn load_csv(folder: &Path) -> Result<(), String> {
    let rows =
        InMemDataset::<(u32, f64, String)>::from_csv(folder.join("rows.csv"), &csv::ReaderBuilder::new());
    rows.map(drop).map_err(text)
}

fn load_image(folder: &Path) -> Result<(), String> {
    let items = vec![(folder.join("image.png"), "a".to_owned())];
    let dataset = ImageFolderDataset::new_classification_with_items(items, &["a"]).map_err(text)?;
    dataset.try_iter().try_for_each(|item| item.map(drop)).map_err(text)
}

/// Three images and their labels, as the files of MNIST are laid out.
fn mnist(dims: &[u32], values: Vec<u8>) -> Vec<u8> {
    let words = [0x0800 + dims.len() as u32].into_iter().chain(dims.iter().copied());
    words.flat_map(u32::to_be_bytes).chain(values).collect()
}

/// A grey image of 4 x 4, by the chunks of the PNG format.
fn png() -> Vec<u8> {
    let chunk = |name: &[u8], content: &[u8]| {
        let named = [name, content].concat();
        [&(content.len() as u32).to_be_bytes()[..], &named, &crc32fast::hash(&named).to_be_bytes()].concat()
    };
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    // Each row begins with the number of its filter.
    std::io::Write::write_all(&mut zip, &[0, 1, 2, 3, 4].repeat(4)).expect("a vector can be written");
    let content = zip.finish().expect("a vector can be written");
    let head = chunk(b"IHDR", &[0, 0, 0, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0]);
    [b"\x89PNG\r\n\x1a\n", &head[..], &chunk(b"IDAT", &content), &chunk(b"IEND", &[])].concat()
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let target = |name, file, content: Vec<u8>, load| {
        std::fs::write(folder.join(file), content).expect("the folder can be written");
        Target::of_file(folder, name, file, None, load)
    };
    let images = mnist(&[3, 28, 28], vec![7; 3 * 28 * 28]);
    let rows = b"id,price,name\n1,2.5,a\n2,-1e9,\"b \"\"c\"\"\"\n3,inf,d\n".to_vec();
    vec![
        target("mnist images", "t10k-images-idx3-ubyte.gz", pack(&images), load_mnist as fn(&Path) -> _),
        target("mnist labels", "t10k-labels-idx1-ubyte", mnist(&[3], vec![1, 2, 3]), load_mnist),
        target("csv", "rows.csv", rows, load_csv),
        target("png", "image.png", png(), load_image),
    ]
}

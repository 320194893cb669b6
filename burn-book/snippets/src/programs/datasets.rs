// ANCHOR: program
use burn::data::dataset::transform::{MapperDataset, SplitDataset};
use burn::data::dataset::{Dataset, DatasetError, InMemDataset};

/// The lines of a text with their lengths.
struct Lines {
    lines: Vec<String>,
}

impl Dataset<(String, usize)> for Lines {
    fn get(&self, index: usize) -> Option<(String, usize)> {
        self.lines.get(index).map(|line| (line.clone(), line.len()))
    }

    fn len(&self) -> usize {
        self.lines.len()
    }
}

fn main() -> Result<(), DatasetError> {
    let lines = Lines { lines: ["one", "two", "three"].map(String::from).to_vec() };
    println!("{} lines, the last is {:?}", lines.len(), lines.get(2));

    // Transforms are datasets too, and lazy.
    let numbers: InMemDataset<u32> = (0..100).collect();
    let squares = MapperDataset::new(numbers, |number: &u32| number * number);
    println!("the square of 9 is {:?}", squares.get(9));
    let [train, valid, test] = SplitDataset::shuffled(squares, 42)?.fractions([0.8, 0.1, 0.1])?;
    println!("{} for training, {} for validation, {} for the test", train.len(), valid.len(), test.len());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_datasets() {
    crate::page_output::page_prints!("building-blocks/dataset.md");
}

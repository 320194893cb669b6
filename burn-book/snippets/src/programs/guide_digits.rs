// ANCHOR: program
use burn::data::dataset::Dataset;
use burn::data::dataset::vision::DigitsDataset;

fn main() {
    let (images, _test) = DigitsDataset::train_test_mnist(42);
    let item = images.get(3).expect("there are images");
    println!("{} by {} pixels, labelled {}:", item.image.len(), item.image[0].len(), item.label);
    for row in item.image.iter().step_by(2) {
        let line: String = row.iter().map(|pixel| if *pixel > 100.0 { '#' } else { ' ' }).collect();
        println!("|{line}|");
    }
}
// ANCHOR_END: program

#[test]
fn x_701_the_digits_of_the_guide() {
    crate::page_output::page_prints!("basic-workflow/README.md");
}

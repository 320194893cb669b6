//! Fetches a photograph of the scikit-learn package, and prints where it is.

use pip_package::PipFile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let photograph =
        PipFile { package: "scikit-learn", size: "9 MB", path: "sklearn/datasets/images/china.jpg" };
    println!("{}", photograph.path(None, &mut |text| println!("{text}"))?.display());
    Ok(())
}

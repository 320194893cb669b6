//! The run at its full size on the patients inside the program.

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::Dataset;
use burn::optim::AdamConfig;
use simple_regression::table::{self, Row};
use simple_regression::training::{self, TrainingConfig};

#[test]
fn ex_006_a_network_explains_patients_that_it_never_saw() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = TrainingConfig::new(AdamConfig::new());
    let evaluation =
        training::run::<Autodiff<NdArray>>(table::diabetes(), &config, folder.path(), Default::default())
            .expect("the run succeeds");
    assert_eq!(evaluation.rows, 88);
    // The threshold of the README; the mean of the training rows explains nothing.
    assert!(evaluation.explained() > 0.3, "{evaluation:?}");
    for file in ["config.json", "model.mpk", "valid/epoch-40/Loss.log"] {
        assert!(folder.path().join(file).is_file(), "{file} is missing");
    }
}

#[test]
fn california_housing_is_read_from_a_csv_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("housing.csv");
    let header = "MedInc,HouseAge,AveRooms,AveBedrms,Population,AveOccup,Latitude,Longitude,MedHouseVal";
    // The first block of the data set.
    let row = "8.3252,41.0,6.984127,1.023810,322.0,2.555556,37.88,-122.23,4.526";
    std::fs::write(&path, format!("{header}\n{row}\n")).expect("a file");
    let rows = table::california(&path).expect("it is a table of houses");
    let features = vec![8.3252, 41.0, 6.984127, 1.023_81, 322.0, 2.555556, 37.88, -122.23];
    assert_eq!(rows.iter().collect::<Vec<_>>(), [Row { features, target: 4.526 }]);
    std::fs::write(&path, "MedInc\n1\n").expect("a file");
    assert!(table::california(&path).is_err());
}

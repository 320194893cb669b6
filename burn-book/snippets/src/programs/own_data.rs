// ANCHOR: program
// cargo add --path ../burn/crates/burn --features csv
// cargo add serde --features derive

use burn::backend::{Autodiff, NdArray};
use burn::data::dataset::{Dataset, DatasetError, InMemDataset};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use serde::Deserialize;
use std::path::Path;

type B = Autodiff<NdArray>;

/// A row of the file: the fields are columns.
#[derive(Deserialize, Clone, Debug)]
struct House {
    rooms: f32,
    area: f32,
    price: f32,
}

fn main() -> Result<(), DatasetError> {
    let path = Path::new("houses.csv");
    // The file would be there already; price = 10 rooms + 2 area.
    std::fs::write(path, "rooms,area,price\n3,80,190\n5,140,330\n2,45,110\n4,100,240\n")
        .expect("the folder can be written");

    let houses: Vec<House> = InMemDataset::from_csv_file(path)?.iter().collect();
    let features: Vec<f32> =
        houses.iter().flat_map(|house| [house.rooms / 5.0, house.area / 100.0]).collect();
    let prices: Vec<f32> = houses.iter().map(|house| house.price / 100.0).collect();

    let device = Default::default();
    B::seed(1);
    let x = Tensor::<B, 2>::from_data(TensorData::new(features, [houses.len(), 2]), &device);
    let y = Tensor::<B, 2>::from_data(TensorData::new(prices, [houses.len(), 1]), &device);
    let mut model: Linear<B> = LinearConfig::new(2, 1).with_bias(false).init(&device);
    let mut optimizer = AdamConfig::new().init();
    for _ in 0..3000 {
        let loss = (model.forward(x.clone()) - y.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.05, model, gradients);
    }
    let new = Tensor::<B, 2>::from_data([[4.0 / 5.0, 90.0 / 100.0]], &device);
    println!("4 rooms on 90 square metres: {:.0}", model.forward(new).into_scalar() * 100.0);
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_own_data() {
    crate::page_output::page_prints!("building-blocks/own-data.md");
}

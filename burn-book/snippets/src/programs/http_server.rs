// ANCHOR: program
// cargo add axum
// cargo add serde --features derive
// cargo add tokio --features macros,net,rt-multi-thread

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

type B = NdArray;

#[derive(Deserialize)]
struct Request {
    features: Vec<[f32; 4]>,
}

#[derive(Serialize)]
struct Reply {
    classes: Vec<i64>,
}

/// Classifies the rows of a request. The computation runs on a thread that may block.
async fn predict(
    State(model): State<Arc<Linear<B>>>,
    Json(request): Json<Request>,
) -> Result<Json<Reply>, (StatusCode, String)> {
    let classes = tokio::task::spawn_blocking(move || {
        let (rows, device) = (request.features.len(), Default::default());
        let values = request.features.into_iter().flatten().collect::<Vec<f32>>();
        let x = Tensor::<B, 2>::from_data(TensorData::new(values, [rows, 4]), &device);
        // `try_forward` returns an error where `forward` would panic.
        let scores = model.try_forward(x).map_err(|error| error.to_string())?;
        Ok::<Vec<i64>, String>(scores.argmax(1).into_data().iter().collect())
    });
    match classes.await {
        Ok(Ok(classes)) => Ok(Json(Reply { classes })),
        Ok(Err(error)) => Err((StatusCode::BAD_REQUEST, error)),
        Err(_) => Err((StatusCode::INTERNAL_SERVER_ERROR, "the prediction failed".to_string())),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server would load its model here: `LinearConfig::new(4, 3).init(&device).load_file(..)`.
    let device = Default::default();
    let mut model: Linear<B> = LinearConfig::new(4, 3).with_bias(false).init(&device);
    model.weight = model.weight.map(|weight| Tensor::<B, 2>::eye(4, &weight.device()).slice(s![.., ..3]));

    let router = Router::new().route("/predict", post(predict)).with_state(Arc::new(model));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?; // 0: any free port
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });

    // A client, such as `curl --json '{"features": ..}' http://ADDRESS/predict`.
    let reply = tokio::task::spawn_blocking(move || -> std::io::Result<String> {
        let body = r#"{"features": [[1, 0, 0, 0], [0, 0, 5, 0]]}"#;
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "POST /predict HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        Ok(reply)
    });
    let reply = reply.await??;
    println!("{}", reply.lines().next().unwrap_or_default());
    println!("{}", reply.lines().last().unwrap_or_default());
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_deployment() {
    crate::page_output::page_prints!("deployment.md");
}

use burn_core::record::Record;

struct Secret;

#[derive(Record)]
struct State {
    secret: Secret,
}

fn main() {}

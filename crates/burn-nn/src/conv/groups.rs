/// Panics when the channels cannot be divided.
#[track_caller]
pub fn check_groups(layer: &str, channels: [usize; 2], groups: usize) {
    let divides = groups > 0 && channels.iter().all(|count| count % groups == 0);
    assert!(divides, "{layer}: {groups} groups do not divide the channels {channels:?}");
}

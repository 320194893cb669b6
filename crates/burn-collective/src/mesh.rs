use crate::frame::CallFields;
use crate::{CollectiveError, Communicator};

/// Ranks as a grid of named dimensions, such as `data` x `tensor`, with a communicator along each dimension.
///
/// Ranks are laid out in row-major order: neighbours along the last dimension have consecutive ranks. Give
/// the dimension that moves most (`tensor`) last, so that it stays within a host. PyTorch:
/// `torch.distributed.device_mesh.init_device_mesh`.
///
/// ```
/// use burn::collective::{CollectiveError, Local, Mesh};
///
/// let places = Local::run(4, |communicator| {
///     let mesh = Mesh::new(&communicator, &[("data", 2), ("tensor", 2)])?;
///     // Layers are split over `tensor`, gradients are averaged over `data`.
///     assert_eq!(mesh.group("tensor")?.world_size(), 2);
///     Ok::<_, CollectiveError>((mesh.coordinate("data")?, mesh.coordinate("tensor")?))
/// })?;
/// assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)].map(Ok));
/// # Ok::<(), CollectiveError>(())
/// ```
#[doc(alias = "DeviceMesh")]
#[doc(alias = "init_device_mesh")]
#[derive(Clone, Debug)]
pub struct Mesh {
    communicator: Communicator,
    dims: Vec<Dimension>,
}

#[derive(Clone, Debug)]
struct Dimension {
    name: String,
    /// The ranks that differ from this one in this dimension alone.
    group: Communicator,
}

const NAME: &str = "Mesh::new";

impl Mesh {
    /// Lays out the ranks of `communicator` in dimensions given by name and size. Called by all ranks.
    ///
    /// # Errors
    /// When the product of the sizes is not the number of ranks, a size is 0, a name is empty or given twice,
    /// or ranks differ in the dimensions.
    pub fn new(communicator: &Communicator, dims: &[(&str, usize)]) -> Result<Self, CollectiveError> {
        let group = communicator.idle_group();
        let fields = check_dims(dims, communicator.world_size())
            .map_err(|[expected, found]| group.argument(NAME, "dims", expected, found))
            .map(|()| CallFields::new(NAME).with("dims", show(dims)));
        group.call(NAME, fields, |_call| Ok(()))?;
        let mut groups = Vec::with_capacity(dims.len());
        let mut stride = communicator.world_size();
        for (name, size) in dims {
            let block = stride;
            stride /= size;
            let (rank, index) = (communicator.rank(), communicator.rank() / stride % size);
            // Equal for the ranks that differ in this dimension alone.
            let color = rank / block * stride + rank % stride;
            let key = i64::try_from(index).unwrap_or(i64::MAX);
            if let Some(group) = communicator.split(Some(color as u64), key)? {
                groups.push(Dimension { name: (*name).to_string(), group });
            }
        }
        Ok(Mesh { communicator: communicator.clone(), dims: groups })
    }

    /// Returns the communicator of the ranks that differ from this one in the dimension `name` alone, in the
    /// order of their coordinates.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn group(&self, name: &str) -> Result<&Communicator, CollectiveError> {
        let found = self.dims.iter().find(|dim| dim.name == name).map(|dim| &dim.group);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            CollectiveError::Argument {
                operation: "Mesh::group".to_string(),
                rank: self.communicator.rank(),
                argument: "name",
                expected: format!("one of {names:?}"),
                found: format!("{name:?}"),
            }
        })
    }

    /// Returns the index of this rank along the dimension `name`.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn coordinate(&self, name: &str) -> Result<usize, CollectiveError> {
        self.group(name).map(Communicator::rank)
    }

    /// Returns the number of ranks along the dimension `name`.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn size(&self, name: &str) -> Result<usize, CollectiveError> {
        self.group(name).map(Communicator::world_size)
    }

    /// Returns the names of the dimensions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.dims.iter().map(|dim| dim.name.as_str())
    }

    /// Returns the communicator of all ranks.
    pub fn communicator(&self) -> &Communicator {
        &self.communicator
    }
}

fn show(dims: &[(&str, usize)]) -> String {
    let dims: Vec<String> = dims.iter().map(|(name, size)| format!("{name} {size}")).collect();
    dims.join(" x ")
}

/// Checks names and sizes; an error is what is expected and what was found.
fn check_dims(dims: &[(&str, usize)], ranks: usize) -> Result<(), [String; 2]> {
    let product = dims.iter().try_fold(1_usize, |product, (_, size)| product.checked_mul(*size));
    if product != Some(ranks) {
        let product = product.map_or_else(|| "more than the largest integer".to_string(), |x| x.to_string());
        let expected = format!("sizes whose product is the number of ranks, {ranks}");
        return Err([expected, format!("{}, which is {product}", show(dims))]);
    }
    for (index, (name, _)) in dims.iter().enumerate() {
        if name.is_empty() || dims[..index].iter().any(|(other, _)| other == name) {
            return Err(["names that differ and are not empty".to_string(), show(dims)]);
        }
    }
    Ok(())
}

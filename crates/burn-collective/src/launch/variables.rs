use crate::CollectiveError;
use std::env;

/// Variables by which launchers pass a process its rank: those of `torchrun`, which `burn-launch` sets too.
///
/// ```
/// use burn::collective::LaunchVariables;
///
/// // `RANK=1 WORLD_SIZE=4 LOCAL_RANK=1 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 program`
/// let variables = |name: &str| match name {
///     "RANK" | "LOCAL_RANK" => Some("1".to_string()),
///     "WORLD_SIZE" => Some("4".to_string()),
///     "MASTER_ADDR" => Some("10.0.0.1".to_string()),
///     "MASTER_PORT" => Some("29500".to_string()),
///     _ => None,
/// };
/// let launch = LaunchVariables::read(&variables)?.unwrap();
/// assert_eq!((launch.rank, launch.world_size, launch.local_rank), (1, 4, 1));
/// assert_eq!(launch.master, Some(("10.0.0.1".to_string(), 29500)));
///
/// // Without them the process is alone.
/// assert_eq!(LaunchVariables::read(&|_| None)?, None);
/// # Ok::<(), burn::collective::CollectiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchVariables {
    /// `RANK`, below `world_size`.
    pub rank: usize,
    /// `WORLD_SIZE`, the number of processes on all hosts.
    pub world_size: usize,
    /// `LOCAL_RANK`, the index among the processes of this host and so of the GPU; `rank` if it is not set.
    pub local_rank: usize,
    /// `MASTER_ADDR` and `MASTER_PORT`: host of rank 0, and a port that is free there.
    pub master: Option<(String, u16)>,
}

/// Returns a variable of this process.
pub(super) fn environment(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

type Get<'a> = &'a dyn Fn(&str) -> Option<String>;

fn number<T: std::str::FromStr>(
    get: Get,
    variable: &'static str,
    expected: &str,
    is_right: impl Fn(&T) -> bool,
) -> Result<Option<T>, CollectiveError> {
    let Some(text) = get(variable) else { return Ok(None) };
    let found = text.trim().parse().ok().filter(is_right);
    found.map(Some).ok_or_else(|| CollectiveError::Environment {
        variable,
        expected: expected.to_string(),
        found: Some(text),
    })
}

fn required<T>(variable: &'static str, expected: &str, value: Option<T>) -> Result<T, CollectiveError> {
    let expected = expected.to_string();
    value.ok_or(CollectiveError::Environment { variable, expected, found: None })
}

impl LaunchVariables {
    /// Reads the variables of this process; `None` if no launcher has set them.
    ///
    /// # Errors
    /// With the name of a variable that is missing or wrong.
    pub fn from_environment() -> Result<Option<Self>, CollectiveError> {
        Self::read(&environment)
    }

    /// Reads the variables from a function that returns the value of each.
    ///
    /// # Errors
    /// As [`from_environment`](Self::from_environment).
    pub fn read(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, CollectiveError> {
        let world_size = number(get, "WORLD_SIZE", "a number of processes", |size: &usize| *size > 0)?;
        let below =
            format!("a rank below {}", world_size.map_or("WORLD_SIZE".to_string(), |size| size.to_string()));
        let rank = number(get, "RANK", &below, |rank| world_size.is_none_or(|size| *rank < size))?;
        if rank.is_none() && world_size.is_none() {
            return Ok(None);
        }
        let rank = required("RANK", &below, rank)?;
        let world_size = required("WORLD_SIZE", "a number of processes", world_size)?;
        let local_rank = number(get, "LOCAL_RANK", &below, |local| *local < world_size)?.unwrap_or(rank);
        let port = number(get, "MASTER_PORT", "a port from 1 to 65535", |port: &u16| *port != 0)?;
        let master = match (get("MASTER_ADDR").filter(|address| !address.is_empty()), port) {
            (None, None) => None,
            (address, port) => Some((
                required("MASTER_ADDR", "the host of rank 0", address)?,
                required("MASTER_PORT", "a port that is free on the host of rank 0", port)?,
            )),
        };
        Ok(Some(LaunchVariables { rank, world_size, local_rank, master }))
    }
}

#[cfg(test)]
mod tests {
    use super::LaunchVariables;

    fn of(variables: &[(&str, &str)]) -> Result<Option<LaunchVariables>, String> {
        let get = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.to_string())
        };
        LaunchVariables::read(&get).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_that_are_wrong_or_missing_are_named() {
        let errors: [(&[(&str, &str)], &str); 6] = [
            (&[("RANK", "4"), ("WORLD_SIZE", "4")], "RANK: expected a rank below 4, got 4"),
            (&[("RANK", "one"), ("WORLD_SIZE", "4")], "RANK: expected a rank below 4, got one"),
            (&[("RANK", "0"), ("WORLD_SIZE", "0")], "WORLD_SIZE: expected a number of processes, got 0"),
            (&[("RANK", "0")], "WORLD_SIZE: expected a number of processes, got nothing"),
            (&[("WORLD_SIZE", "2")], "RANK: expected a rank below 2, got nothing"),
            (
                &[("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "host")],
                "MASTER_PORT: expected a port that is free on the host of rank 0, got nothing",
            ),
        ];
        for (variables, expected) in errors {
            let error = of(variables).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let launch = of(&[("RANK", "3"), ("WORLD_SIZE", "4")]).unwrap().unwrap();
        assert_eq!((launch.local_rank, launch.master), (3, None));
    }
}

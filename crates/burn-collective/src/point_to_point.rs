use crate::frame::{CallFields, Frame};
use crate::group::CollectiveCall;
use crate::group::Group;
use crate::{CollectiveError, Part};
use burn_ir::{DType, Shape, TensorData};
use std::sync::Arc;

impl Group {
    fn check_peer(
        &self,
        operation: &str,
        argument: &'static str,
        peer: usize,
    ) -> Result<(), CollectiveError> {
        let (rank, count) = (self.rank(), self.world_size());
        if peer < count && peer != rank {
            return Ok(());
        }
        let expected = format!("another rank than {rank}, below {count}");
        Err(self.argument(operation, argument, expected, peer.to_string()))
    }

    /// Sends a tensor to rank `to`, without waiting until it is received.
    pub fn send(&self, data: TensorData, to: usize) -> Result<(), CollectiveError> {
        self.check_failure()?;
        self.check_peer("send", "to", to)?;
        let shape: Vec<String> = data.shape.iter().map(usize::to_string).collect();
        let fields = CallFields::new("send").with("dtype", data.dtype).with("shape", shape.join(","));
        let part = Part::whole(Arc::new(data));
        let sent = self.engine.send(to, Frame::Call(fields).encode(), part);
        sent.map_err(|error| self.fail(self.error("send", error)))
    }

    /// Waits for a tensor that rank `from` sends to this one, of a rank and a kind.
    pub fn receive_kind(
        &self,
        from: usize,
        rank: usize,
        holds: fn(DType) -> bool,
        kind: &str,
    ) -> Result<TensorData, CollectiveError> {
        self.receive(from, |shape, dtype| {
            let fits = shape.rank() == rank && holds(dtype);
            if fits { Ok(()) } else { Err(format!("a {kind} tensor of rank {rank}")) }
        })
    }

    /// Waits for a tensor that rank `from` sends to this one; `check` may refuse its spec.
    fn receive(
        &self,
        from: usize,
        check: impl FnOnce(&Shape, DType) -> Result<(), String>,
    ) -> Result<TensorData, CollectiveError> {
        const NAME: &str = "receive";
        self.check_failure()?;
        self.check_peer(NAME, "from", from)?;
        let call = CollectiveCall { group: self, operation: NAME, deadline: self.deadline() };
        let fail = |error| self.fail(self.error(NAME, error));
        let frame = self.engine.receive_frame(from, call.deadline).map_err(fail)?;
        let spec = match Frame::decode(&frame) {
            Frame::Call(fields) => spec(&fields),
            Frame::Failed(_) | Frame::Ended => None,
        };
        let Some((shape, dtype, bytes)) = spec else {
            let error = format!("rank {from} sent a message that is no tensor");
            return Err(fail(crate::TransportError::Library(error)));
        };
        let part = self.engine.receive_part(from, bytes, call.deadline).map_err(fail)?;
        check(&shape, dtype).map_err(|expected| {
            self.argument(NAME, "type", expected, format!("{dtype} of shape {shape:?} from rank {from}"))
        })?;
        TensorData::from_bytes(part.as_bytes(), shape, dtype).map_err(|error| call.data_error(error))
    }
}

/// Returns shape, dtype and length in bytes of a tensor that is sent.
fn spec(fields: &CallFields) -> Option<(Shape, DType, usize)> {
    let dtype = DType::ALL.into_iter().find(|dtype| Some(dtype.name()) == fields.get("dtype"))?;
    let shape = fields.get("shape")?;
    let dims: Result<Vec<usize>, _> =
        shape.split(',').filter(|dim| !dim.is_empty()).map(str::parse).collect();
    let shape = Shape::from(dims.ok()?);
    let bytes = shape.checked_num_elements()?.checked_mul(dtype.size())?;
    Some((shape, dtype, bytes))
}

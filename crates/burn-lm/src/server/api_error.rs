use crate::LmError;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error as OpenAI's interface has it.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    message: String,
}

impl ApiError {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        ApiError { status, message: message.into() }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The queue is full.
    pub fn busy() -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too many requests wait; try again later")
    }

    pub fn body(&self) -> serde_json::Value {
        let kind = match self.status {
            StatusCode::UNAUTHORIZED => "authentication_error",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_server_error() => "server_error",
            _ => "invalid_request_error",
        };
        json!({"error": {"message": self.message, "type": kind, "param": null, "code": self.status.as_u16()}})
    }
}

impl From<LmError> for ApiError {
    fn from(error: LmError) -> Self {
        let status = match error {
            LmError::Prompt { .. }
            | LmError::Argument { .. }
            | LmError::Template { .. }
            | LmError::Schema { .. }
            | LmError::Tokenizer { .. } => StatusCode::BAD_REQUEST,
            LmError::CacheFull { .. } | LmError::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
            LmError::File { .. }
            | LmError::Config { .. }
            | LmError::Weights(_)
            | LmError::Weight { .. }
            | LmError::Tensor(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = Json(self.body());
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => (self.status, [(RETRY_AFTER, "1")], body).into_response(),
            status => (status, body).into_response(),
        }
    }
}

use super::api_error::ApiError;
use super::shared::Shared;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Lets requests with one of the keys through, or all of them if there are no keys.
pub async fn check_key(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let keys = &shared.options.api_keys;
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    // All keys are compared, in the same time wherever they differ.
    let fits = keys.iter().fold(false, |fits, key| fits | bool::from(key.as_bytes().ct_eq(given.as_bytes())));
    if keys.is_empty() || fits {
        return next.run(request).await;
    }
    let message = "wrong API key; expected `Authorization: Bearer KEY` with a key of this server";
    ApiError::new(StatusCode::UNAUTHORIZED, message).into_response()
}

//! Without the feature `loop` there are no spans.

use hyper::{Request, StatusCode};

use crate::Failure;

#[derive(Clone)]
pub struct Tracer;

pub struct Span;

pub fn start() -> Result<Tracer, Failure> {
    Ok(Tracer)
}

impl Tracer {
    pub fn open<B>(&self, _request: &mut Request<B>) -> Span {
        Span
    }

    pub async fn stop(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Span {
    pub fn status(&mut self, _status: StatusCode) {}
}

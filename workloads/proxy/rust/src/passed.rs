//! An answer on its way from the upstream to the client.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::SendRequest;

use crate::forward::Pool;
use crate::tracing::Span;

/// The body of an answer. When it has come, its connection is free again; and its span ends with
/// it, also where the client breaks off.
pub struct Passed {
    body: Incoming,
    back: Option<Back>,
    _span: Span,
}

/// A connection, and where it goes when it is free.
pub struct Back {
    connection: SendRequest<Incoming>,
    pool: Pool,
}

impl Back {
    pub fn new(connection: SendRequest<Incoming>, pool: Pool) -> Back {
        Back { connection, pool }
    }
}

impl Passed {
    pub fn new(body: Incoming, back: Back, span: Span) -> Passed {
        let mut passed = Passed {
            body,
            back: Some(back),
            _span: span,
        };
        passed.free_at_end();
        passed
    }

    fn free_at_end(&mut self) {
        if self.body.is_end_stream()
            && let Some(back) = self.back.take()
        {
            back.pool.borrow_mut().push(back.connection);
        }
    }
}

impl Body for Passed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.free_at_end();
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

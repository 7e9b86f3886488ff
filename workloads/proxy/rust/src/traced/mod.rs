//! A span for each request, in the trace that the request belongs to.

mod context;
mod courier;
mod design;
mod sdk;
mod settings;
mod threaded;
mod waiting;

use std::time::SystemTime;

use hyper::header::HeaderValue;
use hyper::{Request, StatusCode};
use loop_exporter::{Kind, Value};

use crate::Failure;
use context::{Context, Ids};
use design::Design;

/// The attributes of a span.
const METHOD: &str = "http.request.method";
const PATH: &str = "url.path";
const CODE: &str = "http.response.status_code";

/// Makes spans, and gives them to whatever design was chosen. A clone is the same tracer.
#[derive(Clone)]
pub struct Tracer {
    design: Design,
    ids: Ids,
}

/// The span of a request; it ends when it is dropped.
pub struct Span(Option<Open>);

struct Open {
    design: Design,
    span: loop_exporter::Span,
}

/// Starts what LOOP_* variables ask for, on this thread's event loop.
pub fn start() -> Result<Tracer, Failure> {
    Ok(Tracer {
        design: Design::start(settings::read()?)?,
        ids: Ids::new(),
    })
}

impl Tracer {
    /// Begins the span of a request, and tells the upstream of it. A trace that the caller does
    /// not record is not recorded here.
    pub fn open<B>(&self, request: &mut Request<B>) -> Span {
        let headers = request.headers_mut();
        let caller = headers
            .get(context::HEADER)
            .and_then(|value| Context::parse(value.to_str().ok()?));
        if caller.is_some_and(|caller| !caller.recorded) {
            return Span(None);
        }
        let context = Context {
            trace: caller.map_or_else(|| self.ids.trace(), |caller| caller.trace),
            span: self.ids.span(),
            recorded: true,
        };
        if let Ok(value) = HeaderValue::from_str(&context.to_string()) {
            headers.insert(context::HEADER, value);
        }
        let now = SystemTime::now();
        let span = loop_exporter::Span {
            trace: context.trace,
            id: context.span,
            parent: caller.map(|caller| caller.span),
            name: request.method().to_string(),
            kind: Kind::Server,
            start: now,
            end: now,
            attributes: vec![
                (METHOD, Value::Text(request.method().to_string())),
                (PATH, Value::Text(request.uri().path().to_string())),
            ],
            failed: false,
        };
        let design = self.design.clone();
        Span(Some(Open { design, span }))
    }

    /// Exports the last spans, and says what became of all.
    pub async fn stop(self) -> Result<(), Failure> {
        let counts = self.design.stop().await;
        eprintln!(
            "tracing: stopped, {} spans recorded, {} delivered, {} dropped, {} in failed exports, {} buffered",
            counts.recorded, counts.delivered, counts.dropped, counts.failed, counts.buffered,
        );
        Ok(())
    }
}

impl Span {
    pub fn status(&mut self, status: StatusCode) {
        if let Some(Open { span, .. }) = &mut self.0 {
            let code = Value::Int(status.as_u16().into());
            span.attributes.push((CODE, code));
            span.failed = status.is_server_error();
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(Open { design, mut span }) = self.0.take() {
            span.end = SystemTime::now();
            design.record(span);
        }
    }
}

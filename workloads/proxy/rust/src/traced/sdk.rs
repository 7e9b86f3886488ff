//! `sdk`: the batch processor of OpenTelemetry's SDK, with its queue, its thread and its rules. What
//! it hands out goes over the same wire as that of the other designs.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loop_exporter::{Counts, Kind, Settings, Span, Value};
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SpanData, SpanExporter, SpanProcessor,
};

use super::courier::Courier;
use super::{CODE, METHOD, PATH};
use crate::Failure;

#[derive(Clone)]
pub struct Sdk(Rc<Inner>);

struct Inner {
    processor: BatchSpanProcessor,
    scope: InstrumentationScope,
    recorded: Cell<u64>,
    room: u64, // spans that it holds at most: in its queue, and in the export under way
    outcomes: Arc<Outcomes>,
}

/// What became of the spans that the processor handed out.
#[derive(Debug, Default)]
struct Outcomes {
    delivered: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug)]
struct Exporter {
    courier: Courier,
    outcomes: Arc<Outcomes>,
}

impl Sdk {
    pub fn start(settings: Settings) -> Result<Sdk, Failure> {
        let scope = InstrumentationScope::builder(settings.target.scope).build();
        let batch = settings.flush.min(settings.buffer);
        let config = BatchConfigBuilder::default()
            .with_max_queue_size(settings.buffer)
            .with_max_export_batch_size(batch)
            .with_scheduled_delay(settings.delay)
            .build();
        let outcomes = Arc::new(Outcomes::default());
        let exporter = Exporter {
            courier: Courier::start(settings.target)?,
            outcomes: outcomes.clone(),
        };
        Ok(Sdk(Rc::new(Inner {
            processor: BatchSpanProcessor::new(exporter, config),
            scope,
            recorded: Cell::new(0),
            room: (settings.buffer + batch) as u64,
            outcomes,
        })))
    }

    pub fn record(&self, span: Span) {
        self.0.recorded.set(self.0.recorded.get() + 1);
        self.0.processor.on_end(data(span, &self.0.scope));
    }

    /// Counts what the processor does not tell: what it never handed out, it dropped; unless its
    /// time ran out, and then as much as it has room for is buffered, for all that is known.
    pub fn stop(&self, patience: Duration) -> Counts {
        let over = self.0.processor.shutdown_with_timeout(patience).is_ok();
        let outcomes = &self.0.outcomes;
        let mut counts = Counts {
            recorded: self.0.recorded.get(),
            delivered: outcomes.delivered.load(Ordering::Acquire),
            failed: outcomes.failed.load(Ordering::Acquire),
            ..Counts::default()
        };
        let rest = counts.recorded - counts.delivered - counts.failed;
        if !over {
            counts.buffered = rest.min(self.0.room);
        }
        counts.dropped = rest - counts.buffered;
        counts
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len() as u64;
        let outcome = self.courier.export(batch.into_iter().map(span).collect());
        let delivered = *outcome.as_ref().unwrap_or(&0) as u64;
        let outcomes = &self.outcomes;
        outcomes.delivered.fetch_add(delivered, Ordering::AcqRel);
        outcomes
            .failed
            .fetch_add(count - delivered, Ordering::AcqRel);
        outcome.map(|_| ()).map_err(OTelSdkError::InternalFailure)
    }
}

/// A span as the SDK has it.
fn data(span: Span, scope: &InstrumentationScope) -> SpanData {
    let context = SpanContext::new(
        TraceId::from_bytes(span.trace),
        SpanId::from_bytes(span.id),
        TraceFlags::SAMPLED,
        false,
        TraceState::default(),
    );
    SpanData {
        span_context: context,
        parent_span_id: span.parent.map_or(SpanId::INVALID, SpanId::from_bytes),
        parent_span_is_remote: span.parent.is_some(),
        span_kind: match span.kind {
            Kind::Internal => SpanKind::Internal,
            Kind::Server => SpanKind::Server,
            Kind::Client => SpanKind::Client,
        },
        name: span.name.into(),
        start_time: span.start,
        end_time: span.end,
        attributes: span.attributes.into_iter().map(attribute).collect(),
        dropped_attributes_count: 0,
        events: Default::default(),
        links: Default::default(),
        status: if span.failed {
            Status::error("")
        } else {
            Status::Unset
        },
        instrumentation_scope: scope.clone(),
    }
}

fn attribute((key, value): (&'static str, Value)) -> KeyValue {
    match value {
        Value::Text(text) => KeyValue::new(key, text),
        Value::Int(number) => KeyValue::new(key, number),
    }
}

/// And as it is written.
fn span(data: SpanData) -> Span {
    let parent = data.parent_span_id;
    Span {
        trace: data.span_context.trace_id().to_bytes(),
        id: data.span_context.span_id().to_bytes(),
        parent: (parent != SpanId::INVALID).then(|| parent.to_bytes()),
        name: data.name.into_owned(),
        kind: match data.span_kind {
            SpanKind::Server => Kind::Server,
            SpanKind::Client => Kind::Client,
            _ => Kind::Internal,
        },
        start: data.start_time,
        end: data.end_time,
        attributes: data.attributes.into_iter().map(read).collect(),
        failed: matches!(data.status, Status::Error { .. }),
    }
}

fn read(attribute: KeyValue) -> (&'static str, Value) {
    let key = [METHOD, PATH, CODE]
        .into_iter()
        .find(|key| *key == attribute.key.as_str())
        .expect("an attribute that this proxy gave");
    match attribute.value {
        opentelemetry::Value::I64(number) => (key, Value::Int(number)),
        other => (key, Value::Text(other.to_string())),
    }
}

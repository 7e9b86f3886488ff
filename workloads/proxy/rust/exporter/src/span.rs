//! A finished span, and how it is written.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::otlp;

/// A span that has ended.
#[derive(Clone, Debug)]
pub struct Span {
    pub trace: [u8; 16],
    pub id: [u8; 8],
    /// None is the root of a trace.
    pub parent: Option<[u8; 8]>,
    pub name: String,
    pub kind: Kind,
    pub start: SystemTime,
    pub end: SystemTime,
    pub attributes: Vec<(&'static str, Value)>,
    /// What the span stands for went wrong.
    pub failed: bool,
}

/// What a span is to the others of its trace, by the numbers of OTLP.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Int(i64),
}

/// OTLP's number for a status of failure.
const STATUS_ERROR: i32 = 2;

impl From<Span> for otlp::Span {
    fn from(span: Span) -> Self {
        otlp::Span {
            trace_id: span.trace.to_vec(),
            span_id: span.id.to_vec(),
            parent_span_id: span.parent.map(Vec::from).unwrap_or_default(),
            name: span.name,
            kind: span.kind as i32,
            start_time_unix_nano: nanoseconds(span.start),
            end_time_unix_nano: nanoseconds(span.end),
            attributes: span.attributes.into_iter().map(attribute).collect(),
            status: span.failed.then_some(otlp::Status { code: STATUS_ERROR }),
        }
    }
}

fn attribute((key, value): (&'static str, Value)) -> otlp::KeyValue {
    let value = match value {
        Value::Text(text) => otlp::Value::Text(text),
        Value::Int(number) => otlp::Value::Int(number),
    };
    otlp::KeyValue {
        key: key.into(),
        value: Some(otlp::AnyValue { value: Some(value) }),
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}

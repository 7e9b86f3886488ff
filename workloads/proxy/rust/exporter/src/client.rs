//! Exports to a receiver, over one connection while that answers: gRPC by hand, which is five
//! bytes before a message and a status behind the answer.

use std::error::Error;
use std::rc::Rc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response};
use prost::Message;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::connection::Connection;
use crate::otlp;
use crate::span::Span;

const PATH: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const PREFIX: usize = 5; // not compressed, and the length
const MOST_ANSWER: usize = 64 << 10; // an answer is read no further

/// Whatever went wrong with an export.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Where spans go, and whose they are.
#[derive(Clone, Debug)]
pub struct Target {
    /// Host and port of a receiver of OTLP over gRPC, without TLS.
    pub receiver: String,
    /// The attribute service.name of the resource.
    pub service: String,
    /// Name of the instrumentation.
    pub scope: &'static str,
    /// Longest time that one export may take, connecting included.
    pub timeout: Duration,
}

/// Exports batch by batch. It belongs to one thread, and works inside a
/// [`tokio::task::LocalSet`].
pub struct Client {
    target: Target,
    /// For new exports. Those under way hold theirs.
    connection: Mutex<Option<Rc<Connection>>>,
}

impl Client {
    pub fn new(target: Target) -> Client {
        Client {
            target,
            connection: Mutex::new(None),
        }
    }

    /// Sends the spans, and returns how many of them the receiver took.
    ///
    /// After an error none of them is known to have come. Where the time ran out or the
    /// connection broke on the way, they may have.
    pub async fn export(&self, spans: Vec<Span>) -> Result<usize, Failure> {
        let count = spans.len();
        let message = self.message(spans);
        let began = Instant::now();
        let Ok(answer) = timeout(self.target.timeout, self.send(message)).await else {
            self.give_up(began);
            return Err(format!("no answer within {:?}", self.target.timeout).into());
        };
        let answer = answer?;
        let rejected = answer.partial_success.map_or(0, |p| p.rejected_spans);
        Ok(count - usize::try_from(rejected).unwrap_or(0).min(count))
    }

    /// The spans as a gRPC message.
    fn message(&self, spans: Vec<Span>) -> Bytes {
        let service = otlp::KeyValue {
            key: "service.name".into(),
            value: Some(otlp::AnyValue {
                value: Some(otlp::Value::Text(self.target.service.clone())),
            }),
        };
        let scope = otlp::Scope {
            name: self.target.scope.into(),
        };
        let request = otlp::Request {
            resource_spans: vec![otlp::ResourceSpans {
                resource: Some(otlp::Resource {
                    attributes: vec![service],
                }),
                scope_spans: vec![otlp::ScopeSpans {
                    scope: Some(scope),
                    spans: spans.into_iter().map(otlp::Span::from).collect(),
                }],
            }],
        };
        let length = request.encoded_len();
        let mut message = BytesMut::with_capacity(PREFIX + length);
        message.put_u8(0);
        message.put_u32(length as u32);
        request.encode_raw(&mut message);
        message.freeze()
    }

    async fn send(&self, message: Bytes) -> Result<otlp::Answer, Failure> {
        let mut request = Request::post(format!("http://{}{PATH}", self.target.receiver))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(message))?;
        loop {
            let (connection, fresh) = self.connected().await?;
            match connection.requests().try_send_request(request).await {
                Ok(response) => return read(response).await,
                // A connection that the receiver had closed: nothing was sent yet.
                Err(mut error) => match error.take_message() {
                    Some(returned) if !fresh => request = returned,
                    _ => return Err(error.into_error().into()),
                },
            }
        }
    }

    /// The connection that is open, or a fresh one.
    async fn connected(&self) -> Result<(Rc<Connection>, bool), Failure> {
        let mut open = self.connection.lock().await;
        if let Some(connection) = open.as_ref().filter(|c| !c.is_closed()) {
            return Ok((connection.clone(), false));
        }
        let connection = Rc::new(Connection::open(&self.target.receiver).await?);
        *open = Some(connection.clone());
        Ok((connection, true))
    }

    /// After a time-out new exports get a connection of their own: nobody may be at the other end
    /// of this one any more, and what is queued in it would stay in memory.
    ///
    /// Exports under way keep it until they end, in `timeout` at the latest, so that a receiver
    /// that is merely late may still answer them. Then it is dropped, with what it has not
    /// written. What it has written may be taken all the same, though it was counted as failed.
    ///
    /// An export that waited for the connection did not give it the whole time: it says nothing
    /// of it, or else a receiver for which connecting takes long would never be reached.
    fn give_up(&self, began: Instant) {
        // Whoever holds the lock is making a new one.
        if let Ok(mut open) = self.connection.try_lock() {
            open.take_if(|connection| connection.opened() <= began);
        }
    }
}

async fn read(response: Response<Incoming>) -> Result<otlp::Answer, Failure> {
    let (head, body) = response.into_parts();
    if !head.status.is_success() {
        return Err(format!("the receiver answers {}", head.status).into());
    }
    let body = Limited::new(body, MOST_ANSWER).collect().await?;
    let trailers = body.trailers().cloned().unwrap_or_default();
    let status = status(&trailers).or_else(|| status(&head.headers));
    match status {
        Some("0") => {}
        Some(code) => return Err(format!("the receiver answers with gRPC status {code}").into()),
        None => return Err("the receiver's answer has no gRPC status".into()),
    }
    let bytes = body.to_bytes();
    Ok(otlp::Answer::decode(
        bytes.get(PREFIX..).unwrap_or_default(),
    )?)
}

fn status(headers: &HeaderMap) -> Option<&str> {
    headers.get("grpc-status")?.to_str().ok()
}

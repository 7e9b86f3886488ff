//! What the proxy does with a request.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONNECTION, HOST, HeaderValue};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::spawn_local;

use crate::Failure;
use crate::passed::{Back, Passed};
use crate::tracing::Tracer;

type Answer = Response<Either<Passed, Full<Bytes>>>;

/// Connections to the upstream on which no request is under way.
pub type Pool = Rc<RefCell<Vec<SendRequest<Incoming>>>>;

pub struct Forward {
    upstream: String,
    pool: Pool,
    tracer: Tracer,
}

impl Forward {
    pub fn new(upstream: &str, tracer: Tracer) -> Forward {
        Forward {
            upstream: upstream.into(),
            pool: Pool::default(),
            tracer,
        }
    }

    /// Asks the upstream. Its answer is passed on as it comes; where there is none, the proxy
    /// answers for it.
    pub async fn answer(self: Rc<Self>, mut request: Request<Incoming>) -> Result<Answer, Failure> {
        let mut span = self.tracer.open(&mut request);
        Ok(match self.ask(request).await {
            Ok((connection, response)) => {
                span.status(response.status());
                let back = Back::new(connection, self.pool.clone());
                let (mut head, body) = response.into_parts();
                head.headers.remove(CONNECTION); // of the way to the upstream
                Response::from_parts(head, Either::Left(Passed::new(body, back, span)))
            }
            Err(error) => {
                span.status(StatusCode::BAD_GATEWAY);
                let text = format!("no answer from the upstream: {error}\n");
                let mut response = Response::new(Either::Right(Full::from(text)));
                *response.status_mut() = StatusCode::BAD_GATEWAY;
                response
            }
        })
    }

    async fn ask(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<(SendRequest<Incoming>, Response<Incoming>), Failure> {
        if !request.headers().contains_key(HOST) {
            request
                .headers_mut()
                .insert(HOST, HeaderValue::from_str(&self.upstream)?);
        }
        request.headers_mut().remove(CONNECTION); // of the way to the proxy
        loop {
            let (mut connection, fresh) = self.connection().await?;
            match connection.try_send_request(request).await {
                Ok(response) => return Ok((connection, response)),
                // A connection that the upstream had closed: nothing was sent yet.
                Err(mut error) => match error.take_message() {
                    Some(returned) if !fresh => request = returned,
                    _ => return Err(error.into_error().into()),
                },
            }
        }
    }

    /// A connection that is free, or a fresh one.
    async fn connection(&self) -> Result<(SendRequest<Incoming>, bool), Failure> {
        loop {
            let free = self.pool.borrow_mut().pop();
            let Some(mut connection) = free else {
                break;
            };
            if connection.ready().await.is_ok() {
                return Ok((connection, false));
            }
        }
        let stream = TcpStream::connect(&self.upstream).await?;
        stream.set_nodelay(true)?;
        let (connection, driver) = http1::handshake(TokioIo::new(stream)).await?;
        // How a connection ends, its request is told.
        spawn_local(async move { drop(driver.await) });
        Ok((connection, true))
    }
}

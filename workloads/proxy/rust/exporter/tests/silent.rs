//! Exports to receivers that do not answer, and what becomes of their connections.

mod common;

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use common::{on_a_loop, span, target};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use loop_exporter::Client;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::spawn_local;

/// So long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers the exports on a connection, each after what `before` waits for. It gets the export's
/// number on that connection, from 1.
async fn serve<W>(stream: TcpStream, before: impl Fn(usize) -> W)
where
    W: Future<Output = ()> + 'static,
{
    let exports = Cell::new(0);
    let answer = service_fn(|request: Request<Incoming>| {
        exports.set(exports.get() + 1);
        let wait = before(exports.get());
        async move {
            request.into_body().collect().await.unwrap();
            wait.await;
            let mut status = HeaderMap::new();
            status.insert("grpc-status", "0".parse().unwrap());
            let all_taken = Full::new(Bytes::from_static(&[0; 5]));
            let body = all_taken.with_trailers(async { Some(Ok::<_, Infallible>(status)) });
            Ok::<_, Infallible>(Response::new(body))
        }
    });
    // How it ends is the exporter's to decide.
    let _ = http2::Builder::new(OnThisThread)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}

#[derive(Clone)]
struct OnThisThread;

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for OnThisThread {
    fn execute(&self, future: F) {
        spawn_local(future);
    }
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// The first connection is never read; whoever connects again is answered.
#[test]
fn a_receiver_that_is_back_is_found() {
    on_a_loop(async {
        let (listener, address) = listen().await;
        let client = Client::new(target(address, Duration::from_millis(100)));
        for number in 0..2 {
            let failure = client.export(vec![span(number)]).await.unwrap_err();
            assert!(failure.to_string().contains("no answer"), "{failure}");
        }
        let (mut silent, _) = listener.accept().await.unwrap();
        spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                spawn_local(serve(stream, |_| async {}));
            }
        });
        let client = Rc::new(client);
        let taken = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Ok(taken) = client.export(vec![span(2), span(3)]).await {
                    return taken;
                }
            }
        });
        assert_eq!(
            taken
                .await
                .expect("the receiver that is back gets no export"),
            2
        );
        // The connection that nobody answered is no more.
        let mut written = Vec::new();
        tokio::time::timeout(PATIENCE, silent.read_to_end(&mut written))
            .await
            .expect("the silent connection stays open")
            .unwrap();
    });
}

/// An export that came after one that times out is answered after that, on the same connection.
#[test]
fn who_is_late_may_still_answer_others() {
    on_a_loop(async {
        let (listener, address) = listen().await;
        let timeout = Duration::from_secs(2);
        let client = Rc::new(Client::new(target(address, timeout)));
        let over = Rc::new(Notify::new());
        let when = over.clone();
        let connections = Rc::new(Cell::new(0));
        let seen = connections.clone();
        spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                seen.set(seen.get() + 1);
                let when = when.clone();
                spawn_local(serve(stream, move |number| {
                    let when = when.clone();
                    async move {
                        match number {
                            2 => pending().await,
                            3 => when.notified().await,
                            _ => {}
                        }
                    }
                }));
            }
        });
        client.export(vec![span(1)]).await.unwrap();
        let its = client.clone();
        let never = spawn_local(async move { its.export(vec![span(2)]).await });
        tokio::time::sleep(timeout / 2).await; // so that this one has time left when that one has none
        let its = client.clone();
        let late = spawn_local(async move { its.export(vec![span(3)]).await });
        assert!(never.await.unwrap().is_err());
        // New exports go another way already.
        assert_eq!(client.export(vec![span(4)]).await.unwrap(), 1);
        assert_eq!(connections.get(), 2);
        over.notify_one();
        assert_eq!(late.await.unwrap().unwrap(), 1);
    });
}

/// The export for which a connection is made has less than its time on it, and proves nothing.
#[test]
fn who_is_slow_to_connect_to_is_reached() {
    on_a_loop(async {
        let (listener, address) = listen().await;
        let client = Client::new(target(address, Duration::from_millis(500)));
        let first = spawn_local(async move {
            let (stream, _) = listener.accept().await.unwrap();
            // No second connection is answered.
            let once = |number| async move {
                if number == 1 {
                    pending().await
                }
            };
            serve(stream, once).await;
        });
        assert!(client.export(vec![span(1)]).await.is_err());
        assert_eq!(client.export(vec![span(2)]).await.unwrap(), 1);
        first.abort();
    });
}

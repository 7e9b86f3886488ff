//! A reverse proxy that does all its work on one thread, as an Envoy with one worker does.
//!
//!     proxy 127.0.0.1:10000 127.0.0.1:8080
//!
//! Nothing is shared: there is one event loop, and all that is on it belongs to it. The program is
//! there to be traced: with the feature `loop` it is, as LOOP_* variables say; without it no tracer
//! is linked.

mod forward;
mod passed;
#[cfg_attr(feature = "loop", path = "traced/mod.rs")]
#[cfg_attr(not(feature = "loop"), path = "untraced.rs")]
mod tracing;

use std::error::Error;
use std::future::poll_fn;
use std::process::ExitCode;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use std::{env, io};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;

use forward::Forward;

type Failure = Box<dyn Error + Send + Sync>;

/// How long open requests may take after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let args: Vec<String> = env::args().collect();
    let [_, listen, upstream] = args.as_slice() else {
        eprintln!("usage: proxy LISTEN UPSTREAM");
        return ExitCode::from(2);
    };
    match run(listen, upstream) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("proxy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(listen: &str, upstream: &str) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, serve(listen, upstream))
}

/// Forwards until a signal comes, finishes the open requests, and then stops tracing, so that
/// their spans are exported too.
async fn serve(listen: &str, upstream: &str) -> Result<(), Failure> {
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| format!("listening on {listen}: {error}"))?;
    let mut signals = [
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    ];
    let tracer = tracing::start()?;
    let forward = Rc::new(Forward::new(upstream, tracer.clone()));
    let open = GracefulShutdown::new();
    while let Some(accepted) = next(&listener, &mut signals).await {
        let stream = accepted?;
        stream.set_nodelay(true)?;
        let forward = forward.clone();
        let service = service_fn(move |request| forward.clone().answer(request));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        let connection = open.watch(connection);
        // A client that breaks off is no failure of the proxy's.
        spawn_local(async move { drop(connection.await) });
    }
    drop(listener);
    if timeout(PATIENCE, open.shutdown()).await.is_err() {
        eprintln!("proxy: requests were still open after {PATIENCE:?}");
    }
    tracer.stop().await
}

/// The next connection; None once a signal has come.
async fn next(listener: &TcpListener, signals: &mut [Signal]) -> Option<io::Result<TcpStream>> {
    poll_fn(|context| {
        if signals.iter_mut().any(|s| s.poll_recv(context).is_ready()) {
            return Poll::Ready(None);
        }
        listener
            .poll_accept(context)
            .map(|accepted| Some(accepted.map(|(stream, _)| stream)))
    })
    .await
}

//! Recursive calls, made as they are ordered over TCP on loopback (docs/self-driving.md).
//!
//!     calls 127.0.0.1:8080
//!
//! The program is there to be traced: with the feature `otel` the function is
//! instrumented; without it no tracer is linked.

mod caller;
mod function;
mod order;
mod samples;
mod server;
mod stretch;
#[cfg(feature = "synthetic")]
mod synthetic;
#[cfg_attr(feature = "otel", path = "tracing_otel.rs")]
#[cfg_attr(not(feature = "otel"), path = "tracing_none.rs")]
mod tracing;

use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::mpsc;
use std::{env, error::Error, thread};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What can go wrong is said to whoever gave the order, or at the end.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let Some(address) = env::args().nth(1) else {
        eprintln!("usage: calls ADDRESS");
        return ExitCode::from(2);
    };
    match run(&address) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("calls: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Takes orders until the work is over or a signal comes. Tracing stops after that, so
/// that the spans of the last calls are exported too.
fn run(address: &str) -> Result<()> {
    let stop_tracing = tracing::start()?;
    let listener = TcpListener::bind(address)?;
    let mut signals = Signals::new([SIGINT, SIGTERM])?;

    let (over, ended) = mpsc::channel();
    let signalled = over.clone();
    thread::spawn(move || over.send(server::serve(&listener)));
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            // Where the work is over already, nobody listens any more.
            let _ = signalled.send(Ok(()));
        }
    });
    let served = ended.recv()?;
    stop_tracing()?;
    Ok(served?)
}

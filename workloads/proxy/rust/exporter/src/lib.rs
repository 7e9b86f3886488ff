//! Spans over OTLP/gRPC from a server that does all its work on one thread.
//!
//! An exporter with a thread of its own has to share its buffer with the server, and a lock is
//! then taken for each span. This one lives on the server's own event loop, as an Envoy's tracer
//! does: recording a span puts it into a buffer, and an export is a request like any other,
//! under way while the loop serves. Nothing is shared, and nothing waits.
//!
//! - **Bounded**: it holds `buffer` spans, and `pending` exports of `flush` spans. While a receiver
//!   is silent, up to twice as many exports that timed out are in memory too, until their
//!   connection is dropped: after a `timeout`, when no export under way needs it. Off a loop that
//!   runs all the time, that is at the next export.
//! - **Counted**: [`Counts`] says what became of every span that was recorded. A span for which
//!   there is no room is dropped, and counted.
//! - **Flushed at the end**: [`Exporter::flush`] sends what is buffered, and says how it went.
//!
//! ```no_run
//! use std::time::Duration;
//! use loop_exporter::{Exporter, Settings, Target};
//!
//! # fn main() -> std::io::Result<()> {
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! tokio::task::LocalSet::new().block_on(&runtime, async {
//!     let exporter = Exporter::start(Settings {
//!         target: Target {
//!             receiver: "127.0.0.1:4317".into(),
//!             service: "shop".into(),
//!             scope: "shop",
//!             timeout: Duration::from_secs(1),
//!         },
//!         flush: 125,
//!         delay: Duration::from_secs(5),
//!         buffer: 1024,
//!         pending: 64,
//!     });
//!     // … exporter.record(span) for each span that ends …
//!     let counts = exporter.flush(Duration::from_secs(5)).await;
//!     assert_eq!(counts.recorded, counts.delivered + counts.dropped + counts.failed + counts.buffered);
//! });
//! # Ok(())
//! # }
//! ```

mod client;
mod connection;
mod exporter;
mod otlp;
mod span;

pub use client::{Client, Failure, Target};
pub use exporter::{Counts, Exporter, Settings};
pub use span::{Kind, Span, Value};

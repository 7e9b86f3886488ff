//! What the tests share: spans, and a loop.

#![allow(dead_code)] // each test is a program of its own, and none needs all

use std::future::Future;
use std::time::{Duration, SystemTime};

use loop_exporter::{Kind, Settings, Span, Target};

pub fn target(receiver: String, timeout: Duration) -> Target {
    Target {
        receiver,
        service: "test".into(),
        scope: "test",
        timeout,
    }
}

pub fn settings(
    receiver: String,
    timeout: Duration,
    flush: usize,
    buffer: usize,
    pending: usize,
) -> Settings {
    Settings {
        target: target(receiver, timeout),
        flush,
        delay: Duration::from_secs(3600), // nothing goes out by time
        buffer,
        pending,
    }
}

pub fn span(number: u64) -> Span {
    let now = SystemTime::now();
    Span {
        trace: (u128::from(number) + 1).to_be_bytes(),
        id: (number + 1).to_be_bytes(),
        parent: None,
        name: "test".into(),
        kind: Kind::Server,
        start: now,
        end: now,
        attributes: vec![],
        failed: false,
    }
}

pub fn on_a_loop<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, work)
}

//! The exporter beside a real receiver of OTLP over gRPC, whose address is in RECEIVER. The
//! receiver's own count is looked at by whoever started it.

use std::env;
use std::future::Future;
use std::time::{Duration, SystemTime};

use loop_exporter::{Counts, Exporter, Kind, Settings, Span, Target};

const PATIENCE: Duration = Duration::from_secs(30);

fn settings(receiver: &str, flush: usize, buffer: usize, pending: usize) -> Settings {
    Settings {
        target: Target {
            receiver: receiver.into(),
            service: "test".into(),
            scope: "test",
            timeout: PATIENCE,
        },
        flush,
        delay: Duration::from_secs(3600), // nothing goes out by time
        buffer,
        pending,
    }
}

fn span(number: u64) -> Span {
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

fn on_a_loop<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, work)
}

fn delivered(count: u64) -> Counts {
    Counts {
        recorded: count,
        delivered: count,
        ..Counts::default()
    }
}

/// 137 spans by fifties: the last 37 go out at the end.
#[test]
fn all_come_at_the_end() {
    let Ok(receiver) = env::var("RECEIVER") else {
        eprintln!("RECEIVER names no receiver: not looked at");
        return;
    };
    on_a_loop(async {
        let exporter = Exporter::start(settings(&receiver, 50, 1024, 8));
        for number in 0..137 {
            exporter.record(span(number));
        }
        while exporter.counts().delivered < 100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(exporter.counts().buffered, 37);
        assert_eq!(exporter.flush(PATIENCE).await, delivered(137));
        assert_eq!(exporter.last_failure(), None);
    });
}

/// While the loop does not come to export, 64 wait and 4 are under way.
#[test]
fn what_has_no_room_is_counted() {
    let Ok(receiver) = env::var("RECEIVER") else {
        return;
    };
    on_a_loop(async {
        let exporter = Exporter::start(settings(&receiver, 4, 64, 1));
        for number in 1000..1150 {
            exporter.record(span(number));
        }
        let counts = exporter.counts();
        assert_eq!(
            (counts.recorded, counts.buffered, counts.dropped),
            (150, 68, 82)
        );
        let counts = exporter.flush(PATIENCE).await;
        assert_eq!((counts.delivered, counts.dropped, counts.buffered), (68, 82, 0));
    });
}

/// A receiver that is away takes nothing, and the loop goes on.
#[test]
fn what_fails_is_counted() {
    // A port that is taken, and on which nobody listens.
    let bound = tokio::net::TcpSocket::new_v4().unwrap();
    bound.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let away = bound.local_addr().unwrap().to_string();
    on_a_loop(async {
        let exporter = Exporter::start(settings(&away, 5, 64, 2));
        for number in 0..23 {
            exporter.record(span(number));
        }
        let counts = exporter.flush(PATIENCE).await;
        assert_eq!((counts.failed, counts.buffered, counts.dropped), (23, 0, 0));
        assert!(exporter.last_failure().unwrap().contains("refused"));
    });
}

/// A receiver that takes connections and never answers: patience ends, and nothing is made up.
#[test]
fn what_is_buffered_is_told() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    on_a_loop(async {
        let exporter = Exporter::start(settings(&address, 5, 64, 2));
        for number in 0..23 {
            exporter.record(span(number));
        }
        let counts = exporter.flush(Duration::from_millis(50)).await;
        assert_eq!((counts.recorded, counts.buffered), (23, 23));
    });
}

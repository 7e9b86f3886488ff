//! The exporter beside a real receiver of OTLP over gRPC, whose address is in RECEIVER. The
//! receiver's own count is looked at by whoever started it.

mod common;

use std::env;
use std::time::Duration;

use common::{on_a_loop, settings, span};
use loop_exporter::{Counts, Exporter};

const PATIENCE: Duration = Duration::from_secs(30);

fn receiver() -> String {
    env::var("RECEIVER").expect("RECEIVER is the address of a receiver of OTLP over gRPC")
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
#[ignore = "needs a receiver, named by RECEIVER"]
fn all_come_at_the_end() {
    on_a_loop(async {
        let exporter = Exporter::start(settings(receiver(), PATIENCE, 50, 1024, 8));
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
#[ignore = "needs a receiver, named by RECEIVER"]
fn what_has_no_room_is_counted() {
    on_a_loop(async {
        let exporter = Exporter::start(settings(receiver(), PATIENCE, 4, 64, 1));
        for number in 1000..1150 {
            exporter.record(span(number));
        }
        let counts = exporter.counts();
        assert_eq!(
            (counts.recorded, counts.buffered, counts.dropped),
            (150, 68, 82)
        );
        let counts = exporter.flush(PATIENCE).await;
        assert_eq!(
            (counts.delivered, counts.dropped, counts.buffered),
            (68, 82, 0)
        );
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
        let exporter = Exporter::start(settings(away, PATIENCE, 5, 64, 2));
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
        let exporter = Exporter::start(settings(address, PATIENCE, 5, 64, 2));
        for number in 0..23 {
            exporter.record(span(number));
        }
        let counts = exporter.flush(Duration::from_millis(50)).await;
        assert_eq!((counts.recorded, counts.buffered), (23, 23));
    });
}

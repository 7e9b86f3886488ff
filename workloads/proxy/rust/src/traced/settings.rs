//! What is asked for: LOOP_* variables, all of which have to be there.

use std::env;
use std::time::Duration;

use loop_exporter::{Settings, Target};

use crate::Failure;

/// Exports under way, for the design that may have several.
const PENDING: usize = 64;

/// The name of a design, and how it works.
pub struct Chosen {
    pub design: String,
    pub settings: Settings,
}

pub fn read() -> Result<Chosen, Failure> {
    Ok(Chosen {
        design: word("LOOP_DESIGN")?,
        settings: Settings {
            target: Target {
                receiver: word("LOOP_RECEIVER")?,
                service: word("LOOP_SERVICE")?,
                scope: "proxy",
                timeout: milliseconds("LOOP_TIMEOUT")?,
            },
            flush: count("LOOP_FLUSH")?,
            delay: milliseconds("LOOP_DELAY")?,
            buffer: count("LOOP_BUFFER")?,
            pending: PENDING,
        },
    })
}

fn word(name: &str) -> Result<String, Failure> {
    env::var(name).map_err(|error| format!("the variable {name}: {error}").into())
}

fn count(name: &str) -> Result<usize, Failure> {
    let value = word(name)?;
    match value.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("{name}={value}: it must be a whole number from 1 on").into()),
    }
}

fn milliseconds(name: &str) -> Result<Duration, Failure> {
    Ok(Duration::from_millis(count(name)? as u64))
}

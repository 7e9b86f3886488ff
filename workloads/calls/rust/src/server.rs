//! Orders, a line each, and the answers to them.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use crate::Result;
use crate::order::Order;
use crate::stretch::Stretch;

/// Listens until the work is over: at "stop", or where a connection ends on which a line
/// came. A connection without a line only asked whether anybody listens.
pub fn serve(listener: &TcpListener) -> io::Result<()> {
    let mut stretch = None;
    loop {
        let (connection, _) = listener.accept()?;
        let mut asked = false;
        if let Err(error) = talk(&connection, &mut stretch, &mut asked)
            && asked
        {
            eprintln!("calls: the connection broke: {error}");
        }
        if asked {
            return Ok(());
        }
    }
}

fn talk(
    mut connection: &TcpStream,
    stretch: &mut Option<Stretch>,
    asked: &mut bool,
) -> io::Result<()> {
    for line in BufReader::new(connection).lines() {
        let line = line?;
        *asked = true;
        let answer = carry_out(&line, stretch)
            .unwrap_or_else(|error| format!("error {}", printable(&error.to_string())));
        connection.write_all(format!("{answer}\n").as_bytes())?;
        if line == "stop" {
            break;
        }
    }
    Ok(())
}

fn carry_out(line: &str, stretch: &mut Option<Stretch>) -> Result<String> {
    let (verb, words) = line.split_once(' ').unwrap_or((line, ""));
    match verb {
        "prepare" => {
            let order = Order::parse(words)?;
            *stretch = None; // its arrays make room for the new ones
            *stretch = Some(Stretch::new(order));
            Ok("prepared moments=1".into())
        }
        "run" => prepared(stretch)?.make(),
        "write" => Ok(format!("written samples={}", prepared(stretch)?.write()?)),
        "live" => Ok("live".into()), // there is no heap that could be told apart
        "stop" => Ok("bye".into()),
        _ => Err(format!("unknown order {verb:?}").into()),
    }
}

fn prepared(stretch: &mut Option<Stretch>) -> Result<&mut Stretch> {
    stretch
        .as_mut()
        .ok_or_else(|| "no order was prepared".into())
}

fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, ' '..='~') { c } else { ' ' })
        .collect()
}

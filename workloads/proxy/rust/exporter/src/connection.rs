//! A connection to a receiver, and all that works on it.

use std::cell::RefCell;
use std::future::Future;
use std::rc::{Rc, Weak};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::Failure;

/// When it is dropped, the tasks that work on it are aborted; the socket closes, and what is
/// queued for it is freed.
pub struct Connection {
    requests: SendRequest<Full<Bytes>>,
    opened: Instant,
    _tasks: Rc<Tasks>,
}

type Tasks = RefCell<JoinSet<()>>;

impl Connection {
    pub async fn open(receiver: &str) -> Result<Connection, Failure> {
        let stream = TcpStream::connect(receiver).await?;
        stream.set_nodelay(true)?;
        let tasks = Rc::new(Tasks::default());
        let its = OnThisThread(Rc::downgrade(&tasks));
        let (requests, driver) = http2::handshake(its.clone(), TokioIo::new(stream)).await?;
        // How a connection ends, its requests are told.
        its.spawn(async move { drop(driver.await) });
        Ok(Connection {
            requests,
            opened: Instant::now(),
            _tasks: tasks,
        })
    }

    pub fn requests(&self) -> SendRequest<Full<Bytes>> {
        self.requests.clone()
    }

    pub fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    pub fn opened(&self) -> Instant {
        self.opened
    }
}

/// Starts what a connection needs on the thread that it belongs to. It does not keep the
/// connection's tasks, which keep it.
#[derive(Clone)]
struct OnThisThread(Weak<Tasks>);

impl OnThisThread {
    fn spawn(&self, future: impl Future<Output = ()> + 'static) {
        let Some(tasks) = self.0.upgrade() else {
            return; // the connection is gone
        };
        let mut tasks = tasks.borrow_mut();
        while tasks.try_join_next().is_some() {} // those that are over take no memory
        tasks.spawn_local(future);
    }
}

impl<F> hyper::rt::Executor<F> for OnThisThread
where
    F: Future<Output = ()> + 'static,
{
    fn execute(&self, future: F) {
        self.spawn(future);
    }
}

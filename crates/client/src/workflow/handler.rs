//! Plain functions as handlers of tasks.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::failure::Failure;
use super::plan::{Outcome, Plan};
use super::wire::Filled;
use super::work::Work;

/// A function at work.
pub type Running = Pin<Box<dyn Future<Output = Result<Outcome, Failure>> + Send>>;

/// An async function of up to eight parameters, each a [`Parameter`], that gives a [`Result`] of an [`Answer`].
pub trait Handler<P>: Send + Sync + 'static {
    /// Reads the arguments and calls the function; what cannot be read is the task's error.
    fn call(&self, arguments: Arguments) -> Running;
}

/// What a function may have as a parameter: what serde reads; a [`Tried`] for the result of a task that may fail; a [`Rest`]; a [`Plan`],
/// which makes it a coordinator; a [`Work`], which tells of the task itself.
pub trait Parameter: Sized {
    /// Takes what it needs.
    ///
    /// # Errors
    /// It is not there, or something else.
    fn take(arguments: &mut Arguments) -> Result<Self, Failure>;
}

/// What a function may give: what serde writes, or an [`Outcome`].
pub trait Answer {
    /// What it comes to.
    fn outcome(self) -> Outcome;
}

/// The result of a task that may fail: its value or its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried<T>(pub Result<T, Failure>);

/// All further arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest<T>(pub Vec<T>);

/// The arguments of a task, taken one after the other.
#[derive(Debug)]
pub struct Arguments {
    left: std::vec::IntoIter<Filled>,
    taken: usize,
    work: Work,
}

impl Arguments {
    pub(super) fn new(args: Vec<Filled>, work: Work) -> Self {
        Self { left: args.into_iter(), taken: 0, work }
    }

    fn next(&mut self) -> Result<Filled, Failure> {
        let missing = || bad(format!("there are {} arguments, and a parameter is left", self.taken));
        let next = self.left.next().ok_or_else(missing)?;
        self.taken += 1;
        Ok(next)
    }

    fn end(&mut self) -> Result<(), Failure> {
        match self.left.len() {
            0 => Ok(()),
            more => Err(bad(format!("there are {} arguments, for {} parameters", self.taken + more, self.taken))),
        }
    }

    fn read<T: DeserializeOwned>(&self, value: Option<&RawValue>) -> Result<T, Failure> {
        let wrong = |error| bad(format!("argument {}: {error}", self.taken));
        serde_json::from_str(value.map_or("null", RawValue::get)).map_err(wrong)
    }
}

fn bad(message: String) -> Failure {
    Failure::new("BadArguments", message)
}

impl<T: DeserializeOwned> Parameter for T {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let Filled { value, error } = arguments.next()?;
        // Whoever does not ask for errors ends with them.
        error.map_or_else(|| arguments.read(value.as_deref()), Err)
    }
}

impl<T: DeserializeOwned> Parameter for Tried<T> {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let Filled { value, error } = arguments.next()?;
        match error {
            Some(error) => Ok(Self(Err(error))),
            None => arguments.read(value.as_deref()).map(|value| Self(Ok(value))),
        }
    }
}

impl<T: Parameter> Parameter for Rest<T> {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let mut rest = vec![];
        while arguments.left.len() > 0 {
            rest.push(T::take(arguments)?);
        }
        Ok(Self(rest))
    }
}

impl Parameter for Plan {
    fn take(_: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self::default())
    }
}

impl Parameter for Work {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(arguments.work.clone())
    }
}

impl<T: Serialize> Answer for T {
    fn outcome(self) -> Outcome {
        Outcome::value(self)
    }
}

impl Answer for Outcome {
    fn outcome(self) -> Outcome {
        self
    }
}

macro_rules! handlers {
    ($($parameter:ident $value:ident),*) => {
        impl<F, Called, R, E, $($parameter),*> Handler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Called + Send + Sync + 'static,
            Called: Future<Output = Result<R, E>> + Send + 'static,
            R: Answer,
            E: Into<Failure>,
            $($parameter: Parameter),*
        {
            fn call(&self, mut arguments: Arguments) -> Running {
                $(let $value = match $parameter::take(&mut arguments) {
                    Ok(value) => value,
                    Err(failure) => return Box::pin(std::future::ready(Err(failure))),
                };)*
                if let Err(failure) = arguments.end() {
                    return Box::pin(std::future::ready(Err(failure)));
                }
                let called = self($($value),*);
                Box::pin(async move { called.await.map(Answer::outcome).map_err(Into::into) })
            }
        }
    };
}

handlers!();
handlers!(A a);
handlers!(A a, B b);
handlers!(A a, B b, C c);
handlers!(A a, B b, C c, D d);
handlers!(A a, B b, C c, D d, G g);
handlers!(A a, B b, C c, D d, G g, H h);
handlers!(A a, B b, C c, D d, G g, H h, I i);
handlers!(A a, B b, C c, D d, G g, H h, I i, J j);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    fn run<P>(handler: impl Handler<P>, args: &str) -> Result<String, Failure> {
        let args: Vec<Filled> = serde_json::from_str(args).unwrap();
        let work = Work::of_nothing(&Client::new("http://h:1", "main", "k").unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = runtime.block_on(handler.call(Arguments::new(args, work)))?;
        outcome.written().map(|(value, _)| value.get().to_owned())
    }

    async fn add(a: i64, b: i64) -> Result<i64, std::num::ParseIntError> {
        Ok(a + b)
    }

    async fn bear(first: Tried<i64>, rest: Rest<i64>) -> Result<(i64, usize), Failure> {
        Ok((first.0.unwrap_or(-1), rest.0.len()))
    }

    #[test]
    fn wfl_1_arguments_and_results_are_what_serde_knows() {
        assert_eq!(run(add, r#"[{"value":1},{"value":2}]"#).unwrap(), "3");
        assert_eq!(run(|| async { Ok::<_, Failure>(()) }, "[]").unwrap(), "null");
        assert_eq!(run(|it: Option<u8>| async move { Ok::<_, Failure>(it) }, r#"[{"value":null}]"#).unwrap(), "null");
        assert_eq!(
            run(|_: Plan, it: u8, _: Work| async move { Ok::<_, Failure>(it) }, r#"[{"value":7}]"#).unwrap(),
            "7"
        );
    }

    #[test]
    fn wfl_1_arguments_that_do_not_fit_are_the_tasks_error() {
        for wrong in [r#"[{"value":1}]"#, r#"[{"value":1},{"value":2},{"value":3}]"#, r#"[{"value":1},{"value":"x"}]"#]
        {
            assert_eq!(run(add, wrong).unwrap_err().class, "BadArguments", "{wrong}");
        }
    }

    #[test]
    fn wfl_8_an_error_of_before_goes_to_who_asks_for_it_and_ends_others() {
        let failed = r#"[{"error":{"class":"Busy","message":"m"}},{"value":1},{"value":2}]"#;
        assert_eq!(run(bear, failed).unwrap(), "[-1,2]");
        assert_eq!(run(bear, r#"[{"value":5}]"#).unwrap(), "[5,0]");
        assert_eq!(run(|it: i64, _: Rest<i64>| async move { Ok::<_, Failure>(it) }, failed).unwrap_err().class, "Busy");
    }
}

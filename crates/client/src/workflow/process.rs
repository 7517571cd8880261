//! A process as the server tells of it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::failure::Failure;

/// A process.
#[derive(Debug, Deserialize)]
pub struct Process {
    /// Its id.
    #[serde(rename = "process_id")]
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id that whoever started it gave.
    #[serde(default)]
    pub custom_id: Option<String>,
    /// Whether it goes on.
    pub state: State,
    /// Its result as it came.
    #[serde(default)]
    pub value: Option<Box<RawValue>>,
    /// Why it is broken.
    #[serde(default)]
    pub error: Option<Failure>,
}

/// Whether a process goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// It does.
    Active,
    /// It ended with a value.
    Finished,
    /// A task failed for good: somebody has to look.
    Broken,
    /// Somebody ended it.
    Aborted,
}

impl Process {
    /// Its value.
    ///
    /// # Errors
    /// The error that it is broken by; of class `Aborted` or `Active` if it has no value for that reason, or one of serde's if the value is
    /// another one.
    pub fn result<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        match self.state {
            State::Finished => Ok(serde_json::from_str(self.value.as_deref().map_or("null", RawValue::get))?),
            State::Broken => Err(self.error.clone().unwrap_or_else(|| Failure::new("Broken", "it is broken"))),
            State::Aborted => Err(Failure::new("Aborted", format!("process {} was aborted", self.id))),
            State::Active => Err(Failure::new("Active", format!("process {} is not over", self.id))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(more: &str) -> Process {
        serde_json::from_str(&format!(
            r#"{{"process_id":"p","type":"order","custom_id":null,"started_at":"x",{more}}}"#
        ))
        .unwrap()
    }

    #[test]
    fn wfl_2_the_result_of_a_process_is_its_value_or_why_there_is_none() {
        assert_eq!(read(r#""state":"FINISHED","value":[1,2]"#).result::<Vec<u8>>(), Ok(vec![1, 2]));
        assert_eq!(read(r#""state":"FINISHED","value":null"#).result::<()>(), Ok(()));
        let class = |process: Process| process.result::<u8>().unwrap_err().class;
        assert_eq!(class(read(r#""state":"BROKEN","error":{"class":"Busy","message":"m"}"#)), "Busy");
        assert_eq!(class(read(r#""state":"ABORTED""#)), "Aborted");
        assert_eq!(class(read(r#""state":"ACTIVE""#)), "Active");
        assert_eq!(class(read(r#""state":"FINISHED","value":"x""#)), "serde_json::Error");
    }
}

//! Items as Rust values (DOC-7).

use base::{OpError, OpResult, Tx, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::document::Doc;
use crate::class::{Keyed, Singleton};

impl Doc {
    /// A singleton's value, if it is there.
    ///
    /// # Errors
    /// `BDETECTED`: what is stored is not such a value.
    pub fn read<T: DeserializeOwned>(&mut self, tx: &mut dyn Tx, item: &Singleton<T>) -> OpResult<Option<T>> {
        self.value(tx, item.def.name, "")
    }

    /// The value of a keyed item, if it is there.
    ///
    /// # Errors
    /// `BDETECTED`: what is stored is not such a value.
    pub fn read_at<T: DeserializeOwned>(&mut self, tx: &mut dyn Tx, item: &Keyed<T>, key: &str) -> OpResult<Option<T>> {
        self.value(tx, item.def.name, key)
    }

    /// Puts a singleton.
    ///
    /// # Errors
    /// `AITEM` or `ALIMIT`: not what the class allows.
    pub fn write<T: Serialize>(&mut self, item: &Singleton<T>, value: &T) -> OpResult<()> {
        self.put_json(item.def.name, "", json(value)?)
    }

    /// Puts a keyed item.
    ///
    /// # Errors
    /// `AITEM` or `ALIMIT`: not what the class allows.
    pub fn write_at<T: Serialize>(&mut self, item: &Keyed<T>, key: &str, value: &T) -> OpResult<()> {
        self.put_json(item.def.name, key, json(value)?)
    }

    /// Deletes a singleton; one that is not there is no error.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item.
    pub fn remove<T>(&mut self, item: &Singleton<T>) -> OpResult<()> {
        self.delete_item(item.def.name, "")
    }

    /// Deletes a keyed item; one that is not there is no error.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item.
    pub fn remove_at<T>(&mut self, item: &Keyed<T>, key: &str) -> OpResult<()> {
        self.delete_item(item.def.name, key)
    }

    /// The keys of such items, sorted.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item; or the store failed.
    pub fn keys_of<T>(&mut self, tx: &mut dyn Tx, item: &Keyed<T>) -> OpResult<Vec<String>> {
        self.keys(tx, item.def.name)
    }

    fn value<T: DeserializeOwned>(&mut self, tx: &mut dyn Tx, item: &str, key: &str) -> OpResult<Option<T>> {
        let wrong = |error| OpError::new(codes::BDETECTED, format!("item {item} `{key}`: {error}"));
        self.json(tx, item, key)?.map(|value| serde_json::from_value(value).map_err(wrong)).transpose()
    }
}

fn json<T: Serialize>(value: &T) -> OpResult<serde_json::Value> {
    serde_json::to_value(value).map_err(|error| OpError::new(codes::BDETECTED, format!("no JSON: {error}")))
}

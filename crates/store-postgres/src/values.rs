//! The portable values as the server's types, and back.
//!
//! A parameter takes the type that the server inferred for it; what does not fit is a mistake in the statement and is
//! refused before anything is sent. What is deliberately not there: dates, arrays, JSON types and `numeric` results. A
//! bare SUM of integers is `numeric` on PostgreSQL and an integer on SQLite: the statement must cast it.

use std::borrow::Cow;
use std::error::Error;

use base::{Cell, Row, Value};
use bytes::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};

/// Larger values cannot be in one message; the services' own limits lie far below.
const VALUE_BYTES_MAX: usize = 256 << 20;

/// A value in the server's type, checked.
#[derive(Debug, Clone)]
pub(crate) enum Param<'a> {
    Null,
    Bool(bool),
    Int2(i16),
    Int4(i32),
    Int8(i64),
    Float4(f32),
    Float8(f64),
    /// In text form: the binary form of `numeric` is not worth its code here.
    Numeric(String),
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
}

/// All parameters of one call.
pub(crate) fn params<'a>(values: &[Value<'a>], types: &[Type]) -> Result<Vec<Param<'a>>, String> {
    if values.len() != types.len() {
        return Err(format!("{} parameters given, {} wanted", values.len(), types.len()));
    }
    let one = |(at, (value, kind)): (usize, (&Value<'a>, &Type))| {
        Param::of(value, kind).map_err(|wrong| format!("parameter {}: {wrong}", at + 1))
    };
    values.iter().zip(types).enumerate().map(one).collect()
}

impl<'a> Param<'a> {
    fn of(value: &Value<'a>, kind: &Type) -> Result<Self, String> {
        match value {
            Value::Null => Ok(Self::Null),
            Value::Int(value) => Self::of_int(*value, kind),
            Value::Real(value) => Self::of_real(*value, kind),
            Value::Text(value) => Self::of_text(value.clone(), kind),
            Value::Blob(value) => Self::of_blob(value.clone(), kind),
        }
    }

    fn of_int(value: i64, kind: &Type) -> Result<Self, String> {
        let beyond = |_| format!("{value} is beyond {kind}");
        match *kind {
            Type::INT8 => Ok(Self::Int8(value)),
            Type::INT4 => value.try_into().map(Self::Int4).map_err(beyond),
            Type::INT2 => value.try_into().map(Self::Int2).map_err(beyond),
            Type::BOOL if value == 0 || value == 1 => Ok(Self::Bool(value == 1)),
            Type::NUMERIC => Ok(Self::Numeric(value.to_string())),
            // As SQLite does with an integer in a REAL column.
            Type::FLOAT4 | Type::FLOAT8 => Self::of_real(value as f64, kind),
            _ => Err(unlike("an integer", kind)),
        }
    }

    fn of_real(value: f64, kind: &Type) -> Result<Self, String> {
        match *kind {
            Type::FLOAT8 => Ok(Self::Float8(value)),
            #[expect(clippy::cast_possible_truncation, reason = "the column itself keeps no more than a float4")]
            Type::FLOAT4 => Ok(Self::Float4(value as f32)),
            Type::NUMERIC => Ok(Self::Numeric(value.to_string())),
            _ => Err(unlike("a float", kind)),
        }
    }

    fn of_text(value: Cow<'a, str>, kind: &Type) -> Result<Self, String> {
        if !is_text(kind) {
            return Err(unlike("a text", kind));
        }
        if value.contains('\0') {
            return Err("a text must not hold NUL".into());
        }
        within(value.len()).map(|()| Self::Text(value))
    }

    fn of_blob(value: Cow<'a, [u8]>, kind: &Type) -> Result<Self, String> {
        if *kind != Type::BYTEA {
            return Err(unlike("bytes", kind));
        }
        within(value.len()).map(|()| Self::Bytes(value))
    }

    /// The same value without borrowing, to be sent later.
    pub(crate) fn kept(self) -> Param<'static> {
        match self {
            Self::Null => Param::Null,
            Self::Bool(value) => Param::Bool(value),
            Self::Int2(value) => Param::Int2(value),
            Self::Int4(value) => Param::Int4(value),
            Self::Int8(value) => Param::Int8(value),
            Self::Float4(value) => Param::Float4(value),
            Self::Float8(value) => Param::Float8(value),
            Self::Numeric(value) => Param::Numeric(value),
            Self::Text(value) => Param::Text(Cow::Owned(value.into_owned())),
            Self::Bytes(value) => Param::Bytes(Cow::Owned(value.into_owned())),
        }
    }

    /// About how many bytes it takes on its way.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(value) => value.len(),
            Self::Bytes(value) => value.len(),
            _ => 8,
        }
    }
}

fn is_text(kind: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::UNKNOWN].contains(kind)
}

fn unlike(given: &str, kind: &Type) -> String {
    format!("{given} was given, the server wants {kind}")
}

fn within(bytes: usize) -> Result<(), String> {
    if bytes <= VALUE_BYTES_MAX { Ok(()) } else { Err(format!("{bytes} bytes are more than {VALUE_BYTES_MAX}")) }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql(kind, out),
            Self::Int2(value) => value.to_sql(kind, out),
            Self::Int4(value) => value.to_sql(kind, out),
            Self::Int8(value) => value.to_sql(kind, out),
            Self::Float4(value) => value.to_sql(kind, out),
            Self::Float8(value) => value.to_sql(kind, out),
            Self::Numeric(value) => value.to_sql(&Type::TEXT, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Bytes(value) => value.to_sql(kind, out),
        }
    }

    /// Checked when the parameter was made.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        if matches!(self, Self::Numeric(_)) { Format::Text } else { Format::Binary }
    }

    to_sql_checked!();
}

/// A value of a row, whatever its type.
struct Given(Cell);

impl<'a> FromSql<'a> for Given {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let cell = match *kind {
            Type::INT8 => Cell::Int(i64::from_sql(kind, raw)?),
            Type::INT4 => Cell::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Cell::Int(i16::from_sql(kind, raw)?.into()),
            Type::BOOL => Cell::Int(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Cell::Real(f64::from_sql(kind, raw)?),
            Type::FLOAT4 => Cell::Real(f32::from_sql(kind, raw)?.into()),
            Type::BYTEA => Cell::Blob(raw.to_vec()),
            // What `pg_notify` and its like give.
            Type::VOID => Cell::Null,
            _ if is_text(kind) => Cell::Text(std::str::from_utf8(raw)?.to_owned()),
            _ => return Err(unreadable(kind).into()),
        };
        Ok(Self(cell))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Cell::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A row of the driver as a row of ours.
pub(crate) fn row(row: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    let cell = |at| row.try_get::<_, Given>(at).map(|given| given.0);
    (0..row.len()).map(cell).collect::<Result<_, _>>().map(Row)
}

/// Refuses a result that could not be read, before the statement ever runs.
pub(crate) fn check_columns<'a>(kinds: impl Iterator<Item = &'a Type>) -> Result<(), String> {
    for (at, kind) in kinds.enumerate() {
        if !is_readable(kind) {
            return Err(format!("column {at}: {}", unreadable(kind)));
        }
    }
    Ok(())
}

fn is_readable(kind: &Type) -> bool {
    let plain = [Type::INT8, Type::INT4, Type::INT2, Type::BOOL, Type::FLOAT8, Type::FLOAT4, Type::BYTEA, Type::VOID];
    is_text(kind) || plain.contains(kind)
}

fn unreadable(kind: &Type) -> String {
    format!("a result of type {kind} is not portable, cast it (a sum of integers to BIGINT)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(value: Value<'_>, kind: Type) -> String {
        params(&[value], &[kind]).expect_err("refused")
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        assert_eq!(refused(Value::Int(40_000), Type::INT2), "parameter 1: 40000 is beyond int2");
        assert_eq!(refused(Value::Int(1), Type::TEXT), "parameter 1: an integer was given, the server wants text");
        assert_eq!(refused("a".into(), Type::INT8), "parameter 1: a text was given, the server wants int8");
        assert_eq!(refused("a\0b".into(), Type::TEXT), "parameter 1: a text must not hold NUL");
        assert_eq!(refused(Value::Int(2), Type::BOOL), "parameter 1: an integer was given, the server wants bool");
        assert_eq!(params(&[], &[Type::INT8]).expect_err("refused"), "0 parameters given, 1 wanted");
    }

    #[test]
    fn nothing_fits_everywhere() {
        for kind in [Type::INT8, Type::TEXT, Type::BYTEA, Type::TIMESTAMPTZ] {
            assert!(params(&[Value::Null], &[kind]).is_ok());
        }
    }

    #[test]
    fn a_bare_sum_is_named() {
        let wrong = check_columns([Type::INT8, Type::NUMERIC].iter()).expect_err("refused");
        assert!(wrong.starts_with("column 1: a result of type numeric is not portable, cast it"), "{wrong}");
    }
}

//! Ledger and counters over HTTP (EXC-21, EXC-23).

use base::codes;
use kernel::Role;
use serde::Deserialize;
use utoipa::IntoParams;
use web::{Api, ApiError, ApiResult, QueryOf, Route, given};

use super::{LOOKERS, Speaker, TAG, looked_at};
use crate::codes::{NPARTY, SBLOCKED};
use crate::ledger::{LEDGER, LedgerView};
use crate::statistics::{DATABASE_STATISTICS, DEVICE_STATISTICS, OWN_DEVICE_STATISTICS, Statistics};

/// Who looks at counters.
const COUNTED: &[Role] = &[Role::Operator, Role::Reader, Role::Database, Role::Device];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/exchange/ledger", ledger)
            .tag(TAG)
            .summary("Show the ledger of a database")
            .about(
                "received = queued + in process + log + error + unknown + removed, at all times. What was counted along is compared with \
                 what is there; the server does the same every few minutes, and an alert is open while it is not so.",
            )
            .roles(LOOKERS)
            .query::<LedgerQuery>()
            .answers::<LedgerView>(200)
            .errors(&[NPARTY]),
        Route::get("/v1/{ns}/exchange/statistics", statistics)
            .tag(TAG)
            .summary("Show the counters of a device or a database")
            .roles(COUNTED)
            .query::<StatisticsQuery>()
            .answers::<Statistics>(200)
            .errors(&[NPARTY, SBLOCKED]),
    ]
}

/// Which ledger.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LedgerQuery {
    /// Of which database; a database's key need not say.
    #[param(nullable = false)]
    db: Option<String>,
}

/// Whose counters: one of the two.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct StatisticsQuery {
    /// Of which device.
    #[param(nullable = false)]
    device: Option<String>,
    /// Of which database.
    #[param(nullable = false)]
    db: Option<String>,
}

async fn ledger(api: Api, QueryOf(query): QueryOf<LedgerQuery>) -> ApiResult<LedgerView> {
    let none = || ApiError::refused(codes::ABODY, "query: say of which database (db)");
    let db = looked_at(&api, query.db)?.ok_or_else(none)?;
    api.read(&LEDGER, db).await
}

async fn statistics(api: Api, QueryOf(query): QueryOf<StatisticsQuery>) -> ApiResult<Statistics> {
    let (device, db) = (given(query.device), given(query.db));
    let wanted = match (Speaker::of(&api)?, device, db) {
        (Speaker::Device(own), named, None) if named.as_ref().is_none_or(|named| *named == own) => {
            return api.read(&OWN_DEVICE_STATISTICS, own).await;
        }
        (Speaker::Database(own), None, None) => (None, Some(own)),
        (Speaker::Database(own), None, Some(named)) if own == named => (None, Some(own)),
        (Speaker::Anyone, device, db) => (device, db),
        _ => return Err(ApiError::refused(codes::SROLE, "this key sees its own counters only")),
    };
    match wanted {
        (Some(device), None) => api.read(&DEVICE_STATISTICS, device).await,
        (None, Some(db)) => api.read(&DATABASE_STATISTICS, db).await,
        _ => Err(ApiError::refused(codes::ABODY, "query: say of which device or of which db, one of the two")),
    }
}

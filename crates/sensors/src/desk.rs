//! What is kept in memory of sensors.

use kernel::OpCx;

use crate::id::SensorId;

/// Memory forgets a sensor once this operation is committed.
pub(crate) fn forget_when_settled(_: &mut OpCx<'_>, _: SensorId) {}

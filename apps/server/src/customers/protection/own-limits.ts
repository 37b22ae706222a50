import type { Protection, UsedLimit, UserInfo } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';

interface PauseRow {
  readonly kind: 'break' | 'exclusion' | null;
  readonly from: number;
  /** Null with a `kind`: without an end. */
  readonly until: number | null;
  readonly minutes: number | null;
  readonly later: Protection['reminder']['later'];
}

/** An ended break counts as none; a loosening whose time has come is the current value. */
const PAUSE = `select
    case when document_until > now() then 'exclusion' when closed_until > now() then closed_kind end as kind,
    ${ms('case when closed_until > now() then closed_at else document_at end')} as from,
    ${ms('case when isfinite(until) then until end')} as until,
    case when later_at <= now() then later_minutes else reminder_minutes end as minutes,
    case when later_at > now() then json_build_object('minutes', later_minutes, 'at', ${ms('later_at')}) end as later
  from protected_customers, greatest(closed_until, document_until) as until where customer_id = $1`;

const KINDS: readonly UsedLimit['kind'][] = ['deposit', 'stake', 'loss'];
const PERIODS: readonly UsedLimit['per'][] = ['day', 'week', 'month'];

/** A customer's own limits with what is left of them, their break, and the reminder. */
export async function readProtection(db: Queryable, customerId: string): Promise<Protection> {
  const { rows: limits } = await db.query<UsedLimit>(
    `select a.code as asset, u.kind, u.per, ${amountOf('u.amount')} as amount, ${amountOf('u.used')} as used,
       ${amountOf('greatest(u.amount - u.used, 0)')} as left, period_end_ms(u.per, n.now_ms)::float8 as "resetsAt",
       case when u.later_at is not null then json_build_object('amount', ${amountOf('u.later_amount')}, 'at', ${ms('u.later_at')}) end as later
     from (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms) n
     cross join (select distinct asset_id from customer_limits where customer_id = $1) l
     join ledger.assets a on a.id = l.asset_id
     cross join lateral limits_used($1, l.asset_id, n.now_ms) u
     order by a.id, array_position($2::text[], u.kind), array_position($3::text[], u.per)`,
    [customerId, KINDS, PERIODS],
  );
  const { rows } = await db.query<PauseRow>(PAUSE, [customerId]);
  const [pause] = rows;
  const reminder = { minutes: pause?.minutes ?? null, later: pause?.later ?? null };
  return { limits, pause: presentPause(pause), reminder };
}

function presentPause(row: PauseRow | undefined): Protection['pause'] {
  return row?.kind ? { kind: row.kind, from: row.from, until: row.until } : null;
}

/** The part that the app keeps with the user info. It omits what is left, because this changes with every order. */
export async function readOwnLimits(
  db: Queryable,
  customerId: string,
): Promise<Pick<UserInfo, 'limits' | 'pause' | 'reminderMinutes'>> {
  const pause = (await db.query<PauseRow>({ name: 'customer-pause', text: PAUSE, values: [customerId] }))
    .rows[0];
  // A customer who never asked for protection has no row and no limits.
  if (!pause) return { limits: [], pause: null, reminderMinutes: null };
  const { rows: limits } = await db.query<UserInfo['limits'][number]>({
    name: 'customer-limits',
    text: `select a.code as asset, l.kind, l.per, ${amountOf('l.amount')} as amount from (
        select asset_id, kind, per, case when later_at <= now() then later_amount else amount end as amount
        from customer_limits where customer_id = $1
      ) l join ledger.assets a on a.id = l.asset_id where l.amount is not null order by l.asset_id, l.kind, l.per`,
    values: [customerId],
  });
  const shown = presentPause(pause);
  return {
    limits,
    pause: shown && { kind: shown.kind, until: shown.until },
    reminderMinutes: pause.minutes,
  };
}

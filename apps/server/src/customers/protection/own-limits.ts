import { formatDecimal } from '@fairtick/money';
import type { Protection, UsedLimit, UserInfo } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';

interface LimitRow {
  readonly asset_id: number;
  readonly kind: UsedLimit['kind'];
  readonly per: UsedLimit['per'];
  readonly amount: string;
  readonly used: string;
  readonly later_amount: string | null;
  readonly later_ms: string | null;
  readonly resets_ms: string;
}

interface PauseRow {
  readonly kind: 'break' | 'exclusion' | null;
  readonly from_ms: string | null;
  /** Null with a `kind`: without an end. */
  readonly until_ms: string | null;
  readonly minutes: number | null;
  readonly later_minutes: number | null;
  readonly later_ms: string | null;
}

/** An ended break counts as none; a loosening whose time has come is the current value. */
const PAUSE = `select
    case when document_until > now() then 'exclusion' when closed_until > now() then closed_kind end as kind,
    floor(extract(epoch from case when closed_until > now() then closed_at else document_at end) * 1000)::bigint as from_ms,
    case when isfinite(until) then floor(extract(epoch from until) * 1000)::bigint end as until_ms,
    case when later_at <= now() then later_minutes else reminder_minutes end as minutes,
    case when later_at > now() then later_minutes end as later_minutes,
    case when later_at > now() then floor(extract(epoch from later_at) * 1000)::bigint end as later_ms
  from protected_customers, greatest(closed_until, document_until) as until where customer_id = $1`;

const KINDS: readonly UsedLimit['kind'][] = ['deposit', 'stake', 'loss'];
const PERIODS: readonly UsedLimit['per'][] = ['day', 'week', 'month'];

/** A customer's own limits with what is left of them, their break, and the reminder. */
export async function readProtection(db: Queryable, assets: Assets, customerId: string): Promise<Protection> {
  const { rows } = await db.query<LimitRow>(
    `select a.asset_id, u.kind, u.per, u.amount, u.used, u.later_amount,
       floor(extract(epoch from u.later_at) * 1000)::bigint as later_ms, period_end_ms(u.per, n.now_ms) as resets_ms
     from (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms) n
     cross join (select distinct asset_id from customer_limits where customer_id = $1) a
     cross join lateral limits_used($1, a.asset_id, n.now_ms) u`,
    [customerId],
  );
  const limits = rows
    .map((row) => presentLimit(row, assets))
    .sort(
      (one, other) =>
        assetOrder(assets, one) - assetOrder(assets, other) ||
        KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
        PERIODS.indexOf(one.per) - PERIODS.indexOf(other.per),
    );
  const pause = (await db.query<PauseRow>(PAUSE, [customerId])).rows[0];
  return { limits, pause: presentPause(pause), reminder: presentReminder(pause) };
}

const assetOrder = (assets: Assets, { asset }: { asset: string }) => assets.byCode(asset)?.id ?? 0;

function presentLimit(row: LimitRow, assets: Assets): UsedLimit {
  const { code, scale } = assets.byId(row.asset_id);
  const text = (amount: bigint) => formatDecimal(amount, scale);
  const [amount, used] = [BigInt(row.amount), BigInt(row.used)];
  return {
    asset: code,
    kind: row.kind,
    per: row.per,
    amount: text(amount),
    used: text(used),
    left: text(used > amount ? 0n : amount - used),
    resetsAt: Number(row.resets_ms),
    later:
      row.later_ms === null
        ? null
        : {
            amount: row.later_amount === null ? null : text(BigInt(row.later_amount)),
            at: Number(row.later_ms),
          },
  };
}

function presentPause(row: PauseRow | undefined): Protection['pause'] {
  if (!row?.kind) return null;
  return {
    kind: row.kind,
    from: Number(row.from_ms),
    until: row.until_ms === null ? null : Number(row.until_ms),
  };
}

function presentReminder(row: PauseRow | undefined): Protection['reminder'] {
  if (!row) return { minutes: null, later: null };
  const later = row.later_ms === null ? null : { minutes: row.later_minutes, at: Number(row.later_ms) };
  return { minutes: row.minutes, later };
}

/** The part that the app keeps with the user info. It omits what is left, because this changes with every order. */
export async function readOwnLimits(
  db: Queryable,
  assets: Assets,
  customerId: string,
): Promise<Pick<UserInfo, 'limits' | 'pause' | 'reminderMinutes'>> {
  const pause = (await db.query<PauseRow>({ name: 'customer-pause', text: PAUSE, values: [customerId] }))
    .rows[0];
  // A customer who never asked for protection has no row and no limits.
  if (!pause) return { limits: [], pause: null, reminderMinutes: null };
  const { rows } = await db.query<Pick<LimitRow, 'asset_id' | 'kind' | 'per' | 'amount'>>({
    name: 'customer-limits',
    text: `select asset_id, kind, per, amount from (
        select asset_id, kind, per, case when later_at <= now() then later_amount else amount end as amount
        from customer_limits where customer_id = $1
      ) l where amount is not null order by asset_id, kind, per`,
    values: [customerId],
  });
  const shown = presentPause(pause);
  return {
    limits: rows.map(({ asset_id, kind, per, amount }) => {
      const { code, scale } = assets.byId(asset_id);
      return { asset: code, kind, per, amount: formatDecimal(BigInt(amount), scale) };
    }),
    pause: shown && { kind: shown.kind, until: shown.until },
    reminderMinutes: pause.minutes,
  };
}

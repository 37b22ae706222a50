import { formatDecimal } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';

type Day = OfficeData<'dashboard/house'>['money'][number];

const DAY_MS = 86_400_000;
const DAYS = 14;
/** A result may become better for a day after its order was due: the days before are final, and a process reads each one once. */
const CHANGING_DAYS = 2;

/** The house's result with settled orders, and what customers paid in and were paid, by UTC day. */
export class MoneyDays {
  readonly #db: Queryable;
  readonly #assets: Assets;
  #final: { readonly untilDay: number; readonly days: readonly Day[] } = { untilDay: 0, days: [] };

  constructor(db: Queryable, assets: Assets) {
    this.#db = db;
    this.#assets = assets;
  }

  /** The last 14 days including today, newest first. */
  async read(nowMs: number): Promise<readonly Day[]> {
    const today = Math.floor(nowMs / DAY_MS);
    const firstDay = dateOf(today - DAYS + 1);
    const changing = today - CHANGING_DAYS + 1;
    const from = Math.max(this.#final.untilDay, today - DAYS + 1);
    const read = await this.#readFrom(from * DAY_MS);
    const kept = this.#final.days.filter(({ date }) => date >= firstDay);
    const isFinal = ({ date }: Day) => date < dateOf(changing);
    this.#final = { untilDay: changing, days: [...read.filter(isFinal), ...kept] };
    return [...read, ...kept];
  }

  async #readFrom(fromMs: number): Promise<readonly Day[]> {
    const { rows } = await this.#db.query<
      Record<'day' | 'result' | 'paid_in' | 'paid_out', string> & { asset_id: number }
    >(
      `select day, asset_id, sum(result)::text as result, sum(paid_in)::text as paid_in, sum(paid_out)::text as paid_out from (
         select settles_at_ms / 86400000 as day, asset_id, stake - credited as result, 0::bigint as paid_in, 0::bigint as paid_out
         from orders_and_results where settles_at_ms >= $1::bigint and credited is not null
         union all select floor(extract(epoch from decided_at) / 86400)::bigint, asset_id, 0, found_amount - fee, 0 from deposit_requests
         where status = 'success' and decided_at >= to_timestamp($1::bigint / 1000.0)
         union all select floor(extract(epoch from decided_at) / 86400)::bigint, asset_id, 0, 0, amount - fee from withdrawal_requests
         where status = 'success' and decided_at >= to_timestamp($1::bigint / 1000.0)
       ) moved group by day, asset_id order by day desc, asset_id`,
      [fromMs],
    );
    return rows.map((row) => {
      const { code: asset, scale } = this.#assets.byId(row.asset_id);
      const amount = (units: string) => formatDecimal(BigInt(units), scale);
      return {
        date: dateOf(Number(row.day)),
        asset,
        result: amount(row.result),
        paidIn: amount(row.paid_in),
        paidOut: amount(row.paid_out),
      };
    });
  }
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

import type { Logger } from 'pino';
import type { VendorSettings } from '../../config/vendor-file.ts';
import { perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { openRecord } from '../../platform/sealing/records.ts';
import type { Destinations } from '../personal-data/destinations.ts';
import { askVendor } from './vendor-client.ts';

const EVERY_MS = 2_000;
/** Asked at once, and in a turn; each is answered or given up before it is due again. */
const AT_ONCE = 10;
const MOST_ROUNDS = 20;

interface Due {
  readonly id: string;
  readonly take: number;
  readonly reference: string;
  readonly kind: 'name' | 'destination' | 'sender';
  readonly subject_id: string;
  readonly customer_id: string;
  /** The vendor has it already, so that only its state is fetched. */
  readonly is_known: boolean;
}

interface Parts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly destinations: Destinations;
  readonly vendors: readonly VendorSettings[];
}

/**
 * Makes inquiries at vendors and fetches their state, after an event at once and else with growing pauses, so that a lost event loses
 * nothing (`schema/customers/vendors.sql`). Nothing that is sent or answered is logged.
 */
export class VendorInquiries extends RecurringJob {
  readonly #parts: Parts;

  constructor(parts: Parts, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'vendors could not be asked' });
    this.#parts = parts;
  }

  async run(): Promise<void> {
    await Promise.all(this.#parts.vendors.map((vendor) => this.#turn(vendor)));
  }

  async #turn(vendor: VendorSettings): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && !this.isStopped; round += 1) {
      const { rows } = await this.#parts.pool.query<Due>('select * from vendor_take($1, $2)', [
        vendor.name,
        AT_ONCE,
      ]);
      if (rows.length === 0) return;
      const faults = (await Promise.all(rows.map((due) => this.#ask(vendor, due)))).filter(Boolean);
      if (faults.length > 0)
        this.log.warn(
          { vendor: vendor.name, failed: faults.length, why: faults[0] },
          'a vendor gives no answer',
        );
      if (faults.length === rows.length) return;
    }
  }

  /** @returns why there is no answer, or null */
  async #ask(vendor: VendorSettings, due: Due): Promise<string | null> {
    const { pool } = this.#parts;
    const of = { inquiry: due.id, take: due.take };
    try {
      const asked = due.is_known ? undefined : await this.#asked(vendor, due);
      // It was erased or removed, so that the next turn leaves it out.
      if (asked === null) return null;
      const answer = await askVendor(vendor, due.reference, asked);
      if (answer === null) await perform(pool, 'vendor_failed', { ...of, isUnknown: true });
      else {
        const { state, code, case: number } = answer;
        await perform(pool, 'vendor_answer', { ...of, state, code: code ?? null, case: number ?? null });
      }
      return null;
    } catch (error) {
      await perform(pool, 'vendor_failed', { ...of, isUnknown: false });
      const { message, cause } = error as Error;
      return cause instanceof Error ? `${message}: ${cause.message}` : message;
    }
  }

  /** The request to the vendor; null: its subject was erased or removed. */
  async #asked({ fields }: VendorSettings, { kind, subject_id: id, customer_id: customer }: Due) {
    const { pool, keys, destinations } = this.#parts;
    if (kind === 'name') {
      const { rows } = await pool.query<{ sealed: Buffer | null }>(
        'select sealed from verifications where id = $1',
        [id],
      );
      const sealed = rows[0]?.sealed;
      if (!sealed) return null;
      const identity = openRecord(keys, { table: 'verifications', record: id, customer }, sealed);
      return {
        kind: 'identity',
        identity: Object.fromEntries(fields.map((field) => [field, identity[field]])),
      };
    }
    if (kind === 'destination') {
      const opened = await destinations.read(pool, customer, id);
      if (opened?.kind !== 'crypto') return null;
      return { kind: 'address', direction: 'out', asset: opened.asset, address: opened.address };
    }
    const { rows } = await pool.query(
      `select 'address' as kind, 'in' as direction, a.code as asset, d.sender as address, d.chain, d.txid
       from chain_deposits d join ledger.assets a on a.id = d.asset_id where d.id = $1`,
      [id],
    );
    return rows[0] ?? null;
  }
}

import type { Logger } from 'pino';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { FINDERS, openRecord } from '../../platform/sealing/records.ts';
import type { Destinations } from '../personal-data/destinations.ts';
import { type Listed, type Match, NameIndex } from './matching.ts';

const EVERY_MS = 5_000;
/** Names and destinations that one turn compares. */
const A_TURN = 500;

interface Due {
  readonly kind: 'name' | 'destination';
  readonly subject_id: string;
  readonly customer_id: string;
}

interface Lists {
  readonly version: string;
  readonly names: NameIndex;
  readonly addresses: ReadonlyMap<string, Listed>;
}

/**
 * Compares customers' names and destinations with the lists whenever either is new (`schema/customers/screening.sql`). They are sealed,
 * so this happens here and not in the database, whose logs may have the values of a query. Nothing that is compared is logged.
 */
export class Screening extends RecurringJob {
  readonly #parts: { pool: Pool; keys: KeyRing; destinations: Destinations };
  #lists: Lists | null = null;

  constructor(parts: { pool: Pool; keys: KeyRing; destinations: Destinations }, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'names could not be compared with the lists' });
    this.#parts = parts;
  }

  /** @returns the number of new matches */
  async run(): Promise<number> {
    const { pool } = this.#parts;
    const { rows } = await pool.query<Due>('select * from screening_due($1)', [A_TURN]);
    if (rows.length === 0) return 0;
    const lists = await this.#read();
    let found = 0;
    for (const due of rows) {
      if (this.isStopped) break;
      const values = { kind: due.kind, subject: due.subject_id, version: lists.version };
      const matches = JSON.stringify(await this.#compare(due, lists));
      found += await call<number>(pool, 'screening_record', { ...values, matches });
    }
    return found;
  }

  async #compare({ kind, subject_id: id, customer_id: customer }: Due, lists: Lists): Promise<Match[]> {
    const { pool, keys, destinations } = this.#parts;
    if (kind === 'name') {
      const { rows } = await pool.query<{ sealed: Buffer | null }>(
        'select sealed from verifications where id = $1',
        [id],
      );
      const sealed = rows[0]?.sealed;
      if (!sealed) return [];
      return lists.names.matches(
        openRecord(keys, { table: 'verifications', record: id, customer }, sealed).realName,
      );
    }
    const opened = await destinations.read(pool, customer, id);
    if (opened === null) return [];
    if (opened.kind === 'bank') return lists.names.matches(opened.card.holder);
    const listed = lists.addresses.get(FINDERS.address(opened.address));
    return listed
      ? [{ list: listed.list, reference: listed.reference, listed: listed.text, score: 100 }]
      : [];
  }

  /** The lists as they are; kept until another version is loaded. */
  async #read(): Promise<Lists> {
    const { pool } = this.#parts;
    const version = await call<string>(pool, 'screening_version');
    if (this.#lists?.version === version) return this.#lists;
    const { rows } = await pool.query<Listed & { kind: 'name' | 'address' }>(
      'select kind, list, reference, text from screening_entries order by id',
    );
    this.#lists = {
      version,
      names: new NameIndex(rows.filter(({ kind }) => kind === 'name')),
      addresses: new Map(
        rows.flatMap((one) => (one.kind === 'address' ? [[FINDERS.address(one.text), one] as const] : [])),
      ),
    };
    return this.#lists;
  }
}

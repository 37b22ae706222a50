import type { Listener } from '../../platform/bus/listener.ts';
import { byteaArray } from '../../platform/db/binary-arrays.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import type { Caller, Session } from '../../platform/http/session.ts';
import { hashToken, newToken } from './passwords.ts';

/** How long a session may be cached. A revocation is notified at once; this is the bound when the notice is lost. */
const BELIEVED_MS = 500;
const MAX_BELIEVED = 10_000;

interface Believed {
  readonly session: Session;
  readonly untilMs: number;
}

/** Notice to all processes of ended sessions: one, or with `tokenHash` null all of the customer except `exceptHash`. */
export interface Ended {
  readonly customerId: string;
  /** Hex. */
  readonly tokenHash: string | null;
  readonly exceptHash: string | null;
}

interface SessionRow {
  readonly token: string;
  readonly customer_id: string;
  readonly is_fresh: boolean;
  readonly is_proved: boolean;
  readonly is_stale: boolean;
  readonly ends_ms: string;
}

interface LookUp {
  /** The token's hash in hex. */
  readonly key: string;
  readonly tokenHash: Buffer;
}

/** Reads sessions from the table. Look-ups of one turn of the event loop share one query. */
class LookUps {
  readonly #pool: Pool;
  #wanted: LookUp[] = [];
  #reading: Promise<ReadonlyMap<string, SessionRow>> | null = null;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The row at some time after the call. */
  async find(lookUp: LookUp): Promise<SessionRow | null> {
    this.#wanted.push(lookUp);
    this.#reading ??= this.#read();
    return (await this.#reading).get(lookUp.key) ?? null;
  }

  async #read(): Promise<ReadonlyMap<string, SessionRow>> {
    await new Promise((resolve) => setImmediate(resolve));
    const wanted = this.#wanted;
    this.#wanted = [];
    this.#reading = null;
    const { rows } = await this.#pool.query<SessionRow>({
      name: 'session-find',
      text: 'select token, customer_id, is_fresh, is_proved, is_stale, ends_ms from sessions_look($1::bytea[])',
      values: [byteaArray(wanted.map(({ tokenHash }) => tokenHash))],
    });
    return new Map(rows.map((row) => [row.token, row]));
  }
}

/** Sessions by token. The table is authoritative; the cache is at most half a second old. */
export class Sessions {
  readonly #pool: Pool;
  readonly #lookUps: LookUps;
  readonly #believed = new Map<string, Believed>();
  /** Number of endings notified so far, and the last of each customer. A look-up during which one arrived is repeated. */
  #endings = 0;
  readonly #lastEnding = new Map<string, number>();
  /** Up to this number an ending of any customer may have been missed. */
  #missedUpTo = 0;
  readonly #handlers: ((ended: Ended) => void)[] = [];

  constructor(pool: Pool, listener: Listener) {
    this.#pool = pool;
    this.#lookUps = new LookUps(pool);
    listener.on('sessions', (ended) => this.#forget(ended));
  }

  /** Registers a handler that is called for every ended session, of all processes. */
  onEnd(handler: (ended: Ended) => void): void {
    this.#handlers.push(handler);
  }

  /**
   * Begins a session, proved at its beginning, and records the login that the customer sees. The token
   * is returned once and never stored.
   */
  async begin(db: Queryable, customerId: string, caller: Caller): Promise<string> {
    const token = newToken();
    const { userAgent, address, device } = caller;
    const isKnown = device === customerId;
    const values = { tokenHash: hashToken(token), customer: customerId, userAgent, address, isKnown };
    await perform(db, 'session_begin', values);
    return token;
  }

  /**
   * The session of a token, or null when there is none or it has ended.
   * @param needs a property that a cached session may lack while the table has it, since a proof may have come at
   * another process; the table is read then
   */
  async find(token: string, needs: 'isFresh' | 'isProved' | null = null): Promise<Session | null> {
    if (token.length === 0 || token.length > 100) return null;
    const tokenHash = hashToken(token);
    const key = tokenHash.toString('hex');
    const believed = this.#believed.get(key);
    const isEnough = believed && (needs === null || believed.session[needs]);
    if (believed && isEnough && performance.now() < believed.untilMs) return believed.session;
    const endings = this.#endings;
    const row = await this.#lookUps.find({ key, tokenHash });
    if (!row) {
      this.#believed.delete(key);
      return null;
    }
    if (row.is_stale) await this.#pool.query('select session_touch($1)', [tokenHash]);
    // The session may have ended since it was read, and the notice came before the session was cached.
    if (Math.max(this.#missedUpTo, this.#lastEnding.get(row.customer_id) ?? 0) > endings)
      return this.find(token, needs);
    const session = {
      customerId: row.customer_id,
      tokenHash,
      isFresh: row.is_fresh,
      isProved: row.is_proved,
      endsMs: Number(row.ends_ms),
    };
    if (this.#believed.size >= MAX_BELIEVED) this.#believed.clear();
    this.#believed.set(key, { session, untilMs: performance.now() + BELIEVED_MS });
    return session;
  }

  /** The customer of a session that was found lately; it may have ended since. Null: none was found here. */
  ownerOf(token: string): string | null {
    if (token.length === 0 || token.length > 100) return null;
    return this.#believed.get(hashToken(token).toString('hex'))?.session.customerId ?? null;
  }

  async end(session: Session): Promise<void> {
    await this.#pool.query(
      'select session_end(s.customer_id, s.id, null) from sessions_look(array[$1::bytea]) s',
      [session.tokenHash],
    );
    await this.#tell(this.#pool, {
      customerId: session.customerId,
      tokenHash: session.tokenHash.toString('hex'),
      exceptHash: null,
    });
  }

  /** Ends one session of the customer by its number; does nothing if it is another customer's or does not exist. */
  async endById(customerId: string, id: string): Promise<void> {
    const values = { customer: customerId, id, exceptHash: null };
    const token = await call<string | null>(this.#pool, 'session_end', values);
    if (token !== null) await this.#tell(this.#pool, { customerId, tokenHash: token, exceptHash: null });
  }

  /** Ends all sessions of a customer except one. The notice goes out when the transaction of `db` commits. */
  async endAll(db: Queryable, customerId: string, except: Session | null): Promise<void> {
    await db.query('select session_end($1, null, $2)', [customerId, except?.tokenHash ?? null]);
    await this.#tell(db, {
      customerId,
      tokenHash: null,
      exceptHash: except?.tokenHash.toString('hex') ?? null,
    });
  }

  /** Records that the password was given again, with the second factor where one is on. */
  async prove(session: Session): Promise<void> {
    await this.#pool.query('select session_prove($1)', [session.tokenHash]);
    this.#believed.delete(session.tokenHash.toString('hex'));
  }

  async #tell(db: Queryable, ended: Ended): Promise<void> {
    await db.query(`select tell('sessions', $1)`, [JSON.stringify(ended)]);
  }

  /** @param ended null after a lost connection: any notice may have been missed */
  #forget(ended: Ended | null): void {
    this.#believed.clear();
    this.#endings += 1;
    if (ended === null || this.#lastEnding.size >= MAX_BELIEVED) {
      this.#lastEnding.clear();
      this.#missedUpTo = this.#endings;
    }
    if (ended === null) return;
    this.#lastEnding.set(ended.customerId, this.#endings);
    for (const handler of this.#handlers) handler(ended);
  }
}

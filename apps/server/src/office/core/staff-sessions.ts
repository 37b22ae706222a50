import type { StaffRole } from '@fairtick/protocol/office';
import { hashToken, newToken } from '../../customers/identity/passwords.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import type { Caller } from '../../platform/http/session.ts';
import type { StaffSession } from '../../platform/office-area.ts';

/** A session ends an hour after its last use, and twelve hours after its beginning in any case (`schema/office/sessions.sql`). */
const ALIVE = `s.last_used_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours'`;

interface SessionRow {
  readonly id: string;
  readonly staff_id: string;
  readonly account: string;
  readonly roles: StaffRole[];
  readonly is_proved: boolean;
  readonly is_strong: boolean;
  readonly must_change_password: boolean;
}

const BEGIN = new NamedCall('staff_session_begin', {
  tokenHash: 'bytea',
  staff: 'bigint',
  isStrong: 'boolean',
  userAgent: 'text',
  address: 'inet',
});

/**
 * Sessions of staff, without a cache: every request reads the table, so a removed session, role or account has no effect
 * any more. Staff are few, so one indexed look-up a request is cheap.
 */
export class StaffSessions {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Begins a session, proved at its beginning, and records it in the list of logins and the audit log. The token is returned once and never
   * stored.
   */
  async begin(db: Queryable, staffId: string, isStrong: boolean, caller: Caller): Promise<string> {
    const token = newToken();
    const { userAgent, address } = caller;
    await db.query(BEGIN.with({ tokenHash: hashToken(token), staff: staffId, isStrong, userAgent, address }));
    return token;
  }

  /** The session of a token, or null when there is none, it has ended, or the account is off. */
  async find(token: string): Promise<StaffSession | null> {
    if (token.length === 0 || token.length > 100) return null;
    const tokenHash = hashToken(token);
    const { rows } = await this.#pool.query<SessionRow>({
      name: 'staff-session-find',
      text: `select s.id, s.staff_id, s.is_proved, s.is_strong, f.account, f.must_change_password,
          array(select r.role::text from staff_roles r where r.staff_id = f.id) as roles
        from staff_session_look($1) s join staff f on f.id = s.staff_id`,
      values: [tokenHash],
    });
    const row = rows[0];
    if (!row) return null;
    return {
      id: row.id,
      staffId: row.staff_id,
      account: row.account,
      roles: new Set(row.roles),
      isProved: row.is_proved,
      isStrong: row.is_strong,
      mustChangePassword: row.must_change_password,
      tokenHash,
    };
  }

  /** Ends one session of this member of staff; by default the caller's. */
  async end(db: Queryable, session: StaffSession, id = session.id): Promise<void> {
    await db.query('select staff_session_end($1, $2, false)', [session.tokenHash, id]);
  }

  async endOthers(db: Queryable, session: StaffSession): Promise<void> {
    await db.query('select staff_session_end($1, null, true)', [session.tokenHash]);
  }

  /** Records a step-up; returns until when it holds, in Unix milliseconds. */
  async prove(db: Queryable, session: StaffSession, isStrong: boolean): Promise<number> {
    const { rows } = await db.query<{ ms: string | null }>('select staff_session_show($1, true, $2) as ms', [
      session.tokenHash,
      isStrong,
    ]);
    return Number(rows[0]?.ms ?? 0);
  }

  /** A second factor was given without the password: the session becomes strong, but not proved. */
  async strengthen(db: Queryable, session: StaffSession): Promise<void> {
    await db.query('select staff_session_show($1, false, true)', [session.tokenHash]);
  }

  async list(session: StaffSession) {
    const { rows } = await this.#pool.query<{
      id: string;
      created: string;
      used: string;
      user_agent: string;
      address: string | null;
    }>(
      `select s.id, (extract(epoch from s.created_at) * 1000)::bigint as created,
         (extract(epoch from s.last_used_at) * 1000)::bigint as used, s.user_agent, host(s.address) as address
       from staff_sessions s where s.staff_id = $1 and ${ALIVE} order by s.last_used_at desc limit 100`,
      [session.staffId],
    );
    return rows.map((row) => ({
      id: row.id,
      createdAt: Number(row.created),
      lastUsedAt: Number(row.used),
      userAgent: row.user_agent,
      address: row.address,
      isThis: row.id === session.id,
    }));
  }
}

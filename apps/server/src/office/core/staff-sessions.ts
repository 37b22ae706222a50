import type { OfficeData, StaffRole } from '@fairtick/protocol/office';
import { hashToken, newToken } from '../../customers/identity/passwords.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/session.ts';
import type { StaffSession } from '../../platform/office-area.ts';
import { ms } from '../../platform/office-queries.ts';

/** A session ends an hour after its last use, and twelve hours after its beginning in any case (`schema/office/sessions.sql`). */
const ALIVE = `s.last_used_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours'`;

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
    const values = { tokenHash: hashToken(token), staff: staffId, isStrong, userAgent, address };
    await perform(db, 'staff_session_begin', values);
    return token;
  }

  /** The session of a token, or null when there is none, it has ended, or the account is off. */
  async find(token: string): Promise<StaffSession | null> {
    if (token.length === 0 || token.length > 100) return null;
    const tokenHash = hashToken(token);
    const { rows } = await this.#pool.query<
      Omit<StaffSession, 'roles' | 'tokenHash'> & { roles: StaffRole[] }
    >({
      name: 'staff-session-find',
      text: `select s.id, s.staff_id as "staffId", s.is_proved as "isProved", s.is_strong as "isStrong", f.account,
          f.must_change_password as "mustChangePassword",
          array(select r.role::text from staff_roles r where r.staff_id = f.id) as roles
        from staff_session_look($1) s join staff f on f.id = s.staff_id`,
      values: [tokenHash],
    });
    return rows[0] ? { ...rows[0], roles: new Set(rows[0].roles), tokenHash } : null;
  }

  /** Ends one session of this member of staff; by default the caller's. */
  async end(db: Queryable, session: StaffSession, id = session.id): Promise<void> {
    await perform(db, 'staff_session_end', { tokenHash: session.tokenHash, id, others: false });
  }

  async endOthers(db: Queryable, session: StaffSession): Promise<void> {
    await perform(db, 'staff_session_end', { tokenHash: session.tokenHash, id: null, others: true });
  }

  /** Records a step-up; returns until when it holds, in Unix milliseconds. */
  async prove(db: Queryable, session: StaffSession, isStrong: boolean): Promise<number> {
    const values = { tokenHash: session.tokenHash, isProved: true, isStrong };
    return Number((await call<string | null>(db, 'staff_session_show', values)) ?? 0);
  }

  /** A second factor was given without the password: the session becomes strong, but not proved. */
  async strengthen(db: Queryable, session: StaffSession): Promise<void> {
    const values = { tokenHash: session.tokenHash, isProved: false, isStrong: true };
    await perform(db, 'staff_session_show', values);
  }

  async list({ staffId, id }: StaffSession): Promise<OfficeData<'session/list'>> {
    const { rows } = await this.#pool.query<OfficeData<'session/list'>[number]>(
      `select s.id::text, ${ms('s.created_at')} as "createdAt", ${ms('s.last_used_at')} as "lastUsedAt", s.user_agent as "userAgent",
         host(s.address) as address, s.id = $2 as "isThis"
       from staff_sessions s where s.staff_id = $1 and ${ALIVE} order by s.last_used_at desc limit 100`,
      [staffId, id],
    );
    return rows;
  }
}

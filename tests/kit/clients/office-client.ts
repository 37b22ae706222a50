import type { StaffRole } from '@fairtick/protocol/office';
import { hashToken, Passwords } from '../../../apps/server/src/customers/identity/passwords.ts';
import type { TestDatabase } from '../database/database.ts';
import { type RunningApi, startApi } from '../installation/running-api.ts';
import { installStaff, staffTokens } from '../people/staff.ts';
import { freePort } from '../processes/processes.ts';

export const STAFF_PASSWORD = 'a calm brass bell';
let passwordHash: Promise<string> | null = null;

export interface OfficeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** Starts an API process that also serves an office. */
export async function startOffice(
  db: TestDatabase,
  changes: Parameters<typeof startApi>[1] = {},
  payouts: Parameters<typeof startApi>[2] = null,
): Promise<RunningApi & { officeOrigin: string }> {
  const port = await freePort();
  const api = await startApi(
    db,
    {
      office: { port, origin: `http://localhost:${port}`, isChosen: true },
      ...changes,
    },
    payouts,
  );
  if (api.officeOrigin === null) throw new Error('no office is served');
  return { ...api, officeOrigin: api.officeOrigin };
}

/** Sends what a staff member's browser sends: the session cookie and the office's own header. */
export class OfficeClient {
  readonly origin: string;
  cookie = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  get(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<OfficeAnswer> {
    return this.#send(`${path}?${new URLSearchParams(fields)}`, { method: 'GET' }, headers);
  }

  post(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<OfficeAnswer> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields) }, headers);
  }

  async #send(path: string, init: RequestInit, headers: Record<string, string>): Promise<OfficeAnswer> {
    const answer = await fetch(`${this.origin}/api/${path}`, {
      ...init,
      headers: { 'x-office': '1', language: 'en', cookie: this.cookie, ...headers },
    });
    const given = answer.headers.getSetCookie()[0]?.split(';')[0];
    if (given !== undefined) this.cookie = given;
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? await answer.json() : await answer.text(),
    };
  }
}

/** Logs in a new member of staff with this role. */
export async function staffOf(
  db: TestDatabase,
  origin: string,
  role: StaffRole,
): Promise<OfficeClient & { readonly staffId: string; readonly account: string }> {
  passwordHash ??= new Passwords().hash(STAFF_PASSWORD);
  const account = `${role.slice(0, 9)}_${Math.random().toString(36).slice(2, 9)}`;
  const staffId = await installStaff(db.owner, role, account, await passwordHash, true);
  const client = new OfficeClient(origin);
  const { body } = await client.post('session/login', { account, password: STAFF_PASSWORD });
  if (body.code !== 1) throw new Error(`${account} could not log in: ${body.error}`);
  staffTokens.set(`${db.name}:${staffId}`, hashToken(decodeURIComponent(client.cookie.split('=')[1] ?? '')));
  return Object.assign(client, { staffId, account });
}

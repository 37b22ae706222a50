import { NONSENSE } from '@fairtick/kit/hostile/nonsense.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { openInstallation, type RoleProcess } from '@fairtick/kit/processes/role-processes.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, expect, test } from 'vitest';

const CHANNELS = ['log', 'orders', 'earnings', 'notices', 'sessions', 'chat'];
/** Of a channel's form, about what does not exist. */
const FALSE_NEWS = [
  ['log', '999999999999999'],
  ['orders', '1000000:5,1000001:0'],
  ['earnings', '0:999999999999999'],
  ['notices', '1000000:1000000'],
  ['sessions', `{"customerId":"1000000","tokenHash":null,"exceptHash":null}`],
] as const;
const ROUNDS = 10;

const installation = await openInstallation();
afterAll(() => installation.close());

async function notify(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const channel of CHANNELS)
      await installation.db.query('select pg_notify($1, text) from unnest($2::text[]) text', [
        channel,
        NONSENSE,
      ]);
    for (const [channel, text] of FALSE_NEWS)
      await installation.db.query('select pg_notify($1, $2)', [channel, text]);
  }
}

test('fifty forms of nonsense on every channel end no process of any role', async () => {
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const roles = ['feed', 'engine', 'api', 'api,engine,feed'];
  const processes: RoleProcess[] = [];
  for (const [place, role] of roles.entries())
    processes.push(await installation.start(role, { METRICS_PORT: String(ports[place]) }));
  const api = processes[3] as RoleProcess;
  await seen(async () => (await fetch(`${api.origin}/readyz`).catch(() => null))?.ok, {
    withinMs: 120_000,
    everyMs: 500,
    what: 'a ready installation',
  });
  const refused = async () =>
    Promise.all(
      ports.map(async (port) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return Number(/^fairtick_refused_notices_total (\d+)/m.exec(text)?.[1]);
      }),
    );
  const before = await refused();
  await notify();
  // An API hears all channels. The database sends equal notices of one statement once.
  const expected = ROUNDS * CHANNELS.length * new Set(NONSENSE).size;
  await seen(async () => {
    const counts = (await refused()).map((count, place) => count - (before[place] as number));
    return counts[2] === expected && counts[3] === expected;
  });
  expect(processes.map(({ role, isRunning }) => [role, isRunning])).toEqual(
    roles.map((role) => [role, true]),
  );
  expect((await fetch(`${api.origin}/readyz`)).status).toBe(200);
}, 300_000);

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, expect, test } from 'vitest';

const installation = new Installation();
afterAll(() => installation.close());

/** Messages of a starting server, from the empty folder to readiness. */
const MOMENTS = ['bringing the schema up to date', 'starting feed, engine and API', ' s  ready\n'];
const SAYS_IT_WITHIN_MS = 110_000;

test('a server that is stopped while it starts or as soon as it is ready exits by itself and leaves no database running', async () => {
  for (const moment of MOMENTS) {
    const house = await installation.start();
    await until(() => house.output().includes(moment), SAYS_IT_WITHIN_MS);
    expect(await house.stop(), moment).toBe(0);
    expect(existsSync(join(installation.dataDir, 'postgres/postmaster.pid')), moment).toBe(false);
  }
  // `/readyz` reports readiness as soon as the server's own output does.
  const house = await installation.startReady();
  // A second server at the same port ends with a line that names it, and disturbs nothing.
  const second = await installation.start({ ROLE: 'api', PORT: String(house.port) });
  await until(() => second.output().includes(`listens at the port ${house.port}: end it, or set PORT`));
  expect(await house.stop()).toBe(0);
  expect(existsSync(join(installation.dataDir, 'postgres/postmaster.pid'))).toBe(false);
}, 480_000);

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

test('metrics stop although a scrape is under way, and the next one follows on its connection', async () => {
  const db = await createTestDatabase();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const port = await freePort();
  const metrics = new Metrics({
    registry: new Registry(),
    figures: new Registry(),
    roles: new Set(['api']),
    db: db.server,
    lastBackupMs: () => null,
    folders: { data: tmpdir() },
  });
  /** Scrapes until the server is gone, and returns the reason. */
  const scrape = async (): Promise<string> => {
    for (;;) {
      const request = get({ port, host: '127.0.0.1', agent });
      const failed = once(request, 'error').then(([error]) => (error as NodeJS.ErrnoException).code ?? '');
      const answered = once(request, 'response').then(
        ([answer]) => answer as IncomingMessage,
        () => null,
      );
      const first = await Promise.race([failed, answered]);
      if (first === null || typeof first === 'string') return failed;
      await once(first.resume(), 'end');
      await sleep(50);
    }
  };
  const lock = await db.owner.connect();
  try {
    await metrics.listen(port, '127.0.0.1', pino({ level: 'silent' }));
    await lock.query('begin; lock table log_head');
    const scraping = scrape();
    await expect
      .poll(async () => (await db.owner.query(`select from pg_locks where not granted`)).rows.length)
      .toBeGreaterThan(0);
    const closed = metrics.close();
    await lock.query('rollback');
    await closed;
    expect(await scraping).toMatch(/ECONNREFUSED|ECONNRESET/);
  } finally {
    lock.release();
    agent.destroy();
    await db.drop();
  }
}, 10_000);

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { Installation } from '../black-box/server-process.ts';
import { Journal } from './journal.ts';
import { judge } from './judgement.ts';
import { LoadClient } from './load-client.ts';
import { openSymbols, resolveUnknown, untilSettled } from './trading.ts';

/**
 * Promise 1: a crash loses nothing. Everything is killed with SIGKILL while customers trade, three times; what they were
 * told is held against what the database says in the end. (A kill is not a power cut: the system's page cache survives it.)
 *
 * That this can fail was tried by hand with the defect that it is about, an answer before the commit:
 * - `set local synchronous_commit = off` in the transaction of a placement, so that the answer leaves before the commit is
 *   on disk;
 * - the placement's commit sent but not waited for, and the answer made of what was to be committed.
 * Both ended in "acknowledged and lost". Each kill comes at the first byte of an answer for that reason: the moment at
 * which an answer that came too early is furthest ahead of its commit.
 */
const CUSTOMERS = 48;
const KILLS = 3;
const LOAD_MS = 4_000;
/** What a start after a kill may take. */
const RESTART_MS = 25_000;

const installation = new Installation();
afterAll(() => installation.close());

test('kill -9 of the server and its database under load, three times: nothing acknowledged is lost, nothing settles twice, every asset sums up to nothing', async () => {
  const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
  // The same port and name each time, as for customers who come back.
  const first = await installation.startReady();
  const environment = { PORT: String(first.port) };
  const client = new LoadClient(`http://127.0.0.1:${first.port}`, journal);
  await client.register(CUSTOMERS);
  const symbols = await openSymbols(first.origin);
  const restarts: number[] = [];
  let unknowns = 0;

  for (let kill = 1; kill <= KILLS; kill += 1) {
    await tradeUntilKilled(client, symbols);
    const startedMs = performance.now();
    const restarted = await installation.start(environment);
    await restarted.untilReady(RESTART_MS);
    restarts.push(Math.round(performance.now() - startedMs));
    // Whoever got no answer asks again with the same key: what is said now is what holds.
    unknowns += await resolveUnknown(client, journal, RESTART_MS);
  }

  const db = new pg.Pool({ ...installation.databaseAddress(), max: 2 });
  try {
    await untilSettled(db);
    const entries = journal.read();
    const acknowledged = [...entries.values()].filter(({ outcome }) => outcome === 'ok').length;
    console.log(
      `${acknowledged} orders acknowledged, ${entries.size - acknowledged} refused, ${unknowns} unknown at a kill; ready again after ${restarts.join(', ')} ms`,
    );
    expect(await judge(db, entries)).toEqual([]);
    // So that the kills hit something: answers under way, and orders on both sides of each.
    expect(acknowledged).toBeGreaterThan(500);
    expect(unknowns).toBeGreaterThanOrEqual(KILLS);
  } finally {
    await db.end();
    client.close();
    journal.close();
  }
}, 230_000);

/** Trades for a while; then the next answer to arrive is the signal to kill everything. */
async function tradeUntilKilled(client: LoadClient, symbols: readonly string[]): Promise<void> {
  const stop = new AbortController();
  const trading = client.trade(symbols, stop.signal);
  await sleep(LOAD_MS);
  const killing = Promise.withResolvers<void>();
  const killNow = installation.aimAtAll();
  client.onAnswer = () => {
    client.onAnswer = () => {};
    killNow();
    killing.resolve();
  };
  await killing.promise;
  stop.abort();
  await trading;
  await installation.killAll();
}

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { Journal } from '../judges/journal.ts';
import { judge } from '../judges/judgement.ts';
import type { Installation } from '../processes/server-process.ts';
import { LoadClient } from './load-client.ts';
import { openSymbols, resolveUnknown, untilSettled } from './trading.ts';

/** Maximum time of a start after a kill, in ms, where a run sets none: far longer than it takes on a busy machine. */
const RESTART_MS = 100_000;

export interface KillRun {
  readonly kills: number;
  readonly customers: number;
  /** How long customers trade before each kill. */
  readonly loadMs: number;
  /** Maximum time of a start after a kill, in ms. */
  readonly restartMs?: number;
}

/**
 * Kills everything with SIGKILL again and again while customers trade; then compares the answers that customers got with the
 * database.
 */
export async function killUnderLoad(installation: Installation, run: KillRun): Promise<void> {
  const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
  // The same port each time, so that customers reconnect to the same address.
  const first = await installation.startReady();
  const environment = { PORT: String(first.port) };
  const client = new LoadClient(`http://127.0.0.1:${first.port}`, journal);
  await client.register(run.customers);
  const symbols = await openSymbols(first.origin);
  const restartMs = run.restartMs ?? RESTART_MS;
  const restarts: number[] = [];
  let unknowns = 0;

  for (let kill = 1; kill <= run.kills; kill += 1) {
    await tradeUntilKilled(installation, { client, symbols, loadMs: run.loadMs });
    const startedMs = performance.now();
    const restarted = await installation.start(environment);
    await restarted.untilReady(restartMs);
    restarts.push(Math.round(performance.now() - startedMs));
    // Unanswered orders are sent again with the same key: the new answer is final.
    unknowns += await resolveUnknown(client, journal, restartMs);
  }

  const db = new pg.Pool({ ...installation.databaseAddress(), max: 2 });
  try {
    await untilSettled(db);
    const entries = journal.read();
    const acknowledged = [...entries.values()].filter(({ outcome }) => outcome === 'ok').length;
    console.log(
      `${acknowledged} orders acknowledged, ${entries.size - acknowledged} refused, ${unknowns} unknown at a kill; ${run.kills} kills; ready again after ${restarts.length > 9 ? `at most ${Math.max(...restarts)}` : restarts.join(', ')} ms`,
    );
    expect(await judge(db, entries)).toEqual([]);
    // The kills must interrupt requests in flight, with orders before and after each kill.
    expect(acknowledged).toBeGreaterThan(100 * run.kills);
    expect(unknowns).toBeGreaterThanOrEqual(run.kills);
  } finally {
    await db.end();
    client.close();
    journal.close();
  }
}

/** Trades for a while; then the first answer to arrive while another order is under way triggers the kill. */
async function tradeUntilKilled(
  installation: Installation,
  { client, symbols, loadMs }: { client: LoadClient; symbols: readonly string[]; loadMs: number },
): Promise<void> {
  const stop = new AbortController();
  const trading = client.trade(symbols, stop.signal);
  await sleep(loadMs);
  const killing = Promise.withResolvers<void>();
  const killNow = installation.aimAtAll();
  client.onAnswer = (isAnotherUnderWay) => {
    if (!isAnotherUnderWay) return;
    client.onAnswer = () => {};
    killNow();
    killing.resolve();
  };
  await killing.promise;
  stop.abort();
  await trading;
  await installation.killAll();
}

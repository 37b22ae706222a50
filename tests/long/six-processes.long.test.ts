import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import type { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { openSymbols, untilSettled } from '@fairtick/kit/load/trading.ts';
import { type FrontDoor, openFrontDoor } from '@fairtick/kit/processes/haproxy.ts';
import type { RoleProcess } from '@fairtick/kit/processes/role-processes.ts';
import {
  faultsOfLog,
  openLoad,
  openSix,
  type Six,
  takeOver,
  wake,
} from '@fairtick/kit/processes/six-processes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Two processes of each role behind a balancer, ROUNDS times: the leader of the feed or the engine is killed, paused or stopped,
 * or an API is stopped, while customers trade. Another leads within 3 s; a stop hands over at once; customers see no failure when
 * an API stops; in the end the journal is compared with the database.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 12);
const CUSTOMERS = 24;
const TAKEN_OVER_WITHIN_MS = 3_000;
/** A stopped leader is replaced at once: one step of the log, plus polling at a tenth of a second. */
const HANDED_OVER_WITHIN_MS = 1_500;
const SIGNALS = ['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const;

let six: Six;
let door: FrontDoor;
let journal: Journal;
let client: LoadClient;
let symbols: string[];
beforeAll(async () => {
  six = await openSix();
  door = await openFrontDoor(
    six.house.dataDir,
    six.apis.map(({ origin }) => origin),
  );
  ({ journal, client } = await openLoad(six.house, door.origin, CUSTOMERS));
  symbols = await openSymbols(door.origin);
});
afterAll(async () => {
  client?.close();
  journal?.close();
  await door?.close();
  await six?.house.close();
});

/** Starts a new process in place of one that has ended. */
async function replace(among: RoleProcess[], ended: RoleProcess): Promise<void> {
  const { role, port } = ended;
  const started = await six.house.start(role, { PORT: String(port) });
  among[among.indexOf(ended)] = started;
  await started.untilReady();
}

const unanswered = () =>
  [...journal.read().values()].filter(({ outcome }) => outcome === 'unknown' || outcome === 'sent');

/** Customers behind the balancer must see no failure: requests sent before the API ended are answered. */
async function stopOneApi(): Promise<void> {
  const api = six.apis[randomInt(2)] as RoleProcess;
  expect(await api.stop()).toBe(0);
  const sent = new Set(unanswered().map(({ key }) => key));
  await sleep(500);
  expect(unanswered().filter(({ key, outcome }) => outcome === 'unknown' || sent.has(key))).toEqual([]);
  await replace(six.apis, api);
}

async function endOneLeader(round: number): Promise<{ what: string; ms: number }> {
  const role = round % 2 ? 'engine' : 'feed';
  const signal = SIGNALS[Math.floor(round / 2) % 3] as (typeof SIGNALS)[number];
  const { led, ms } = await takeOver(six, role, signal);
  const what = `${role} ${signal}`;
  const withinMs = signal === 'SIGTERM' ? HANDED_OVER_WITHIN_MS : TAKEN_OVER_WITHIN_MS;
  expect([what, ms < withinMs, ms]).toEqual([what, true, ms]);
  if (signal === 'SIGSTOP') await wake(six, role, led);
  else {
    await led.stop();
    await replace(role === 'feed' ? six.feeds : six.engines, led);
  }
  return { what, ms };
}

test(`killed, paused and stopped leaders are replaced in time, and stopped APIs lose no order, in ${ROUNDS} rounds`, async () => {
  const took: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const stop = new AbortController();
    const trading = client.trade(symbols, stop.signal);
    try {
      await sleep(1_000);
      if (round % 4 === 3) await stopOneApi();
      else {
        const what = await endOneLeader(round);
        took[what.what] = [...(took[what.what] ?? []), what.ms];
      }
    } finally {
      stop.abort();
      await trading;
    }
  }
  await untilSettled(six.house.db, 120_000);
  const entries = journal.read();
  const done = [...entries.values()].filter(({ outcome }) => outcome === 'ok').length;
  console.log(`${door.name}, ${done} orders; another led after (ms) ${JSON.stringify(took)}`);
  expect(done).toBeGreaterThan(ROUNDS * 20);
  expect(await judge(six.house.db, entries)).toEqual([]);
  expect(await faultsOfLog(six.house)).toEqual([]);
}, 3_600_000);

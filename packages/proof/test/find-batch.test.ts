/** What a log says of an acceptance that its customer holds alone. */
import { expect, test } from 'vitest';
import { findBatch, LogFault, type Receipt } from '../src/index.ts';
import { ShownLog } from './shown-log.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  LOG_KEY,
  logOf,
  OTHER,
  receiptOf,
  STRANGERS_KEY,
  type Story,
  story,
} from './story.ts';

const PINNED = [LOG_KEY, ACCEPTANCES_KEY].map(({ verifierKey }) => ({ key: verifierKey }));
const won = story('won');
const ask = async (
  told: Story,
  change: (log: ShownLog) => unknown = () => null,
  acceptance: Receipt['acceptance'] = receiptOf(told).acceptance,
): Promise<object | string> => {
  const log = new ShownLog(logOf(told).texts);
  change(log);
  return findBatch(log, acceptance, PINNED).catch((error) => {
    if (error instanceof LogFault) return error.message;
    throw error;
  });
};

test('the entry that carries the batch is found, with its time and what it names', async () => {
  const at = { state: 'logged', index: 5, timeMs: AT.logged };
  expect(await ask(won)).toEqual({ ...at, isProved: false, isNamed: true });
  expect(await ask(story('won, its batch alone'))).toMatchObject({ ...at, isProved: true });
  expect(await ask(story('won, the server chose the opening time'))).toMatchObject({ isNamed: null });
  expect(await ask(story('void, logged too late'))).toMatchObject({ state: 'late', timeMs: AT.deadline + 1 });
});

test('a log that does not carry it is told from one that has not come so far', async () => {
  const isLeft = (log: ShownLog) => {
    log.texts[5] = OTHER(AT.logged);
  };
  expect(await ask(won, isLeft)).toEqual({ state: 'missing', size: 12 });
  expect(await ask(won, (log) => log.texts.splice(5))).toEqual({ state: 'pending', size: 5 });
  expect(await ask(won, (log) => log.texts.splice(4))).toEqual({ state: 'pending', size: 4 });
});

test('what contradicts a signature is found', async () => {
  const alone = story('won, its batch alone');
  const strange = receiptOf({ ...won, acceptancesKey: STRANGERS_KEY.signerKey }).acceptance;
  expect(await ask(won, undefined, strange)).toMatch(/not signed by a key that is trusted/);
  expect(
    await ask(won, (log) => {
      log.texts[1] = OTHER(AT.before - 499);
    }),
  ).toMatch(/not one that goes on from that of the acceptance/);
  expect(
    await ask(won, (log) => {
      log.served = log.texts.with(
        5,
        (log.texts[5] as string).replace(`|${AT.logged}|`, `|${AT.logged + 1}|`),
      );
    }),
  ).toMatch(/entry that is shown at 5 is not in the log that was signed/);
  const changed = (edit: (entry: string) => string) => (log: ShownLog) => {
    log.texts[5] = edit(log.texts[5] as string);
  };
  expect(
    await ask(
      won,
      changed((entry) => entry.replace(/[0-9a-f]+$/, '')),
    ),
  ).toMatch(/does not name what was asked for/);
  expect(
    await ask(
      alone,
      changed((entry) => entry.replace(/\|[0-9a-f]{64}\|/, `|${'ab'.repeat(32)}|`)),
    ),
  ).toMatch(/the batch is not under the root/);
});

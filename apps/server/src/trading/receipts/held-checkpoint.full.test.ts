import { randomBytes } from 'node:crypto';
import { get } from '@fairtick/kit/clients/api-client.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { keepTicking, trustedKeys } from '@fairtick/kit/people/receipts.ts';
import {
  type Checkpoint,
  COSIGNATURE_TYPE,
  checkpointTime,
  contradictionOf,
  generateNoteKey,
  httpSource,
  type LoggedAnswer,
  type NoteSigner,
  parseAcceptance,
  parseCheckpoint,
  type RangedVerifier,
  type Receipt,
  signNote,
  splitNoteText,
  verifyLogged,
  verifyReceipt,
  witnessSigner,
  witnessVerifier,
} from '@fairtick/proof';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWitnesses, type Witness } from '../../config/witness-setting.ts';

/** The first checkpoint over an order's batch, which evidence and the receipt begin with, and its witnesses. */
const [early, late] = ['witness.example/early', 'witness.example/late'].map((name) =>
  generateNoteKey(name, randomBytes(32), COSIGNATURE_TYPE),
) as [ReturnType<typeof generateNoteKey>, ReturnType<typeof generateNoteKey>];
const witnesses = readWitnesses(`${early.verifierKey} ${late.verifierKey}`) as Witness[];
let customer: string;
const still = forTest(() => StillHouse.open(), closeAudited);
let api: RunningApi;
beforeEach(async () => {
  api = await startApi(still.house.db, { witnesses });
  afterEach(() => api.stop());
  await still.stepBy(750);
  [customer] = (await still.customers(1)) as [string];
});

async function read(path: string, id: string): Promise<unknown> {
  return (await get(api.origin, path, { id }, { token: `session of ${customer}` })).body.data;
}
/** Null while it is not there. */
const logged = async (id: string) => (await read('order/logged', id)) as LoggedAnswer;
const receiptOf = async (id: string) => (await read('order/receipt', id)) as Receipt;

const keys = () => ({
  ...trustedKeys(still.house),
  witnesses: [early, late].map(({ verifierKey }) => witnessVerifier(verifierKey) as RangedVerifier),
});

const textOf = (note: string) => splitNoteText(note) as string;
const timeOf = (note: string) => checkpointTime(parseCheckpoint(textOf(note)) as Checkpoint) as number;
const linesOf = (note: string) =>
  note
    .slice(textOf(note).length + 1)
    .split('\n')
    .filter(Boolean);

const cosign = (note: string, { signerKey }: typeof early, timeMs: number) =>
  httpSource(api.origin).cosign(signNote(textOf(note), witnessSigner(signerKey, timeMs) as NoteSigner));

/** An order, and the first evidence that it is logged. */
async function bought(): Promise<{
  id: string;
  opensAtMs: number;
  settlesAtMs: number;
  evidence: LoggedAnswer;
}> {
  await still.tick('EUR/USD', '1.08400');
  const id = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  const { opensAtMs, settlesAtMs } = await still.order(id);
  for (;;) {
    await still.tick('EUR/USD', '1.08410');
    const evidence = await logged(String(id));
    if (evidence) return { id: String(id), opensAtMs, settlesAtMs, evidence };
  }
}

async function settle({ opensAtMs, settlesAtMs }: { opensAtMs: number; settlesAtMs: number }): Promise<void> {
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.stepTo(settlesAtMs - 250);
  await still.tick('EUR/USD', '1.08428');
  await still.stepBy(250);
  await still.settle();
  await still.tick('EUR/USD', '1.08500');
  await keepTicking(still, 2);
}

/** Drops what is dropped after two days: nothing is new. */
async function dropOld(): Promise<void> {
  const { owner, server } = still.house.db;
  await owner.query(
    `create or replace function log_keep_ms() returns bigint immutable language sql as 'select 0::bigint'`,
  );
  await server.query('select log_drop_archived()');
}

test('evidence and receipt begin with the same checkpoint, however many come later and after old ones are dropped', async () => {
  const order = await bought();
  const { evidence, id } = order;
  const first = parseCheckpoint(textOf(evidence.checkpoint)) as Checkpoint;
  expect(first.size).toBeGreaterThan(evidence.index);
  await settle(order);
  await keepTicking(still, 20);
  const held = (await receiptOf(id)).held.checkpoint;
  await dropOld();
  const { rows } = await still.house.db.server.query<{ note: string }>('select note from log_checkpoints');
  const kept = rows.map(({ note }) => textOf(note));
  expect(kept).toHaveLength(2);
  expect(kept).toContain(textOf(evidence.checkpoint));
  await api.stop();
  api = await startApi(still.house.db, { witnesses });
  expect(await logged(id)).toEqual(evidence);
  const receipt = await receiptOf(id);
  expect([held, receipt.held.checkpoint]).toEqual([evidence.checkpoint, evidence.checkpoint]);
  const kind = { acceptanceText: receipt.acceptance.text, logged: evidence };
  expect(contradictionOf(kind, receipt)).toBe(null);
  expect(verifyReceipt(receipt, { keys: keys(), kept: kind }).isValid).toBe(true);
});

test('a cosignature of that checkpoint stays for ever, and counts as made before the order opened only if it was', async () => {
  const order = await bought();
  const { evidence, id, opensAtMs } = order;
  const firstMs = timeOf(evidence.checkpoint);
  expect(firstMs).toBeLessThan(opensAtMs);
  await cosign(evidence.checkpoint, early, firstMs);
  await cosign(evidence.checkpoint, late, opensAtMs);
  // A line that comes again is not stored again.
  await cosign(evidence.checkpoint, early, firstMs);
  await settle(order);
  const names = [early, late].map(({ verifierKey }) => verifierKey.split('+')[0]);
  for (let second = 0; second < 70; second += 1) {
    await keepTicking(still, 1);
    const newest = await httpSource(api.origin).checkpoint();
    for (const witness of [early, late]) await cosign(newest, witness, timeOf(newest));
  }
  await dropOld();
  const now = await logged(id);
  expect(linesOf(now.checkpoint)).toHaveLength(3);
  const receipt = await receiptOf(id);
  expect(receipt.held.checkpoint).toBe(now.checkpoint);
  const report = verifyReceipt(receipt, { keys: keys() });
  expect(report.steps.filter(({ fault }) => fault !== null)).toEqual([]);
  expect(report.limits).not.toContain('witnesses');
  expect(report.shown?.witnesses).toEqual(names);
  expect(report.shown?.witnessedBefore).toEqual([names[0]]);
  expect(parseAcceptance(receipt.acceptance.text)?.opensAt).toBe(opensAtMs);
  const { found, fault } = verifyLogged(receipt.acceptance, now, { keys: keys() });
  expect([fault, found?.witnesses, found?.witnessedBefore]).toEqual([null, names, [names[0]]]);
});

test('evidence that was shown already shows cosignatures that came meanwhile', async () => {
  const { evidence, id } = await bought();
  expect(linesOf(evidence.checkpoint)).toHaveLength(1);
  await cosign(evidence.checkpoint, early, timeOf(evidence.checkpoint));
  await expect.poll(async () => linesOf((await logged(id)).checkpoint).length, { timeout: 5_000 }).toBe(2);
});

import { randomBytes } from 'node:crypto';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import {
  keepTicking,
  type SettledOrder,
  settledOrderOf,
  settledReceipt,
} from '@fairtick/kit/people/receipts.ts';
import {
  beginMonitor,
  type Checkpoint,
  COSIGNATURE_TYPE,
  checkpointTime,
  generateNoteKey,
  httpSource,
  type LogSource,
  lookOnce,
  type NoteSigner,
  openNote,
  parseCheckpoint,
  type RangedVerifier,
  rangedVerifier,
  signNote,
  splitNoteText,
  type TrustedKeys,
  verifyReceipt,
  witnessSigner,
  witnessVerifier,
} from '@fairtick/proof';
import { beforeEach, describe, expect, test } from 'vitest';
import { readWitnesses, type Witness } from '../../config/witness-setting.ts';

const keyOf = (name: string) => generateNoteKey(name, randomBytes(32), COSIGNATURE_TYPE);
const keys = ['witness.example/a', 'witness.example/b'].map(keyOf);
const stranger = keyOf('witness.example/c');
let source: LogSource;
const still = forTest(() => StillHouse.open(), closeAudited);
const witnesses = readWitnesses(keys.map(({ verifierKey }) => verifierKey).join(' ')) as Witness[];
const api = forTest(() => startApi(still.house.db, { witnesses }));
beforeEach(() => {
  source = httpSource(api.origin);
});

const goOn = (seconds: number) => keepTicking(still, seconds);
const settledOrder = () => settledOrderOf(still);
const receipt = (order: SettledOrder) => settledReceipt(still, order);

/** The checkpoint's own time, Unix ms. */
const statedIn = (note: string): number =>
  checkpointTime(parseCheckpoint(splitNoteText(note) as string) as Checkpoint) as number;
const cosigned = (note: string, signerKey: string, timeMs = statedIn(note)): string =>
  signNote(splitNoteText(note) as string, witnessSigner(signerKey, timeMs) as NoteSigner);

describe('witnesses', () => {
  test('cosign a checkpoint that a monitor verified, and receipts state the cosignatures', async () => {
    await still.stepBy(750);
    const order = await settledOrder();
    await goOn(12);
    const told = await source.keys();
    const state = await beginMonitor(source, {
      origin: told.origin,
      keys: [told.checkpoints, told.acceptances],
      isFromNow: false,
    });
    const note = (await source.toCosign()) as string;
    const { size } = await lookOnce(source, state, { note });
    expect(size).toBeGreaterThan(30);
    const own = { log: [], acceptances: [], witnesses: [] };
    const trusted: TrustedKeys = {
      ...own,
      log: [rangedVerifier({ key: told.checkpoints, from: 0, until: null }) as RangedVerifier],
      acceptances: [rangedVerifier({ key: told.acceptances, from: 0, until: null }) as RangedVerifier],
      witnesses: keys.map(({ verifierKey }) => witnessVerifier(verifierKey) as RangedVerifier),
    };
    expect(verifyReceipt(await receipt(order), { keys: trusted }).limits).toContain('witnesses');
    await source.cosign(cosigned(note, keys[0]?.signerKey ?? ''));
    expect(verifyReceipt(await receipt(order), { keys: trusted }).limits).toContain('witnesses');
    await source.cosign(cosigned(note, keys[1]?.signerKey ?? ''));
    // A repeated cosignature changes nothing.
    await source.cosign(cosigned(note, keys[1]?.signerKey ?? ''));
    const report = verifyReceipt(await receipt(order), { keys: trusted });
    expect(report.isValid).toBe(true);
    expect(report.limits).not.toContain('witnesses');
    expect(report.shown?.checkpoint?.size).toBe(size);

    const answer = await fetch(`${api.origin}/api/transparency/witnesses?lang=en`);
    const { data } = (await answer.json()) as { data: { witnessed: string; witnesses: { size: number }[] } };
    expect(openNote(data.witnessed, trusted.witnesses)?.verified.length).toBe(2);
    expect(data.witnesses.map((witness) => witness.size)).toEqual([size, size]);
    // The monitor continues to the newest checkpoint, which has no cosignature yet.
    await goOn(2);
    await lookOnce(source, state);
    expect(state.size).toBeGreaterThan(size);
  });

  test('are refused if they are not configured or cosign another checkpoint', async () => {
    await goOn(12);
    const note = (await source.toCosign()) as string;
    await expect(source.cosign(cosigned(note, stranger.signerKey))).rejects.toThrow(/refused/);
    const [own = ''] = keys.map(({ signerKey }) => signerKey);
    const [origin, size = '', root] = note.split('\n');
    const other = `${origin}\n${Number(size) + 1}\n${root}\n\n— ${origin} AAAAAAA=\n`;
    await expect(source.cosign(cosigned(other, own))).rejects.toThrow(/refused/);
    const right = cosigned(note, own);
    const broken = right.replace(/.{6}==?\n$/, (end) => `AAAAAA${end.slice(6)}`);
    expect(broken).not.toBe(right);
    await expect(source.cosign(broken)).rejects.toThrow(/refused/);
    const { rows } = await still.house.db.server.query('select from log_cosignatures');
    expect(rows.length).toBe(0);
  });

  test('are refused with a time more than 5 seconds from the checkpoint’s own, and may cosign it again', async () => {
    await goOn(12);
    const note = (await source.toCosign()) as string;
    const statedMs = statedIn(note);
    const [own = ''] = keys.map(({ signerKey }) => signerKey);
    for (const offMs of [-5_001, 6_000])
      await expect(source.cosign(cosigned(note, own, statedMs + offMs))).rejects.toThrow(/refused/);
    await source.cosign(cosigned(note, own, statedMs + 5_000));
    const answer = await fetch(`${api.origin}/api/transparency/witnesses?lang=en`);
    const { data } = (await answer.json()) as { data: { witnesses: { name: string; at: number | null }[] } };
    expect(data.witnesses.map(({ name, at }) => [name, at !== null])).toEqual([
      ['witness.example/a', true],
      ['witness.example/b', false],
    ]);
  });

  test('get each checkpoint, one a second, and may send its cosignature for half a minute', async () => {
    const offered: string[] = [];
    for (let second = 0; second < 40; second += 1) {
      await goOn(1);
      offered.push((await source.toCosign()) as string);
    }
    expect(new Set(offered.map(statedIn)).size).toBe(40);
    expect(offered.at(-1)).toBe(await source.checkpoint());
    const [own = ''] = keys.map(({ signerKey }) => signerKey);
    const send = (secondsAgo: number) => source.cosign(cosigned(offered.at(-1 - secondsAgo) as string, own));
    await expect(send(31)).rejects.toThrow(/refused/);
    await send(28);
    // The log stands still: a cosignature with the time of now would not count.
    await still.house.db.owner.query('update log_head set time_ms = time_ms + 5000');
    expect(await source.toCosign()).toBe(null);
  });

  test('keep no more than 64 cosignatures each, however many they send', async () => {
    for (let second = 0; second < 80; second += 1) {
      await goOn(1);
      await source.cosign(cosigned((await source.toCosign()) as string, keys[0]?.signerKey ?? ''));
    }
    const kept = await still.house.db.server.query<{ count: string }>(
      'select count(*) from log_cosignatures',
    );
    expect(kept.rows[0]?.count).toBe('64');
  });
});

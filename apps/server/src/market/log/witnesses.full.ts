import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import {
  keepTicking,
  type SettledOrder,
  settledOrderOf,
  settledReceipt,
} from '@fairtick/kit/people/receipts.ts';
import {
  beginMonitor,
  COSIGNATURE_TYPE,
  fromBase64,
  generateNoteKey,
  httpSource,
  type LogSource,
  lookAtHalts,
  lookOnce,
  type NoteSigner,
  openNote,
  parseCheckpoint,
  type RangedVerifier,
  rangedVerifier,
  signNote,
  splitNoteText,
  type TrustedKeys,
  verifyConsistency,
  verifyReceipt,
  witnessSigner,
  witnessVerifier,
} from '@fairtick/proof';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readWitnesses, type Witness } from '../../config/witness-setting.ts';
import { WitnessPushes } from './witness-pushes.ts';

const keyOf = (name: string) => generateNoteKey(name, randomBytes(32), undefined, COSIGNATURE_TYPE);
const keys = ['witness.example/a', 'witness.example/b'].map(keyOf);
const stranger = keyOf('witness.example/c');

let still: StillHouse;
let api: RunningApi;
let source: LogSource;
beforeEach(async () => {
  still = await StillHouse.open();
  const witnesses = readWitnesses(keys.map(({ verifierKey }) => verifierKey).join(' ')) as Witness[];
  api = await startApi(still.house.db, { witnesses });
  source = httpSource(api.origin);
});
afterEach(async () => {
  await api.stop();
  expect(await still.house.violations()).toEqual([]);
  await still.close();
});

const goOn = (seconds: number) => keepTicking(still, seconds);
const settledOrder = () => settledOrderOf(still);
const receipt = (order: SettledOrder) => settledReceipt(still, order);

const cosigned = (note: string, signerKey: string): string =>
  signNote(splitNoteText(note) as string, witnessSigner(signerKey, still.nowMs) as NoteSigner);

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
    await lookAtHalts(source, state);
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

  test('keep no more than 64 cosignatures each, however many they send', async () => {
    await goOn(80);
    const { rows } = await still.house.db.server.query<{ note: string }>(
      'select note from log_checkpoints order by size',
    );
    for (const { note } of rows) await source.cosign(cosigned(note, keys[0]?.signerKey ?? ''));
    const kept = await still.house.db.server.query<{ count: string }>(
      'select count(*) from log_cosignatures',
    );
    expect(rows.length).toBeGreaterThan(70);
    expect(kept.rows[0]?.count).toBe('64');
  });
});

/** A witness that takes checkpoints over HTTP, as C2SP tlog-witness says. It answers as `spoil` makes of its answer. */
class PushedWitness {
  readonly key = keyOf('witness.example/pushed');
  readonly got: string[] = [];
  spoil = (status: number, body: string): [number, string] => [status, body];
  #last: { size: number; root: Uint8Array } = { size: 0, root: new Uint8Array() };
  readonly #server: Server = createServer((request, response) => {
    text(request).then((body) => {
      const [status, answer] = this.spoil(...this.#answer(request.url ?? '', body));
      response.writeHead(status).end(answer);
    });
  });

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/witness`;
  }

  /** Forgets the checkpoints above a size: it cosigned them for somebody else. */
  jumpTo(note: string): void {
    const { size, root } = parseCheckpoint(splitNoteText(note) as string) as {
      size: number;
      root: Uint8Array;
    };
    this.#last = { size, root };
  }

  close(): void {
    this.#server.close();
  }

  #answer(path: string, body: string): [number, string] {
    const end = body.indexOf('\n\n');
    const [old = '', ...proof] = body.slice(0, end).split('\n');
    const note = body.slice(end + 2);
    const checkpoint = parseCheckpoint(splitNoteText(note) as string);
    if (path !== '/witness/add-checkpoint' || !checkpoint) return [404, ''];
    this.got.push(old);
    if (old !== `old ${this.#last.size}`) return [409, `${this.#last.size}\n`];
    const claim = {
      oldSize: this.#last.size,
      oldRoot: this.#last.root,
      newSize: checkpoint.size,
      newRoot: checkpoint.root,
      proof: proof.map((line) => fromBase64(line) as Uint8Array),
    };
    if (this.#last.size > 0 && !verifyConsistency(claim)) return [422, ''];
    this.#last = { size: checkpoint.size, root: checkpoint.root };
    const signed = cosigned(note, this.key.signerKey);
    return [200, signed.slice((splitNoteText(signed) as string).length + 1)];
  }
}

describe('a witness with an address', () => {
  let witness: PushedWitness;
  const said: { witness: string; err: { message: string } }[] = [];
  let push: WitnessPushes;
  beforeEach(async () => {
    witness = new PushedWitness();
    said.length = 0;
    const setting = `${witness.key.verifierKey}=${await witness.open()}`;
    const log = pino(
      { level: 'warn', serializers: { err: (error: Error) => ({ message: error.message }) } },
      {
        write: (line: string) => said.push(JSON.parse(line)),
      },
    );
    push = new WitnessPushes(
      still.house.db.server,
      still.house.reader,
      readWitnesses(setting) as Witness[],
      log,
    );
  });
  afterEach(() => witness.close());

  const sizes = async () => {
    const { rows } = await still.house.db.server.query<{ size: string }>(
      'select size from log_cosignatures order by size',
    );
    return rows.map(({ size }) => Number(size));
  };

  test('gets each checkpoint on offer once, with the proof from the one before', async () => {
    await goOn(12);
    await push.run();
    await push.run();
    expect(witness.got).toEqual(['old 0']);
    await goOn(12);
    await push.run();
    const [first, second] = await sizes();
    expect(second).toBeGreaterThan(first ?? 0);
    expect(witness.got).toEqual(['old 0', `old ${first}`]);
    expect(said).toEqual([]);
  });

  test('that has cosigned a later checkpoint says so, and gets the proof from there', async () => {
    await goOn(12);
    const known = (await source.toCosign()) as string;
    witness.jumpTo(known);
    await goOn(12);
    await push.run();
    const { size } = parseCheckpoint(splitNoteText(known) as string) as { size: number };
    expect(witness.got).toEqual(['old 0', `old ${size}`]);
    expect(await sizes()).toHaveLength(1);
  });

  test('that fails or lies is named in the journal once a minute, and nothing is stored', async () => {
    await goOn(12);
    witness.spoil = () => [500, ''];
    await push.run();
    await push.run();
    expect(said.map(({ err }) => err.message)).toEqual(['it answers 500']);
    witness.spoil = (_status, body) => [200, body.replace(/.{8}\n$/, 'AAAAAAAA\n')];
    await push.run();
    witness.spoil = () => [200, 'x'.repeat(100_000)];
    await push.run();
    expect(said).toHaveLength(1);
    expect(await sizes()).toEqual([]);
  });
});

/** Runs the monitor as a user does, against a server of a small log and a public source that the test plays. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  encodeEntryBundle,
  leafHash,
  type NoteVerifier,
  openNote,
  parseCheckpoint,
  parseTilePath,
  splitNoteText,
  toHex,
  verifyInclusion,
  witnessVerifier,
} from '../src/index.ts';
import { ExchangeLog } from './exchange-log.ts';
import { ShownLog } from './shown-log.ts';
import { agreed, agreedFix, RULES_ENTRY } from './story.ts';

// Each run starts a process, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const BIN = join(import.meta.dirname, '../bin/fairtick.ts');
const START_MS = 1_780_000_000_000;
const price = (n: number, text = '1.08410') => agreed(n, START_MS + n * 250, text);
/** The n-th fix, and the number and time of the record of `a` in it. */
const fixAt = (n: number) => agreedFix({ n, fixMs: START_MS + n * 1_000 }, '1.08410');
const numberIn = (n: number) => START_MS + n * 1_000 - 90;

let folder: string;
let server: Server;
/** What the server refuses everything with. */
let refusal: string | null;
let started: ChildProcess[] = [];
let sockets: Duplex[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-monitor-'));
});
const log = forTest(() => new ShownLog([RULES_ENTRY, price(1), price(2), price(3)]));
beforeEach(async () => {
  log.tellsItsTime = (askedMs) => askedMs;
  refusal = null;
  server = createServer((request, response) => {
    request.on('data', (body) => log.cosigned.push(new URLSearchParams(String(body)).get('note') ?? ''));
    answer(new URL(request.url ?? '', 'http://x')).then(
      (body) => response.end(body),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  for (const socket of sockets) socket.destroy();
  [started, sockets] = [[], []];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function answer({ pathname, searchParams }: URL): Promise<string | Uint8Array> {
  const path = pathname.slice('/api/transparency/'.length);
  const data = (value: unknown) => JSON.stringify({ code: 1, msg: '', data: value });
  if (refusal !== null) return JSON.stringify({ code: 0, msg: refusal, data: null });
  if (path === 'key') return data(await log.keys());
  if (path === 'checkpoint') return log.checkpoint();
  if (path === 'witnesses') return data({ toCosign: await log.toCosign() });
  if (path === 'cosign') return data(null);
  if (path === 'proof') {
    const [from, size] = [Number(searchParams.get('fromSize')), Number(searchParams.get('size'))];
    const index = searchParams.get('index');
    if (index !== null) return data({ proof: (await log.inclusion(Number(index), size)).map(toHex) });
    return data({ consistency: (await log.consistency(from, size)).map(toHex) });
  }
  const tile = parseTilePath(path);
  if (tile?.level !== 'entries') throw new Error(path);
  return encodeEntryBundle((await log.bundle(tile.index, tile.width)).map((text) => Buffer.from(text)));
}

const port = () => (server.address() as AddressInfo).port;

function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, 'monitor', `http://127.0.0.1:${port()}`, ...args], {
    cwd: folder,
  });
  started.push(child);
  const said = { text: '', err: '' };
  child.stdout.on('data', (bytes) => {
    said.text += bytes;
  });
  child.stderr.on('data', (bytes) => {
    said.err += bytes;
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said, code };
}

async function once(...args: string[]): Promise<{ code: number | null; text: string; err: string }> {
  const { said, code } = start('--once', ...args);
  return { code: await code, ...said };
}

function recording(...lines: readonly string[]): string {
  const file = join(folder, 'quotes');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const line = (n: number, text: string) => `a,EURUSD,${numberIn(n)},${numberIn(n)},${text}`;

test('a right log is told from one that is wrong, from a wrong command and from a server that is silent', async () => {
  const right = await once();
  expect([right.code, right.text.includes('4 entries are right')]).toEqual([0, true]);
  log.texts.push(price(5));
  const wrong = await once();
  expect([wrong.code, wrong.text.includes('1 numbers after the last were left out')]).toEqual([1, true]);
  expect(JSON.parse(readFileSync(join(folder, 'fairtick-monitor.json.fault.json'), 'utf8'))).toMatchObject({
    index: 4,
    entry: price(5),
  });
  expect((await once('--every', 'x')).code).toBe(2);
  expect((await once('--record', 'nowhere')).code).toBe(2);
  log.isDown = true;
  expect((await once('--state', 'other.json')).code).toBe(3);
  expect(existsSync(join(folder, 'other.json'))).toBe(false);
});

test('a state of another version is refused with what to do, and stays as it is', async () => {
  const file = join(folder, 'fairtick-monitor.json');
  for (const [kept, told] of [
    [
      '{"version":3,"size":4}',
      /has version 3 of a monitor's state, and this program reads \d+: go on with .*or move the file away/,
    ],
    ['[]', /is no state of a monitor/],
  ] as const) {
    writeFileSync(file, kept);
    const { code, err } = await once();
    expect([code, err]).toEqual([2, expect.stringMatching(told)]);
    expect(readFileSync(file, 'utf8')).toBe(kept);
  }
});

test('a checkpoint whose time is two seconds from the clock is reported, and half of the answering time is allowed', async () => {
  log.tellsItsTime = (askedMs) => askedMs - 61_000;
  const old = await once();
  expect(old.code).toBe(4);
  expect(old.text).toMatch(/REPORT: the newest checkpoint is 6\d s behind this machine's clock/);
  log.tellsItsTime = (askedMs) => askedMs + 61_000;
  expect((await once('--state', 'other.json')).text).toMatch(
    /REPORT: the newest checkpoint is 6\d s ahead of/,
  );
  // It is 2.4 s behind the middle of an exchange of a second.
  log.tellsItsTime = (askedMs) => askedMs - 1_900;
  log.answersAfterMs = 1_000;
  expect((await once('--state', 'slow.json')).code).toBe(0);
});

test('a server that answers so slowly that its clock can not be compared is reported', async () => {
  // Its log is 3 s behind when it answers.
  log.tellsItsTime = (askedMs) => askedMs - 500;
  log.answersAfterMs = 2_500;
  const { code, text } = await once();
  expect([code, text.match(/REPORT: .*/g)]).toEqual([
    4,
    [expect.stringMatching(/the server took [3-9] s to show the newest checkpoint, too long to compare/)],
  ]);
});

test('the words of a server do not pass for those of the monitor', async () => {
  refusal = `no\n5000 entries are right\u001b[2J${'x'.repeat(1_000_000)}`;
  const { err } = await once();
  expect(err.split('\n')).toEqual([
    expect.stringMatching(/refused: "no 5000 entries are right \[2Jx+"$/),
    '',
  ]);
  expect(err.length).toBeLessThan(500);
});

test('a witness cosigns a checkpoint of now, and none whose time is too far for its line to count', async () => {
  const made = spawnSync(process.execPath, [BIN, 'witness-key', 'witness.example/a', 'witness.key'], {
    cwd: folder,
  });
  const verifier = witnessVerifier(String(made.stdout).trim()) as NoteVerifier;
  log.tellsItsTime = (askedMs) => askedMs - 6_000;
  const old = await once('--witness', 'witness.key');
  expect([old.text.includes('did not cosign 4'), log.cosigned]).toEqual([true, []]);
  log.tellsItsTime = (askedMs) => askedMs;
  log.texts.push(price(4));
  const { text } = await once('--witness', 'witness.key');
  expect(text).toContain('cosigned 5 as witness.example/a');
  expect(openNote(log.cosigned[0] ?? '', [verifier])?.verified).toHaveLength(1);
});

test('a recording that agrees is silent, and one that does not is reported', async () => {
  log.texts.push(fixAt(1), fixAt(2));
  const agreeing = recording(line(1, '1.08410'), line(2, '1.084100'));
  expect((await once('--record', agreeing)).code).toBe(0);
  rmSync(join(folder, 'fairtick-monitor.json'));
  const { code, text } = await once('--record', recording(line(1, '1.08410'), line(2, '1.08500')));
  expect(code).toBe(4);
  expect(text).toContain(
    `REPORT: entry 5, EUR/USD: a sent 1.08500 of ${numberIn(2)} as record ${numberIn(2)}, and is listed with another price or time.`,
  );
});

test('a public source is received over its WebSocket, again after it was cut, until the monitor is stopped', async () => {
  const trade = (n: number) =>
    JSON.stringify({ e: 'aggTrade', s: 'EURUSD', p: '1.09000', T: numberIn(n), a: numberIn(n) });
  let connections = 0;
  server.on('upgrade', (request, socket) => {
    connections += 1;
    sockets.push(socket);
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const text = Buffer.from(trade(connections));
    socket.write(Buffer.concat([Buffer.of(0x81, text.length), text]));
    if (connections === 1) socket.end(Buffer.of(0x88, 0));
  });
  const { child, said, code } = start('--every', '0.2', '--record', `a=ws://127.0.0.1:${port()}/stream`);
  await vi.waitUntil(() => connections === 2 && said.text.includes('4 entries are right'), {
    timeout: 30_000,
  });
  // The frames arrive before the entries that list them.
  await new Promise((resolve) => setTimeout(resolve, 500));
  log.texts.push(fixAt(1), fixAt(2));
  await vi.waitUntil(() => said.text.includes('entry 5, EUR/USD'), { timeout: 30_000 });
  expect(said.text).toContain('REPORT: entry 4, EUR/USD: a sent 1.09000');
  child.kill('SIGTERM');
  expect(await code).toBe(0);
});

test('the exchanges are asked for a price, and one that contradicts is reported, kept with its documents, and stops the witness', async () => {
  const prices = new ExchangeLog(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
  const venue = createServer((request, response) => {
    const answers = [...prices.records.values()].map((each) =>
      each.answer(new URL(request.url ?? '', 'http://x')),
    );
    const given = answers.find((each) => each !== null);
    response.writeHead(given?.status ?? 404).end(given?.body);
  });
  await new Promise<void>((resolve) => venue.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(venue.address() as AddressInfo).port}`;
  const sources = [...prices.records.keys()].flatMap((source) => ['--source', `${source}=${origin}`]);
  const asking = ['--at-sources', ...sources];
  log.texts.splice(0, log.texts.length, prices.rules, prices.fix(1));
  const honest = await once(...asking);
  expect([honest.code, honest.text.includes('1 prices asked for, 4 records agreed, 0 did not')]).toEqual([
    0,
    true,
  ]);
  prices.of('okx').change = () => ({ body: 'busy', status: 503 });
  log.texts.push(prices.fix(2));
  const partly = await once(...asking);
  expect([partly.code, partly.text.includes('7 records agreed, 0 did not, 1 could not be read')]).toEqual([
    0,
    true,
  ]);
  // From here on the house says another price of Binance's trade.
  log.texts.push(prices.fix(3, { source: 'binance', price: '60000.13' }));
  spawnSync(process.execPath, [BIN, 'witness-key', 'witness.example/a', 'witness.key'], { cwd: folder });
  const lying = await once(...asking);
  expect(lying.code).toBe(4);
  expect(lying.text).toMatch(
    /REPORT: entry 3, BTC\/USDT: binance, record 506 at 60000\.13 .*HAS SOMETHING ELSE/,
  );
  const [kept] = JSON.parse(readFileSync(join(folder, 'fairtick-monitor.json.sources.json'), 'utf8'));
  expect(kept).toMatchObject({
    index: 3,
    entry: log.texts[3],
    findings: [{ has: [{ number: '506', price: '60000.12' }, {}] }],
  });
  const { checkpoint, proof } = kept.logged;
  const signed = parseCheckpoint(splitNoteText(checkpoint) ?? '');
  const claim = {
    index: 3,
    size: signed?.size ?? 0,
    leaf: leafHash(kept.entry),
    root: signed?.root ?? Buffer.of(),
  };
  expect(verifyInclusion({ ...claim, proof: proof.map((hex: string) => Buffer.from(hex, 'hex')) })).toBe(
    true,
  );
  log.texts.push(prices.fix(4));
  const witness = ['--witness', 'witness.key'];
  const refused = await once(...asking, ...witness, '--agreed-only');
  expect([
    refused.code,
    refused.text.includes('did not cosign 5: an exchange contradicts'),
    log.cosigned,
  ]).toEqual([4, true, []]);
  log.texts.push(prices.fix(5));
  expect((await once(...asking, ...witness)).text).toContain('cosigned 6 as witness.example/a');
  venue.closeAllConnections();
  venue.close();
}, 240_000);

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Connection } from './connection.ts';
import { Change } from './frames.ts';
import { Outbox } from './outbox.ts';
import { ReaderLimits } from './reader-limits.ts';

let http: Server;
let server: WebSocket;
let client: WebSocket;
let connection: Connection;
let received: { topic: string; seq: number; type: string; data: { n: number } }[];
let closedWith: number | null;

beforeEach(async () => {
  http = createServer();
  const sockets = new WebSocketServer({ server: http });
  const accepted = new Promise<[WebSocket, Duplex]>((resolve) =>
    sockets.once('connection', (socket, request) => resolve([socket, request.socket])),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  received = [];
  closedWith = null;
  client.on('message', (data) => received.push(JSON.parse(String(data))));
  const mine = client;
  client.on('close', (code) => {
    if (client === mine) closedWith = code;
  });
  const [socket, wire] = await accepted;
  server = socket;
  const share = new ReaderLimits({ readers: 1, topics: 1_000, messages: 1_000 }).enter('203.0.113.1');
  if (!share) throw new Error('no share for the only reader');
  connection = new Connection(server, { wire, outbox: new Outbox(), language: 'en', share });
  await seen(() => client.readyState === WebSocket.OPEN);
});
afterEach(() => {
  client.terminate();
  server.terminate();
  http.close();
});

const WIDE = 'x'.repeat(64 * 1024);
const change = (topic: string, n: number, key = 'quote') => {
  const data = { n, padding: WIDE };
  connection.change(new Change(topic, JSON.stringify(data), () => [[key, data]]));
};
const begin = (topic: string) => connection.open(topic, connection.join(topic), { n: 0 });
const oneByOne = (topic: string, values: readonly unknown[]) => (topic === 'quotes' ? [values] : values);

/** Sends changes until the unsent bytes in this process make the reader count as slow. */
function fill(topic: string): number {
  let n = 0;
  while (!connection.isSlow()) {
    n += 1;
    change(topic, n);
  }
  return n;
}

describe('a reader that keeps up', () => {
  test('gets the snapshot and then every change, numbered without a gap for each topic', async () => {
    begin('quote:A');
    begin('quote:B');
    for (let n = 1; n <= 5; n += 1) {
      change('quote:A', n);
      change('quote:B', n * 10);
    }
    await seen(() => received.length === 12);
    for (const [topic, step] of [
      ['quote:A', 1],
      ['quote:B', 10],
    ] as const) {
      const mine = received.filter((message) => message.topic === topic);
      expect(mine.map(({ seq, type, data }) => [seq, type, data.n])).toEqual([
        [1, 'snapshot', 0],
        ...[1, 2, 3, 4, 5].map((n) => [n + 1, 'change', n * step]),
      ]);
    }
  });

  test('gets changes from the time of its snapshot’s read after the snapshot, and nothing of a topic that it left', async () => {
    const subscription = connection.join('quote:A');
    change('quote:A', 1);
    change('quote:A', 2);
    connection.open('quote:A', subscription, { n: 0 });
    connection.catchUp(0, oneByOne);
    await seen(() => received.length === 2);
    expect(received.map(({ seq, type, data }) => [seq, type, data.n])).toEqual([
      [1, 'snapshot', 0],
      [2, 'change', 2],
    ]);
    connection.close('quote:A');
    change('quote:A', 3);
    connection.reply({ topic: 'last', seq: 0, type: '', data: { n: 0 } });
    await seen(() => received.length === 3);
    expect(received.at(-1)?.topic).toBe('last');
  });

  test('gets no snapshot that was read for an earlier subscription of the same topic', async () => {
    const earlier = connection.join('orders');
    const later = connection.join('orders');
    change('orders', 7, 'order 1');
    connection.open('orders', earlier, { n: 1 });
    connection.open('orders', later, { n: 2 });
    connection.catchUp(0, oneByOne);
    await seen(() => received.length === 2);
    expect(received.map(({ seq, type, data }) => [seq, type, data.n])).toEqual([
      [1, 'snapshot', 2],
      [2, 'change', 7],
    ]);
  });
});

test.each([100, 125, 126, 65_535, 65_536, 200_000])(
  'a message of %i bytes arrives as it was sent',
  async (bytes) => {
    const message = { topic: 'é', seq: 1, type: '', data: { n: 1 }, padding: '' };
    const empty = Buffer.byteLength(JSON.stringify(message));
    message.padding = '€'.repeat(Math.max(0, bytes - empty) / 3);
    message.padding += 'x'.repeat(Math.max(0, bytes - Buffer.byteLength(JSON.stringify(message))));
    connection.reply(message);
    connection.reply({ topic: 'last', seq: 0, type: '', data: { n: 0 } });
    await seen(() => received.length === 2);
    expect(received[0]).toEqual(message);
  },
);

describe('a reader that stops reading', () => {
  test('gets the newest state of each thing when it reads again, its numbers without a gap', async () => {
    begin('quote:A');
    begin('orders');
    begin('quotes');
    client.pause();
    const sent = fill('quote:A');
    for (let n = 1; n <= 500; n += 1) {
      change('quote:A', sent + n);
      change('orders', n, `order ${n % 3}`);
      change('quotes', n, `symbol ${n % 2}`);
    }
    // The buffer is bounded: each of these five hundred rounds of 64 KiB is in it at most once.
    expect(server.bufferedAmount).toBeLessThan(1024 * 1024);
    connection.catchUp(0, oneByOne);
    client.resume();
    await seen(() => {
      connection.catchUp(0, oneByOne);
      return received.filter(({ topic }) => topic === 'quotes').length === 2;
    });
    const quotes = received.filter(({ topic }) => topic === 'quote:A');
    expect(quotes.map(({ seq }) => seq)).toEqual(quotes.map((_, place) => place + 1));
    expect(quotes.map(({ data }) => data.n)).toEqual([...Array(sent + 1).keys(), sent + 500]);
    const orders = received.filter(({ topic }) => topic === 'orders');
    expect(orders.map(({ seq, data }) => [seq, data.n])).toEqual([
      [1, 0],
      [2, 499],
      [3, 500],
      [4, 498],
    ]);
    const all = received.filter(({ topic }) => topic === 'quotes').at(-1) as unknown as {
      data: { n: number }[];
    };
    expect(all.data.map(({ n }) => n)).toEqual([499, 500]);
    expect(closedWith).toBeNull();
  });

  test('is closed with 1013 when it has not caught up for 15 seconds', async () => {
    begin('quote:A');
    client.pause();
    fill('quote:A');
    connection.catchUp(1_000, oneByOne);
    connection.catchUp(15_900, oneByOne);
    expect(server.readyState).toBe(WebSocket.OPEN);
    connection.catchUp(16_100, oneByOne);
    expect(server.readyState).toBe(WebSocket.CLOSING);
    client.resume();
    await seen(() => closedWith !== null);
    expect(closedWith).toBe(1013);
  });

  test('is not closed when it catches up in between', () => {
    begin('quote:A');
    connection.catchUp(1_000, oneByOne);
    client.pause();
    fill('quote:A');
    connection.catchUp(2_000, oneByOne);
    connection.catchUp(16_900, oneByOne);
    expect(server.readyState).toBe(WebSocket.OPEN);
  });

  test('is closed with 1013 at once when it goes on asking, so that its buffer stays bounded', async () => {
    client.pause();
    let asked = 0;
    while (server.readyState === WebSocket.OPEN && asked < 2_000) {
      asked += 1;
      connection.reply({ topic: 'orders', seq: 1, type: 'snapshot', data: { n: asked, padding: WIDE } });
    }
    expect(server.readyState).toBe(WebSocket.CLOSING);
    expect(server.bufferedAmount).toBeLessThan(5 * 1024 * 1024);
    client.resume();
    await seen(() => closedWith !== null);
    expect(closedWith).toBe(1013);
  });
});

test('a reader that no longer answers is cut off at the second probe', async () => {
  const probed = new Promise((resolve) => server.once('pong', resolve));
  connection.probe();
  await probed;
  connection.probe();
  expect(server.readyState).toBe(WebSocket.OPEN);
  client.pause();
  connection.probe();
  connection.probe();
  await seen(() => server.readyState === WebSocket.CLOSED);
});

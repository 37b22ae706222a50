import { ownAnvil, settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { falseNode } from '@fairtick/kit/chains/false-node.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { moneyOf, usdt } from '@fairtick/kit/people/money.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { EvmSettings } from '../../config/chains-file.ts';
import type { ChainWatcher } from './chain-watcher.ts';
import { EvmSource } from './evm-source.ts';

/** Providers that lie, lag, die and refuse, before a real node. */
const db = auditedDatabase();
const anvil = ownAnvil();
const provider = falseNode(anvil);
let chain: EvmSettings;
let watcher: ChainWatcher;

beforeAll(async () => {
  const tokens = [{ asset: 'USDT', contract: anvil.token, decimals: 6, checkFrom: '400' }];
  chain = settingsOf({ ...anvil, url: provider.url }, { tokens, secondRpc: anvil.url });
  watcher = await watcherOf(db, chain, new EvmSource(chain), new EvmSource(chain, anvil.url));
  await watcher.round();
});
afterEach(() => provider.behave(null));

const available = async (id: string) => (await moneyOf(db, id)).available;
const isBlock = (method: string) => method === 'eth_getBlockByNumber';
const numberOf = (text: string) => Number(BigInt(text));
const hex = (value: number) => `0x${value.toString(16)}`;

test('one that tells of blocks that are not there brings no confirmations', async () => {
  const ann = await newDepositor(db, chain);
  await anvil.pay(ann.to, usdt(25));
  await anvil.mine();
  provider.behave(async (method, [which], truth) => {
    if (!isBlock(method) || which !== 'latest') return null;
    const block = await truth();
    return { result: { ...block, number: hex(numberOf(block.number) + 50), hash: `0x${'ee'.repeat(32)}` } };
  });
  await watcher.round();
  expect(await available(ann.id)).toBe(0);
});

test('one that makes up the blocks as well brings no credit of a large sum', async () => {
  const ann = await newDepositor(db, chain);
  await anvil.pay(ann.to, usdt(500));
  await anvil.mine();
  provider.behave(async (method, [which], truth) => {
    if (!isBlock(method) || which === 'finalized') return null;
    const block = await truth();
    if (block !== null && which !== 'latest') return { result: block };
    const newest = await anvil.height();
    const number = which === 'latest' ? newest + 5 : numberOf(which);
    const hash = `0x${number.toString(16).padStart(64, 'e')}`;
    const { result } = { result: block ?? (await anvil.block(newest)) };
    return { result: { ...result, number: hex(number), hash } };
  });
  await watcher.round();
  expect(await available(ann.id)).toBe(0);
  provider.behave(null);
  await anvil.mine(6);
  await watcher.round();
  expect(await available(ann.id)).toBe(500);
});

test('one that lags, or has not got its logs yet, delays the credit and loses nothing', async () => {
  const ann = await newDepositor(db, chain);
  await anvil.pay(ann.to, usdt(25));
  await anvil.mine();
  provider.behave(async (method) => (method === 'eth_getLogs' ? { result: [] } : null));
  await watcher.round();
  expect(await available(ann.id)).toBe(0);
  // It goes back to an older head.
  const head = await anvil.height();
  provider.behave(async (method, [which], _truth) =>
    isBlock(method) && which === 'latest' ? { result: await anvil.block(head - 1) } : null,
  );
  await watcher.round();
  provider.behave(null);
  await anvil.mine(3);
  // The second look at final blocks finds it, and the next round credits it.
  await watcher.round();
  await watcher.round();
  expect(await available(ann.id)).toBe(25);
});

test.each([
  ['that dies', { isCut: true }],
  ['that is overloaded', { status: 503 }],
  ['that limits the rate by its status', { status: 429 }],
  ['that limits the rate by an error', { error: { code: -32_005, message: 'rate limit exceeded' } }],
] as const)('one %s ends the round, and a later one credits once', async (_what, answer) => {
  const ann = await newDepositor(db, chain);
  await anvil.pay(ann.to, usdt(25));
  await anvil.mine(6);
  let asked = 0;
  let spared = 0;
  provider.behave(async () => {
    asked += 1;
    return asked > spared ? answer : null;
  });
  // It answers one call more in each round, so that the round ends at every point.
  for (; spared < 12; spared += 1) {
    asked = 0;
    await watcher.round().catch(() => {});
    expect(asked).toBeLessThan(40);
  }
  provider.behave(null);
  await watcher.round();
  expect(await available(ann.id)).toBe(25);
});

test('one that refuses long ranges is asked for halves', async () => {
  const ann = await newDepositor(db, chain);
  await anvil.mine(9);
  await anvil.pay(ann.to, usdt(25));
  await anvil.mine(40);
  const widths: number[] = [];
  provider.behave(async (method, [filter]) => {
    if (method !== 'eth_getLogs') return null;
    const width = numberOf(filter.toBlock) - numberOf(filter.fromBlock) + 1;
    if (width > 7) return { error: { code: -32_602, message: 'query returned more than 10000 results' } };
    widths.push(width);
    return null;
  });
  await watcher.round();
  expect(Math.max(...widths)).toBeLessThanOrEqual(7);
  expect(await available(ann.id)).toBe(25);
});

test('one that contradicts final blocks is not followed, and nothing is taken back', async () => {
  const ann = await newDepositor(db, chain);
  await anvil.pay(ann.to, usdt(25));
  await anvil.mine(6);
  await watcher.round();
  provider.behave(async (method, [which], truth) => {
    if (!isBlock(method)) return null;
    const block = await truth();
    return { result: block && which !== 'latest' ? { ...block, hash: `0x${'dd'.repeat(32)}` } : block };
  });
  await expect(watcher.round()).rejects.toThrow('contradicts the final blocks');
  provider.behave(null);
  await watcher.round();
  expect(await available(ann.id)).toBe(25);
});

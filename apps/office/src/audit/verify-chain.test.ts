import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ChainCheck, type ChainFault, type ChainItem, type Head } from './verify-chain.ts';

/** Builds a chain with Node's crypto, independent of the Web Crypto implementation under test. */
function chainOf(count: number, word = 'entry'): ChainItem[] {
  let hash: Buffer = Buffer.alloc(32);
  return Array.from({ length: count }, (_, seq) => {
    const entry = JSON.stringify({ seq, facts: { word, text: 'ümläut 数' } });
    hash = createHash('sha256').update(hash).update(entry).digest();
    return { seq, entry, hash: hash.toString('hex') };
  });
}
const headOf = (items: readonly ChainItem[]): Head => ({
  size: items.length,
  hash: items.at(-1)?.hash ?? '00'.repeat(32),
});

async function check(
  items: readonly ChainItem[],
  { head = headOf(items), seen = null }: { head?: Head; seen?: Head | null } = {},
): Promise<ChainFault | null> {
  const chain = new ChainCheck(seen);
  // Added in two parts, as the page receives them.
  const half = Math.floor(items.length / 2);
  return chain.add(items.slice(0, half)) ?? chain.add(items.slice(half)) ?? chain.finish(head);
}

const whole = chainOf(9);

describe('the chain of the audit log', () => {
  test('passes the check when it is intact or empty, from its first entry or from a head seen before', async () => {
    expect(await check(whole)).toBeNull();
    expect(await check([])).toBeNull();
    expect(await check(whole, { seen: headOf(whole.slice(0, 4)) })).toBeNull();
    expect(await check(whole, { seen: headOf(whole) })).toBeNull();
  });

  test('fails the check where an entry was changed, with or without a new hash for it', async () => {
    const flipped = whole.map((item) =>
      item.seq === 3 ? { ...item, entry: item.entry.replace('entry', 'entrz') } : item,
    );
    expect(await check(flipped)).toEqual({ kind: 'changed', seq: 3 });
    const before = Buffer.from(whole[2]?.hash as string, 'hex');
    const hash = createHash('sha256')
      .update(before)
      .update(flipped[3]?.entry as string)
      .digest('hex');
    const patched = flipped.map((item) => (item.seq === 3 ? { ...item, hash } : item));
    expect(await check(patched)).toEqual({ kind: 'changed', seq: 4 });
  });

  test('fails the check where entries are missing, swapped, renumbered or cut off', async () => {
    expect(await check(whole.filter(({ seq }) => seq !== 4))).toEqual({ kind: 'missing', seq: 5 });
    const swapped = [...whole.slice(0, 2), whole[3], whole[2], ...whole.slice(4)] as ChainItem[];
    expect(await check(swapped)).toEqual({ kind: 'missing', seq: 3 });
    const renumbered = swapped.map((item, seq) => ({ ...item, seq }));
    expect(await check(renumbered)).toEqual({ kind: 'changed', seq: 2 });
    expect(await check(whole.slice(0, 7), { head: headOf(whole) })).toEqual({ kind: 'head', seq: 7 });
    expect(await check(whole, { head: { ...headOf(whole), hash: '11'.repeat(32) } })).toEqual({
      kind: 'head',
      seq: 9,
    });
  });

  test('fails the check against a head seen before when the whole log was rewritten or cut off', async () => {
    const other = chainOf(9, 'other');
    expect(await check(other)).toBeNull();
    expect(await check(other, { seen: headOf(whole.slice(0, 5)) })).toEqual({ kind: 'rewritten', seq: 4 });
    expect(await check(whole.slice(0, 5), { seen: headOf(whole) })).toEqual({ kind: 'rewritten', seq: 5 });
  });
});

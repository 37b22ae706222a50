import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openWriter, readTexts, rootOfTexts, storyOf } from '@fairtick/kit/installation/writers.ts';
import { parseEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import canonicalize from 'canonicalize';
import { afterEach, describe, expect, test } from 'vitest';
import type { WriterTerm } from './writer-term.ts';

const HOUR_MS = 3_600_000;
/** Rules wait for the longest cycle, and one second for their own commit. */
const WAIT_MS = HOUR_MS + 1_000;

describe('rules in the log', () => {
  let house: House;
  afterEach(() => house?.close());

  async function rulesOf(symbol: string) {
    return (await readTexts(house)).flatMap((text) => {
      const entry = parseEntry(text);
      return entry?.kind === 'rules' && entry.symbol === symbol ? [{ ...entry, text }] : [];
    });
  }

  /** The rules that the product's ticks name, as indexes into the list of its rules. */
  async function namedBy(symbol: string): Promise<number[]> {
    const hashes = (await rulesOf(symbol)).map(({ text }) => rootOfTexts([text]));
    const ticks = (await readTexts(house)).filter((text) => text.startsWith(`tick|4|${symbol}|`));
    const named = ticks.map((text) => hashes.indexOf(text.split('|')[6] as string));
    return named.filter((rules, at) => rules !== named[at - 1]);
  }

  /** Restarts the writer with different rules. */
  async function restart(rules: Partial<ProductRules>): Promise<{ feed: ManualFeed; writer: WriterTerm }> {
    const feed = new ManualFeed(rules);
    const writer = await openWriter(house, feed);
    house.clock.stepTo(house.clock.targetMs + 250);
    await writer.step();
    return { feed, writer };
  }

  async function tick({ feed, writer }: { feed: ManualFeed; writer: WriterTerm }, timeMs: number) {
    for (const source of ['a', 'b']) feed.quote(house.product('EUR/USD'), source, '1.08400', timeMs);
    house.clock.stepTo(timeMs);
    await writer.step();
  }

  test('the first rules of a product take effect at once and state everything that decides', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const [rules] = await rulesOf('EUR/USD');
    expect(rules).toMatchObject({ n: 1, effectiveMs: START_MS, previousHash: '0'.repeat(64) });
    const stated = JSON.parse(rules?.json ?? '') as ProductRules;
    expect(stated).toEqual(feed.rulesOf(house.product('EUR/USD')));
    expect(canonicalize(stated)).toBe(rules?.json);
    await tick({ feed, writer: house.session }, START_MS + 250);
    expect(await namedBy('EUR/USD')).toEqual([0]);
    expect(await rulesOf('BTC/USDT')).toHaveLength(1);
  });

  test('unchanged rules are not logged again', async () => {
    house = await House.open(new ManualFeed());
    await restart({});
    await restart({});
    expect(await rulesOf('EUR/USD')).toHaveLength(1);
  });

  test('changed rules wait for the longest cycle, then ticks and acceptances name them', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    await tick({ feed, writer: house.session }, START_MS + 250);
    const later = await restart({ outlierBps: 77 });
    const [, changed] = await rulesOf('EUR/USD');
    expect(changed?.effectiveMs).toBeGreaterThanOrEqual(START_MS + 250 + HOUR_MS);
    const effectiveMs = Math.ceil((changed?.effectiveMs ?? 0) / 250) * 250;
    await tick(later, effectiveMs - 250);
    await tick(later, effectiveMs);
    expect(await namedBy('EUR/USD')).toEqual([0, 1]);
    const { rows } = await house.db.server.query<{ hash: string }>(
      `select encode(r.hash, 'hex') as hash from product_states s join rules r on r.id = s.rules_id where s.product_id = $1`,
      [house.product('EUR/USD').id],
    );
    expect(rows[0]?.hash).toBe(rootOfTexts([changed?.text ?? '']));
  });

  test('the wait of changed rules begins when they are logged, however long the writer was away before', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    await tick({ feed, writer: house.session }, START_MS + 250);
    // No writer ran for a day.
    const returnMs = START_MS + 24 * HOUR_MS;
    house.clock.stepTo(returnMs);
    const later = await restart({ outlierBps: 77 });
    expect((await rulesOf('EUR/USD'))[1]?.effectiveMs).toBe(returnMs + WAIT_MS);
    await tick(later, returnMs + 500);
    await tick(later, returnMs + WAIT_MS);
    expect(await namedBy('EUR/USD')).toEqual([0, 1]);
  });

  test('a restart during the wait keeps the changed rules and their time', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    await tick({ feed, writer: house.session }, START_MS + 250);
    await restart({ outlierBps: 77 });
    const again = await restart({ outlierBps: 77 });
    expect(await rulesOf('EUR/USD')).toHaveLength(2);
    const effectiveMs = (await rulesOf('EUR/USD'))[1]?.effectiveMs ?? 0;
    await tick(again, Math.floor((effectiveMs - 1) / 250) * 250);
    await tick(again, Math.ceil(effectiveMs / 250) * 250);
    expect(await namedBy('EUR/USD')).toEqual([0, 1]);
  });

  test('rules changed twice take effect one after the other, and the last ones stay', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    await restart({ outlierBps: 77 });
    house.clock.stepTo(START_MS + HOUR_MS / 2);
    const last = await restart({ outlierBps: 88 });
    const [, second, third] = (await rulesOf('EUR/USD')).map(({ effectiveMs }) => effectiveMs) as [
      number,
      number,
      number,
    ];
    expect(third - second).toBeGreaterThanOrEqual(HOUR_MS / 2 - 1_000);
    await tick(last, START_MS + HOUR_MS);
    await tick(last, Math.ceil(second / 250) * 250);
    await tick(last, Math.ceil(third / 250) * 250);
    await tick(last, Math.ceil(third / 250) * 250 + HOUR_MS);
    expect(await namedBy('EUR/USD')).toEqual([0, 1, 2]);
  });

  test('an order settles under the rules that its acceptance named', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const customer = await house.customer();
    const later = await restart({ delayMs: 3_000 });
    const effectiveMs = Math.ceil(((await rulesOf('EUR/USD'))[1]?.effectiveMs ?? 0) / 250) * 250;
    await tick(later, effectiveMs - 1_000);
    const buy = () => house.place([house.request(customer, { symbol: 'EUR/USD', amount: '10' })]);
    expect((await buy())[0]).toMatchObject({ kind: 'accepted' });
    await tick(later, effectiveMs - 500);
    await tick(later, effectiveMs - 250);
    await tick(later, effectiveMs);
    expect((await buy())[0]).toMatchObject({ kind: 'accepted' });
    for (let ms = 250; ms <= 65_000; ms += 250) await tick(later, effectiveMs + ms);
    expect(await house.settle()).toBe(2);
    const { rows } = await house.db.server.query<{ waited: string; rules: string }>(
      `select opens_at_ms - accepted_at_ms as waited, encode(r.hash, 'hex') as rules
       from orders o join rules r on r.id = o.rules_id order by o.id`,
    );
    expect(rows.map(({ rules }) => rules)).toEqual(
      (await rulesOf('EUR/USD')).map(({ text }) => rootOfTexts([text])),
    );
    // The first opened at the first second from two on, although the rules changed while it was open; the second waited three.
    expect(Number(rows[0]?.waited)).toBeLessThan(3_000);
    expect(Number(rows[1]?.waited)).toBeGreaterThanOrEqual(3_000);
  });

  test('a removed source counts until the changed rules take effect, and an added source counts from then on', async () => {
    const feed = new ManualFeed();
    house = await House.open(feed);
    const { feed: changed, writer } = await restart({ sources: ['a', 'x'], quietMs: 10_000 });
    const eurusd = house.product('EUR/USD');
    const effectiveMs = Math.ceil(((await rulesOf('EUR/USD'))[1]?.effectiveMs ?? 0) / 250) * 250;
    const say = async (timeMs: number, sources: string[]) => {
      for (const source of sources) changed.quote(eurusd, source, '1.08400', timeMs);
      house.clock.stepTo(timeMs);
      await writer.step();
    };
    const sourcesOfLast = async () => {
      const [last] = (await readTexts(house)).filter((text) => text.startsWith('tick|4|EUR/USD|')).reverse();
      return last
        ?.split('|')[7]
        ?.split(';')
        .map((quote) => quote.split(',')[0]);
    };
    await say(effectiveMs - 500, ['a', 'b', 'c', 'x']);
    expect(await sourcesOfLast()).toEqual(['a', 'b', 'c']);
    await say(effectiveMs, ['a', 'b', 'c']);
    expect(await sourcesOfLast()).toEqual(['a', 'x']);
    // Sources that the rules do not name can't keep a price alive.
    await say(effectiveMs + 9_000, ['b', 'c']);
    await say(effectiveMs + 10_250, ['b', 'c']);
    expect((await storyOf(house, 'EUR/USD')).at(-1)).toBe('gap quorum');
  });
});

import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { EXCHANGES, type Exchange, PublicRecord } from '@fairtick/kit/venues/public-record.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { RECORD_VENUES, type RecordVenue } from '@fairtick/proof';
import { describe, expect, test } from 'vitest';
import { factsLine, type HistoryFacts, measureHistory } from './measure-history.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 28, 12);

class Measured {
  readonly record: PublicRecord;
  readonly #server: VenueServer;

  private constructor(source: Exchange, server: VenueServer) {
    this.#server = server;
    this.record = new PublicRecord(source);
    this.record.nowMs = () => NOW;
    for (let number = 1; number <= 1_900; number += 1) {
      const timeMs = number < 100 ? NOW - (100 - number) * DAY : NOW - (1_901 - number) * 1_000;
      this.record.add({ number: BigInt(number), timeMs, price: `60000.${10 + (number % 90)}` });
    }
    server.history = (url) => this.record.answer(url);
  }

  static async open(source: Exchange): Promise<Measured> {
    return new Measured(source, await VenueServer.start());
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  measure(heard = this.record.trades().slice(-50)): Promise<HistoryFacts | string> {
    const venue = RECORD_VENUES.find(({ source }) => source === this.record.source) as RecordVenue;
    const origin = this.#server.url.replace('ws:', 'http:');
    return measureHistory(venue, { symbol: 'BTC/USDT', origin, heard, paceMs: 0 });
  }
}

describe.each(EXCHANGES)('the history of %s', (source) => {
  const exchange = forTest(() => Measured.open(source));

  test('is measured', async () => {
    const facts = await exchange.measure();
    const most = source === 'okx' ? 99 : 999;
    expect(facts).toMatchObject({ inARow: [most, most], hasNumbers: true, origins: null, agreed: [50, 50] });
    expect((facts as HistoryFacts).hasTimes).toBe(source === 'coinbase' ? null : true);
    const days = (NOW - ((facts as HistoryFacts).oldestMs as number)) / DAY;
    expect(Math.floor(days)).toBeGreaterThanOrEqual(source === 'coinbase' ? 98 : 79);
    expect(days).toBeLessThan(source === 'coinbase' ? 100 : 82);
    expect(factsLine(facts as HistoryFacts)).toContain(`${most} of ${most} numbers in a row  by number yes`);
  });

  test('shows gaps, another price than the stream’s, and who may read it', async () => {
    const { record } = exchange;
    const heard = record
      .trades()
      .slice(-10)
      .map((one) => ({ ...one, price: '1.00' }));
    record.change = (trades) => trades.filter(({ number }) => number % 10n !== 0n);
    const facts = (await exchange.measure(heard)) as HistoryFacts;
    expect(facts.inARow[0]).toBeLessThan(facts.inARow[1]);
    expect(facts.agreed).toEqual([0, expect.any(Number)]);
    record.change = (trades) => trades;
  });

  test('that does not answer is named', async () => {
    exchange.record.change = () => ({ body: '', status: 451 });
    expect(await exchange.measure()).toBe('its history answers 451');
    exchange.record.change = () => ({ body: '[]' });
    expect(await exchange.measure()).toBe('its newest records can’t be read');
  });
});

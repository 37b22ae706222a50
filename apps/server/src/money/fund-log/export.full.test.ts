import { inflateSync } from 'node:zlib';
import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, submitDeposit, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { ownFloor } from '@fairtick/kit/fixtures/houses.ts';
import { ask, usdt } from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { FundEntry } from '@fairtick/protocol';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { csvOf } from '../../platform/csv.ts';
import { fundCsv } from './export-csv.ts';
import { LABELS } from './statement.ts';
import { YEAR_LABELS } from './year-statement.ts';

const floor = ownFloor();

const SAMPLE: FundEntry = {
  id: '1',
  time: 0,
  type: 'deposit',
  result: 'success',
  ending: null,
  asset: 'USDT',
  amount: '1',
  balance: null,
  ref: 'deposit:1',
  order: null,
};

const file = (token: string, fields: Record<string, string>) =>
  fetch(`${floor.origin}/api/fund/export?${new URLSearchParams(fields)}`, { headers: { token } });

/** One of each: a deposit, one refused, a withdrawal that came back, an order. */
async function traded(): Promise<string> {
  const ann = await apiPayee(floor.origin, floor.house.db);
  const cashier = await installStaff(floor.house.db.owner, 'cashier');
  const deposited = (await submitDeposit(floor.origin, ann.token, '500')).body.data.id;
  await ask(floor.house.db, 'deposit_find', [cashier, deposited, usdt(500), `tx ${deposited}`]);
  const refused = (await submitDeposit(floor.origin, ann.token, '60')).body.data.id;
  await ask(floor.house.db, 'deposit_refuse', [cashier, refused, 'failure', 'duplicate', null]);
  const back = (await withdraw(floor.origin, ann, '200')).body.data.id;
  await ask(floor.house.db, 'withdrawal_refuse', [cashier, back, 'security', null]);
  await floor.tick({ 'EUR/USD': '1.08400' });
  await floor.order(ann.token, { amount: '100' });
  return ann.token;
}

describe('the fund log as a table', () => {
  test('the table lists every line, oldest first, with separate columns for what goes in and out', async () => {
    const token = await traded();
    const answer = await file(token, { format: 'csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="fairtick-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(bytes.toString()).toMatch(/^[^\n]*\r\n/);
    const rows = parse(bytes, { bom: true, columns: true }) as Record<string, string>[];
    // Lines of each asset in order; a refused deposit stands where it was submitted.
    const lines = (asset: string) =>
      rows
        .filter((row) => row.asset === asset)
        .map((row) => `${row.type} ${row.result} ${row.amount} = ${row.balance}`);
    expect(lines('DEMO')).toEqual([
      'deposit success 10000.000000 = 10000.000000',
      "purchase success '-100.000000 = 9900.000000",
    ]);
    expect(lines('USDT')).toEqual([
      'deposit success 500.000000 = 500.000000',
      'deposit failure 60.000000 = ',
      "withdrawal failure '-200.000000 = 300.000000",
      'withdrawal failure 200.000000 = 500.000000',
    ]);
    expect(rows.find(({ type }) => type === 'purchase')).toMatchObject({
      in: '',
      out: '100.000000',
      product: 'EUR/USD',
      minutes: '1',
    });
    const inZone = await (await file(token, { format: 'csv', zone: 'Asia/Shanghai' })).text();
    const timesOf = (text: string) =>
      parse(text, { bom: true, columns: true }) as { time: string; zone: string; exact: string }[];
    const inUtc = timesOf(await (await file(token, { format: 'csv' })).text());
    for (const { time, zone, exact } of timesOf(inZone)) {
      // What spreadsheets read as a time.
      expect([time, zone]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/), 'UTC+08:00']);
      expect(new Date(`${time}+08:00`).getTime()).toBe(Math.floor(Date.parse(exact) / 1000) * 1000);
    }
    for (const { time, zone, exact } of inUtc)
      expect([`${time.replace(' ', 'T')}`, zone]).toEqual([exact.slice(0, 19), 'UTC']);
    expect(timesOf(inZone).map(({ exact }) => exact)).toEqual(inUtc.map(({ exact }) => exact));
    const filtered = await (await file(token, { format: 'csv', type: 'withdrawal', asset: 'USDT' })).text();
    expect(filtered.trim().split('\r\n')).toHaveLength(3);
  });

  test('a number with more digits than a spreadsheet keeps is a text', () => {
    const amounts = ['123456789012.000000', '123456789012.123', '123456789012.123400', '0.00000001'];
    const of = (amount: string): FundEntry => ({ ...SAMPLE, amount, balance: amount });
    const rows = parse(fundCsv(amounts.map(of), 'UTC'), { bom: true, columns: true }) as {
      balance: string;
    }[];
    expect(rows.map(({ balance }) => balance)).toEqual([
      '123456789012.000000',
      '123456789012.123',
      "'123456789012.123400",
      '0.00000001',
    ]);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('a formula is escaped: %j', (cell) => {
    const [row] = parse(csvOf(['a'], [{ a: cell }]), { bom: true, columns: true }) as { a: string }[];
    expect(row?.a).toBe(`'${cell}`);
  });

  test('cells with quotes, commas or line breaks are quoted', () => {
    const cell = 'a "b", c\r\nd';
    const [row] = parse(csvOf(['a'], [{ a: cell }]), { bom: true, columns: true }) as { a: string }[];
    expect(row?.a).toBe(cell);
  });
});

/** The characters that a PDF's fonts map, and its number of pages. */
function readPdf(bytes: Buffer): { characters: Set<string>; pages: number; fonts: string[] } {
  const text = bytes.toString('latin1');
  const characters = new Set<string>();
  for (const match of text.matchAll(/stream\r?\n/g)) {
    const start = (match.index as number) + match[0].length;
    const end = text.indexOf('endstream', start);
    let content: string;
    try {
      content = inflateSync(bytes.subarray(start, end)).toString('latin1');
    } catch {
      // Not compressed, so no map of characters.
      continue;
    }
    if (!content.includes('beginbfrange')) continue;
    for (const [, code = ''] of content.matchAll(/<([0-9a-f]{4,})>(?=[ \]])/gi))
      characters.add(String.fromCodePoint(Number.parseInt(code.slice(0, 4), 16)));
  }
  return {
    characters,
    pages: text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0,
    fonts: [
      ...new Set([...text.matchAll(/\/BaseFont \/([A-Z]{6}\+\S+)/g)].map(([, name]) => name as string)),
    ],
  };
}

describe('the statement', () => {
  test.each(['zh', 'tw', 'en'] as const)(
    'the statement in %s embeds a subset of its font with every character that it shows',
    async (lang) => {
      const token = await traded();
      const answer = await file(token, { format: 'pdf', lang });
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
      const { characters, pages, fonts } = readPdf(bytes);
      expect(pages).toBe(1);
      for (const font of fonts) expect(font).toMatch(/^[A-Z]{6}\+NotoSansSC/);
      const wanted = [LABELS.title, LABELS.opening, LABELS.closing, LABELS.account, LABELS.minutes].map(
        (label) => label[lang].replace('{minutes}', '1'),
      );
      // The order's line names its product and cycle.
      const shown = `EUR/USD·${wanted.join('')}`.replaceAll(' ', '');
      for (const character of shown) expect(characters).toContain(character);
      // A whole part of the font has 40 KB or more, so only the glyphs in use are embedded.
      expect(bytes.length).toBeLessThan(150_000);
    },
  );

  test.each(['zh', 'tw', 'en'] as const)(
    'the year in %s is one page with every word of its table',
    async (lang) => {
      const token = await traded();
      const fields = { year: String(new Date().getUTCFullYear()), lang };
      const answer = await fetch(`${floor.origin}/api/fund/year?${new URLSearchParams(fields)}`, {
        headers: { token },
      });
      expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
        'application/pdf',
        `attachment; filename="fairtick-${fields.year}.pdf"`,
      ]);
      const { characters, pages } = readPdf(Buffer.from(await answer.arrayBuffer()));
      expect(pages).toBe(1);
      const { rule: _rule, others: _others, ...words } = YEAR_LABELS;
      const shown = Object.values(words).map((label) => label[lang].replace('{year}', fields.year));
      for (const character of shown.join('').replaceAll(' ', '')) expect(characters).toContain(character);
    },
  );

  test('a long statement continues on numbered pages', async () => {
    const { token, id } = await register(floor.origin);
    await floor.house.db.owner.query(
      `insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
       select $1, sha256(i::text::bytea), 1, 1, 2, 10000000 + i, 0, 900000 + i from generate_series(1, 150) i`,
      [id],
    );
    const { pages, characters } = readPdf(
      Buffer.from(await (await file(token, { format: 'pdf', lang: 'zh' })).arrayBuffer()),
    );
    expect(pages).toBe(4);
    for (const character of '第页共审核中') expect(characters).toContain(character);
  });

  test('an export has only the customer’s own lines, and an unknown format is refused in an envelope', async () => {
    const { token } = await register(floor.origin);
    expect((await get(floor.origin, 'fund/export', { format: 'csv' })).status).toBe(401);
    for (const fields of [
      {},
      { format: 'xml' },
      { format: 'csv', from: '-1' },
      { format: 'csv', zone: 'Asia/Nowhere' },
    ]) {
      const { body } = await get(floor.origin, 'fund/export', fields, { token });
      expect(['FORM_INCOMPLETE', 'INVALID_VALUE']).toContain(body.error);
    }
    const mine = await (await file(token, { format: 'csv' })).text();
    expect(mine.trim().split('\r\n')).toHaveLength(2);
  });
});

import { inflateSync } from 'node:zlib';
import { staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { HandLog } from '@fairtick/kit/installation/hand-log.ts';
import { judged } from '@fairtick/kit/people/receipts.ts';
import type { OfficeData } from '@fairtick/protocol/office';
import { beforeAll, expect, test } from 'vitest';
import { settleAllDue } from '../../trading/settlement/settle-lanes.ts';
import { correctOrders } from '../../trading/settlement/settle-orders.ts';

/** The case of an order as support sees it: one that a close made better, settled beside an order of somebody else. */
let ann: string;
let orderId: string;
const log = forFile(() => HandLog.open({ quietMs: 500 }));
const office = forFile(() => startOffice(log.db));
const support = forFile(async () => staffOf(log.db, office.officeOrigin, 'support'));

beforeAll(async () => {
  const [first, other] = (await log.customers(2)) as [string, string];
  ann = first;
  await log.db.owner.query(`update customers set language = 'en' where id = $1`, [ann]);
  const startMs = log.nowMs;
  const second = (seconds: number) => startMs + seconds * 1_000;
  const [mine] = await log.place([
    log.request(ann, { direction: 'down', amount: '20' }),
    log.request(other, { direction: 'up', amount: '77.77' }),
  ]);
  if (mine?.kind !== 'accepted') throw new Error('the order was not accepted');
  orderId = String(mine.orderId);
  await log.orders(second(0.25));
  await log.fix(second(2), '', { prices: ['1.08478', '1.08482', '1.08480'], open: 1 });
  await log.fix(second(62), '1.08480');
  await settleAllDue(log.db.server);
  await log.fix(second(2), '', {
    prices: ['1.08478', '1.08482', '1.08490'],
    open: 1,
    kind: 'close',
    timeMs: second(63),
  });
  await log.tick(second(65), '1.08480');
  await correctOrders(log.db.server);
});

const caseOf = async (): Promise<OfficeData<'order/case'>> =>
  dataOf(support.get('order/case', { id: orderId }));

test('shows terms, prices, movements and notices of an order, and a receipt that holds', async () => {
  const found = await caseOf();
  expect(found.customer).toMatchObject({ id: ann, language: 'en' });
  expect(found.order).toMatchObject({
    id: orderId,
    result: 'profit',
    openPrice: '1.08482',
    settlePrice: '1.08480',
    acceptance: { text: expect.stringContaining('EUR/USD') },
  });
  expect(found.transfers.map(({ kind }) => kind)).toEqual(['reserve', 'resolve', 'amend']);
  expect(found.notices.map(({ title }) => title)).toEqual(['Order corrected in your favour']);
  if (!found.receipt) throw new Error('there is no receipt');
  expect(judged(log, found.receipt)).toMatchObject({ isValid: true });
  // The other customer's order is in the same batch and the same movement.
  expect(JSON.stringify(found)).not.toContain('77.77');
});

test('tells it in plain words of the customer’s language', async () => {
  const { lines } = (await caseOf()).account;
  const text = lines.join('\n');
  expect(text).toContain('you bought EUR/USD down for 1 min, with a stake of 20.00 DEMO');
  expect(text).toContain('that price was corrected to 1.08482');
  expect(text).toContain('• c: 1.08490, record ');
  expect(text).toMatch(/From 1\.08482 to 1\.08480, .* made a profit\. You got back the stake of 20\.00 DEMO/);
  expect(text).toMatch(/moved by −20\.00 DEMO on \d{4}-.* UTC, and was 9,980\.00 DEMO/);
  await log.db.owner.query(`update customers set language = 'tw' where id = $1`, [ann]);
  expect((await caseOf()).account.lines[0]).toContain('您於');
  await log.db.owner.query(`update customers set language = 'en' where id = $1`, [ann]);
});

test('is a PDF with the receipt attached', async () => {
  const answer = await fetch(`${office.officeOrigin}/api/order/account?id=${orderId}`, {
    headers: { 'x-office': '1', cookie: support.cookie },
  });
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  expect(answer.headers.get('content-disposition')).toContain(`fairtick-order-${orderId}.pdf`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const text = bytes.toString('latin1');
  const [marked = ''] = /\/Type \/EmbeddedFile[\s\S]*?stream\r?\n/.exec(text) ?? [];
  const from = text.indexOf(marked) + marked.length;
  const attached = inflateSync(bytes.subarray(from, text.indexOf('endstream', from))).toString();
  expect(JSON.parse(attached)).toEqual((await caseOf()).receipt);
});

test('each view is shown to the customer, and only who may see money finds an order', async () => {
  const { rows: before } = await log.db.owner.query(
    'select from personal_data_views where customer_id = $1',
    [ann],
  );
  await caseOf();
  const { rows } = await log.db.owner.query(
    'select what, subject_id::text as subject, staff_id::text as staff from personal_data_views where customer_id = $1 order by id desc',
    [ann],
  );
  expect(rows.length).toBe(before.length + 1);
  expect(rows[0]).toEqual({ what: 'account', subject: orderId, staff: support.staffId });
  for (const id of ['0', '999999999', 'x', '-1'])
    expect([id, await errorOf(support.get('order/case', { id }))]).toEqual([id, 'ORDER_NOT_FOUND']);
  const verification = await staffOf(log.db, office.officeOrigin, 'verification');
  expect(await errorOf(verification.get('order/case', { id: orderId }))).toBe('ROLE_MISSING');
});

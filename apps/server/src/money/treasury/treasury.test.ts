import { get, register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit } from '@fairtick/kit/clients/money-api.ts';
import { staffOf } from '@fairtick/kit/clients/office-client.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { letADayPass, moneyOf } from '@fairtick/kit/people/money.ts';
import { fullTest } from '@fairtick/kit/size.ts';
import type { OfficeData } from '@fairtick/protocol/office';
import { afterEach, describe, expect, test } from 'vitest';

/** The treasury in the office: statements, corrections, channels. */
const db = auditedDatabase();
const api = ownOffice(db);
const cashier = ownStaff(db, api, 'cashier');
const approver = ownStaff(db, api, 'approver');
const auditor = ownStaff(db, api, 'auditor');

const today = () => new Date().toISOString().slice(0, 10);
const statement = (...lines: string[]) => ['date,amount,reference,counterparty', ...lines].join('\n');
const file = (csv: string | Uint8Array) => Buffer.from(csv as string).toString('base64');
const importCsv = (csv: string | Uint8Array, choice: Record<string, string> = {}) =>
  cashier.post('statement/import', { asset: 'USD', file: file(csv), ...choice });

describe('a bank’s statement', () => {
  fullTest('a statement’s lines are imported once and suggest the deposits that they may pay', async () => {
    const ann = await register(api.origin);
    const { id } = (await submitDeposit(api.origin, ann.token, '75', { channelId: '3' })).body.data;
    const csv = statement(
      `${today()},75.00,Transfer FT${ann.id} thanks,"Ann, A."`,
      `${today()},75.00,something else,Bob`,
      `${today()},75.00,something else,Bob`,
      `${today()},-20,fee,The bank`,
      `${today()},76.00,FT${ann.id},Ann`,
      `${today()},77.00,FT${ann.id}9,Somebody else`,
    );
    const seen = await dataOf(cashier.post('statement/preview', { asset: 'USD', file: file(csv) }));
    expect([seen.lines, seen.new, seen.items.length, seen.items[3].amount]).toEqual([6, 6, 6, '-20.00']);
    expect(await dataOf(importCsv(csv))).toEqual({ lines: 6, new: 6 });
    expect(await dataOf(importCsv(csv))).toEqual({ lines: 6, new: 0 });
    const more = `${csv}\n${today()},75.00,something else,Bob`;
    const again = await dataOf(cashier.post('statement/preview', { asset: 'USD', file: file(more) }));
    // Of the three identical lines two may be those of the other file.
    expect([again.new, again.items.map(({ state }: { state: string }) => state)]).toEqual([
      1,
      [...Array(6).fill('repeat'), 'new'],
    ]);
    const lines = async (state: string): Promise<OfficeData<'statement/list'>['items']> =>
      (await dataOf(auditor.get('statement/list', { state, limit: '100' }))).items;
    const open = await lines('open');
    expect(open).toHaveLength(6);
    expect(
      open.map((line) => [line.amount, line.suggestions.map((one) => [one.sameAmount, one.namesCustomer])]),
    ).toEqual([
      ['77.00', []],
      ['76.00', [[false, true]]],
      ['-20.00', []],
      ['75.00', [[true, false]]],
      ['75.00', [[true, false]]],
      ['75.00', [[true, true]]],
    ]);
    expect(open.at(5)?.suggestions[0]).toMatchObject({ id, account: ann.account, amount: '75.00' });
    expect(await lines('all')).toHaveLength(6);
    const { matches } = await dataOf(cashier.get('deposit/detail', { id }));
    expect(
      matches.map((line: Record<string, unknown>) => [line.amount, line.sameAmount, line.namesCustomer]),
    ).toEqual([
      ['75.00', true, true],
      ['76.00', false, true],
      ['75.00', true, false],
      ['75.00', true, false],
    ]);
    const evidence = matches[0].reference;
    // Typed in another spelling, it is the same payment.
    const typed = evidence.toUpperCase().replaceAll(' ', '-');
    expect(await dataOf(cashier.post('deposit/find', { id, amount: '75', evidence: typed }))).toEqual({
      status: 'success',
    });
    const { rows: missing } = await db.owner.query('select detail from statement_findings()');
    expect(missing.filter(({ detail }) => detail.includes(typed) || detail.includes(evidence))).toEqual([]);
    const credited = (await lines('all')).find(({ creditedAs }) => creditedAs !== null);
    expect(credited).toMatchObject({ creditedAs: id, reference: evidence, suggestions: [] });
    expect(await lines('open')).toHaveLength(5);
    // A credited line is not suggested for another deposit.
    const other = (await submitDeposit(api.origin, ann.token, '75', { channelId: '3' })).body.data.id;
    const left = (await dataOf(cashier.get('deposit/detail', { id: other }))).matches;
    expect(left.map(({ reference }: { reference: string }) => reference)).not.toContain(evidence);
  });

  /** 交易日期,交易金额,摘要,对方户名 and a payment. */
  const GBK = Buffer.from(
    'bdbbd2d7c8d5c6da2cbdbbd2d7bdf0b6ee2cd5aad2aa2cb6d4b7bdbba7c3fb0a32303236313132352c22312c3030302e3030222c5245462d303030322cb2e2cad4bfcdbba7d2d20a',
    'hex',
  );
  const table = (...rows: string[]) => rows.join('\n');
  test.each<[string, string | Uint8Array, string[]]>([
    ['GBK with a Chinese header', GBK, ['2026-11-25 1000.00 REF-0002 测试客户乙']],
    ['UTF-16', Buffer.from(statement('2026-11-25,5,r,测试'), 'utf16le'), ['2026-11-25 5.00 r 测试']],
    [
      'semicolons and decimal commas',
      table('date;amount;reference;counterparty', '25.11.2026;1.234,56;r;Beispiel'),
      ['2026-11-25 1234.56 r Beispiel'],
    ],
    [
      'names in another case, with spaces and units',
      table('Date, Amount (USD) , REFERENCE,Counterparty', '25-Nov-2026,(5.00),r,x'),
      ['2026-11-25 -5.00 r x'],
    ],
    [
      'lines before the header, two columns of amounts, and a sum',
      table(
        '账户：1',
        '交易日期\t借方金额\t贷方金额\t余额\t摘要',
        '115/11/25\t\t1,000.00\t5\tr',
        '115/11/26\t20.00\t0.00\t5\ts',
        '合计\t20.00\t1,000.00\t\t',
      ),
      ['2026-11-25 1000.00 r ', '2026-11-26 -20.00 s '],
    ],
    [
      'a column of directions, and cells as formulas',
      table('日期,金額,借貸別,備註,對方戶名', '="20261125",5.00,貸,="007",x', '20261126,5.00,借,r,x'),
      ['2026-11-25 5.00 007 x', '2026-11-26 -5.00 r x'],
    ],
  ])('a statement with %s is read', async (_what, content, lines) => {
    const seen = await dataOf(cashier.post('statement/preview', { asset: 'USD', file: file(content) }));
    const read = seen.items.map(
      (line: Record<string, string>) =>
        `${line.bookedOn} ${line.amount} ${line.reference} ${line.counterparty}`,
    );
    expect([seen.fault, read]).toEqual([null, lines]);
  });

  test('staff choose what a statement does not say, and nothing is stored before', async () => {
    const csv = '03/04/2026;1.234;x\n05/04/2026;2.000;y';
    const preview = (choice: Record<string, string>) =>
      dataOf(cashier.post('statement/preview', { asset: 'USD', file: file(csv), ...choice }));
    const seen = await preview({});
    expect([seen.rows[0], seen.columns, seen.fault.column]).toEqual([
      ['03/04/2026', '1.234', 'x'],
      {},
      'date',
    ]);
    const columns = 'date:0,amount:1,reference:2';
    expect((await preview({ columns })).fault).toEqual({ line: '1', column: 'decimalMark' });
    expect((await preview({ columns, decimalMark: ',' })).fault).toEqual({ line: '1', column: 'dayOrder' });
    expect((await importCsv(csv, { columns, decimalMark: ',' })).body.error).toBe('STATEMENT_UNREADABLE');
    const choice = { columns, decimalMark: ',', dayOrder: 'dayFirst' };
    expect((await preview(choice)).items[0]).toMatchObject({ bookedOn: '2026-04-03', amount: '1234.00' });
    expect(await dataOf(importCsv(csv, choice))).toEqual({ lines: 2, new: 2 });
  });

  test.each<[string, string | Uint8Array]>([
    ['broken', Buffer.concat([Buffer.from('测试客户甲'.repeat(5)), Buffer.from('e4bd', 'hex')])],
    ['spoilt by an earlier reading', statement('2026-11-25,5,r,\uFFFD\uFFFD')],
  ])('a file that is %s is refused', async (_what, content) => {
    expect((await importCsv(content)).body.error).toBe('STATEMENT_NO_TEXT');
  });

  test('hidden characters in a statement are shown and stored as codes', async () => {
    const csv = statement('2026-01-05,5.00,FT\u202e17\u200b,An\u00adna');
    const { items } = await dataOf(cashier.post('statement/preview', { asset: 'USD', file: file(csv) }));
    expect(items).toMatchObject([{ reference: 'FT[U+202E]17[U+200B]', counterparty: 'An[U+00AD]na' }]);
    expect(await dataOf(importCsv(csv))).toEqual({ lines: 1, new: 1 });
    expect(await dataOf(importCsv(csv))).toEqual({ lines: 1, new: 0 });
    const lines = (await dataOf(auditor.get('statement/list', { state: 'all', limit: '100' }))).items;
    const stored = lines.find(({ bookedOn }: { bookedOn: string }) => bookedOn === '2026-01-05');
    expect(stored).toMatchObject({ reference: 'FT[U+202E]17[U+200B]', counterparty: 'An[U+00AD]na' });
  });

  test.each([
    ['date,amount,counterparty\n2026-01-01,5,x', 'Line 1 could not be read: reference'],
    [statement('2026-13-01,5,x,y'), 'Line 2 could not be read: date'],
    [statement('2026-01-31,5,x,y', '2026-02-31,5,x,y'), 'Line 3 could not be read: date'],
    [statement('0000-01-01,5,x,y'), 'Line 2 could not be read: date'],
    [statement('2026-01-01,5,x,y', '2026-01-01,5.0001,x,y'), 'Line 3 could not be read: amount'],
    [statement('2026-01-01,1e3,x,y'), 'Line 2 could not be read: amount'],
    [statement('2026-01-01,0,x,y'), 'Line 2 could not be read: amount'],
    [statement('2026-01-01,5,,y'), 'Line 2 could not be read: reference'],
    [statement('2026-01-01,5,"x,y'), expect.stringContaining('could not be read')],
  ])('an unreadable statement is refused as a whole: %j', async (csv, msg) => {
    const before = await db.owner.query('select count(*) from statement_lines');
    const { body } = await importCsv(csv);
    expect([body.error, body.msg]).toEqual(['STATEMENT_UNREADABLE', msg]);
    expect((await db.owner.query('select count(*) from statement_lines')).rows).toEqual(before.rows);
  });
});

type Preview = OfficeData<'statement/preview'>;
const stated = async (csv: string) => {
  const { items }: Preview = await dataOf(
    cashier.post('statement/preview', { asset: 'USD', file: file(csv) }),
  );
  return items.map(({ line, state }) => `${line} ${state}`);
};
const linesOf = async (state: string): Promise<OfficeData<'statement/list'>['items']> =>
  (await dataOf(auditor.get('statement/list', { state, limit: '100' }))).items;
const lineOf = async (reference: string) =>
  (await linesOf('all')).find((line) => line.reference === reference);

describe('a line of a statement', () => {
  test('that is equal to one of another file is asked, and taken as another payment', async () => {
    const first = statement('2026-02-01,100.00,Q1,Wong');
    const next = statement('2026-02-01,100.00,Q1,Wong', '2026-02-01,80.00,Q2,Chan');
    expect(await dataOf(importCsv(first))).toEqual({ lines: 1, new: 1 });
    expect([await stated(first), await stated(next)]).toEqual([['2 known'], ['2 repeat', '3 new']]);
    expect(await dataOf(importCsv(next))).toEqual({ lines: 2, new: 1 });
    expect(await dataOf(importCsv(next, { take: '2' }))).toEqual({ lines: 2, new: 1 });
    expect(await dataOf(importCsv(next, { take: '2' }))).toEqual({ lines: 2, new: 0 });
    expect(await stated(next)).toEqual(['2 known', '3 known']);
    // Each pays a deposit of its own, so the second has its own name.
    expect([await lineOf('Q1'), await lineOf('Q1 no. 2')]).toMatchObject([
      { amount: '100.00' },
      { amount: '100.00' },
    ]);
  });

  test('is another one by the bank’s own number, and the same one by it', async () => {
    const head = 'date,amount,reference,transaction id';
    const of = (...rows: string[]) => [head, ...rows].join('\n');
    const first = of('2026-02-02,100.00,N1,T0001');
    expect(await dataOf(importCsv(first))).toEqual({ lines: 1, new: 1 });
    const next = of('2026-02-02,100.00,N1,T0001', '2026-02-02,100.00,N1,T0002');
    expect(await stated(next)).toEqual(['2 known', '3 new']);
    expect(await stated(statement('2026-02-02,100.00,N1,'))).toEqual(['2 repeat']);
  });

  test('that is unclear is imported only when staff take it', async () => {
    const csv =
      'date,amount,reference,status\n2026-02-03,5.00,U1,Completed\n2026-02-03,6.00,U2,Z9\n2026-02-03,7.00,U3,Reversed';
    expect(await stated(csv)).toEqual(['3 unclear', '2 new']);
    expect(await dataOf(importCsv(csv))).toEqual({ lines: 1, new: 1 });
    expect(await dataOf(importCsv(csv, { take: '3,4' }))).toEqual({ lines: 2, new: 1 });
    expect(await lineOf('U3')).toBeUndefined();
  });

  test('that is no customer’s payment is explained, by two people above the bound, and is no finding any more', async () => {
    const csv = statement('2026-02-04,3.10,interest E1,Bank', '2026-02-04,-5000.01,to ourselves E2,We');
    await dataOf(importCsv(csv));
    const findings = async () =>
      (await db.owner.query<{ rule: string; detail: string }>('select * from statement_findings()')).rows
        .filter(({ detail }) => / E[12]$/.test(detail))
        .map(({ rule, detail }) => `${rule}: ${detail.replace(/^line:\d+/, 'line')}`);
    expect(await findings()).toEqual([
      'what came in on the statement is credited: line · 2026-02-04 · 3.10 USD · interest E1',
      'what went out on the statement is a paid withdrawal: line · 2026-02-04 · -5000.01 USD · to ourselves E2',
    ]);
    const [small, large] = [await lineOf('interest E1'), await lineOf('to ourselves E2')];
    const explain = (id = '', kind: string, note = 'as the bank says') =>
      cashier.post('statement/explain', { id, kind, note });
    expect(await errorOf(explain(small?.id, 'interest', 'no'))).toBe('FORM_INCOMPLETE');
    expect(await dataOf(explain(small?.id, 'interest'))).toEqual({ status: 'done' });
    expect(await errorOf(explain(small?.id, 'charge'))).toBe('STATEMENT_USED');
    expect(await dataOf(explain(large?.id, 'own_transfer'))).toEqual({ status: 'proposed' });
    expect(await errorOf(explain(large?.id, 'other'))).toBe('STATEMENT_USED');
    expect(await findings()).toHaveLength(1);
    const id = (await lineOf('to ourselves E2'))?.explanations[0]?.id ?? '';
    expect(await errorOf(cashier.post('statement/decide', { id, verdict: 'agree' }))).toBe('ROLE_MISSING');
    expect(await dataOf(approver.post('statement/decide', { id, verdict: 'agree' }))).toEqual({
      status: 'done',
    });
    expect(await findings()).toEqual([]);
    expect((await linesOf('open')).filter(({ reference }) => / E[12]$/.test(reference))).toEqual([]);
    expect((await lineOf('to ourselves E2'))?.explanations[0]).toMatchObject({
      kind: 'own_transfer',
      status: 'done',
      id,
    });
  });

  test('whose explanation is withdrawn, by two people above the bound, is a finding again; its history stays', async () => {
    const csv = statement('2026-02-06,3.20,interest X1,Bank', '2026-02-06,-5000.02,to ourselves X2,We');
    await dataOf(importCsv(csv));
    const isFinding = async (reference: string) =>
      (await db.owner.query('select from statement_findings() where detail like $1', [`%${reference}`]))
        .rowCount;
    const idOf = async (reference: string) => (await lineOf(reference))?.id ?? '';
    const explain = async (reference: string, kind: string) =>
      cashier.post('statement/explain', { id: await idOf(reference), kind, note: `it is ${kind}` });
    const saidOf = async (reference: string) =>
      (await lineOf(reference))?.explanations.map(({ kind, status }) => `${kind} ${status}`);
    const agree = async (reference: string) => {
      const id = (await lineOf(reference))?.explanations[0]?.id ?? '';
      return dataOf(approver.post('statement/decide', { id, verdict: 'agree' }));
    };
    expect(await errorOf(explain('interest X1', 'none'))).toBe('REQUEST_NOT_FOUND');
    await dataOf(explain('interest X1', 'interest'));
    expect(await isFinding('interest X1')).toBe(0);
    expect(await dataOf(explain('interest X1', 'none'))).toEqual({ status: 'done' });
    expect(await errorOf(explain('interest X1', 'none'))).toBe('REQUEST_NOT_FOUND');
    expect(await isFinding('interest X1')).toBe(1);
    expect((await linesOf('open')).map(({ reference }) => reference)).toContain('interest X1');
    await dataOf(explain('interest X1', 'charge'));
    expect(await saidOf('interest X1')).toEqual(['charge done', 'none done', 'interest done']);

    await dataOf(explain('to ourselves X2', 'own_transfer'));
    await agree('to ourselves X2');
    expect(await dataOf(explain('to ourselves X2', 'none'))).toEqual({ status: 'proposed' });
    expect(await isFinding('to ourselves X2')).toBe(0);
    expect(await errorOf(explain('to ourselves X2', 'none'))).toBe('STATEMENT_USED');
    expect(await saidOf('to ourselves X2')).toEqual(['none proposed', 'own_transfer done']);
    await agree('to ourselves X2');
    expect(await isFinding('to ourselves X2')).toBe(1);
    const logged = await db.owner.query<{ said: string }>(
      `select concat_ws(' ', split_part(action, '.', 2), entry::jsonb -> 'facts' ->> 'kind') as said from audit_log
       where action like 'statement.%' order by seq desc limit 7`,
    );
    expect(logged.rows.map(({ said }) => said)).toEqual([
      'done',
      'propose none',
      'done',
      'propose own_transfer',
      'done charge',
      'done none',
      'done interest',
    ]);

    // The import can be undone now: of its lines only what was said of them stays.
    await dataOf(explain('interest X1', 'none'));
    const [{ id }] = (await dataOf(auditor.get('statement/imports', {}))).items;
    expect(await dataOf(cashier.post('statement/undo', { id }))).toEqual({ lines: 2 });
  });

  test('leaves with its whole import, as long as none of it is used', async () => {
    const csv = statement('2026-02-05,8.00,W1,Wong', '2026-02-05,9.00,W2,Wong');
    await dataOf(importCsv(csv));
    const newest = async () => (await dataOf(auditor.get('statement/imports', {}))).items[0];
    const { id, ...made } = await newest();
    expect(made).toMatchObject({ lines: 2, from: '2026-02-05', to: '2026-02-05', undoneBy: null });
    const line = await lineOf('W1');
    await dataOf(
      cashier.post('statement/explain', { id: line?.id ?? '', kind: 'other', note: 'a gift to us' }),
    );
    expect(await errorOf(cashier.post('statement/undo', { id }))).toBe('STATEMENT_USED');
    const other = statement('2026-02-05,8.00,V1,Wong');
    await dataOf(importCsv(other));
    const wrong = await newest();
    expect(await dataOf(cashier.post('statement/undo', { id: wrong.id }))).toEqual({ lines: 1 });
    expect(await errorOf(cashier.post('statement/undo', { id: wrong.id }))).toBe('REQUEST_NOT_FOUND');
    expect([await lineOf('V1'), (await newest()).undoneBy?.id]).toEqual([undefined, cashier.staffId]);
    expect(await dataOf(importCsv(other))).toEqual({ lines: 1, new: 1 });
  });
});

describe('a correction', () => {
  // Proposals of one test do not count towards the next one's day.
  afterEach(() => letADayPass(db));
  const propose = (customerId: string, direction: string, amount: string) =>
    cashier.post('correction/propose', {
      customerId,
      asset: 'USDT',
      direction,
      amount,
      reason: 'Credited by mistake',
    });

  test('a correction needs two people, moves money once, and is shown to its customer', async () => {
    const ann = await register(api.origin);
    const { id } = await dataOf(propose(ann.id, 'up', '12.5'));
    expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 0 });
    expect(await errorOf(cashier.post('correction/approve', { id }))).toBe('ROLE_MISSING');
    expect(await dataOf(approver.post('correction/approve', { id }))).toEqual({ status: 'done' });
    expect(await errorOf(approver.post('correction/approve', { id }))).toBe('REQUEST_CLOSED');
    expect(await moneyOf(db, ann.id)).toEqual({ available: 12.5, held: 0 });
    const down = await dataOf(propose(ann.id, 'down', '2.5'));
    await dataOf(approver.post('correction/approve', { id: down.id }));
    const { items } = await dataOf(get(api.origin, 'fund/log', { asset: 'USDT' }, { token: ann.token }));
    expect(
      items.map(({ type, amount, balance, ref }: Record<string, string>) => [type, amount, balance, ref]),
    ).toEqual([
      ['withdrawal', '-2.500000', '10.000000', `correction:${down.id}`],
      ['deposit', '12.500000', '12.500000', `correction:${id}`],
    ]);
    const inbox = await dataOf(get(api.origin, 'notice/list', {}, { token: ann.token }));
    expect(inbox.items[0].text).toBe('Your balance was corrected by -2.50 USDT: Credited by mistake.');
  });

  test('a correction above 5 000 needs two approvers besides its proposer, as a deposit does', async () => {
    const ann = await register(api.origin);
    const second = await staffOf(db, api.officeOrigin, 'approver');
    const { id } = await dataOf(propose(ann.id, 'up', '5000.01'));
    expect(await dataOf(approver.post('correction/approve', { id }))).toEqual({ status: 'proposed' });
    expect(await dataOf(approver.post('correction/approve', { id }))).toEqual({ status: 'proposed' });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 0, held: 0 });
    expect(await dataOf(second.post('correction/approve', { id }))).toEqual({ status: 'done' });
    expect(await moneyOf(db, ann.id)).toEqual({ available: 5000.01, held: 0 });
  });

  test('an undecided correction can’t be proposed again, however often it is sent', async () => {
    const ann = await register(api.origin);
    const answers = await Promise.all(Array.from({ length: 6 }, () => propose(ann.id, 'up', '3')));
    const made = answers.filter(({ body }) => body.code === 1);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'NOTHING_NEW')).toHaveLength(5);
    // Another amount is another correction; after a decision the same one may be proposed again.
    await dataOf(propose(ann.id, 'down', '3'));
    await dataOf(approver.post('correction/approve', { id: made[0]?.body.data.id }));
    await dataOf(propose(ann.id, 'up', '3'));
  });

  test('a correction can’t be approved by its proposer, exceed the balance, or move practice money', async () => {
    const ann = await register(api.origin);
    const both = await staffOf(db, api.officeOrigin, 'cashier');
    await db.owner.query(
      `insert into staff_roles (staff_id, role, usable_from) values ($1, 'approver', now())`,
      [both.staffId],
    );
    const fields = {
      customerId: ann.id,
      asset: 'USDT',
      direction: 'down',
      amount: '1',
      reason: 'A good reason',
    };
    const { id } = await dataOf(both.post('correction/propose', fields));
    expect(await errorOf(both.post('correction/approve', { id }))).toBe('OWN_EDIT');
    expect(await errorOf(approver.post('correction/approve', { id }))).toBe('BALANCE_SMALLER');
    await dataOf(approver.post('correction/refuse', { id }));
    const refused = async (change: Record<string, string>) =>
      errorOf(cashier.post('correction/propose', { ...fields, ...change }));
    expect(await refused({ asset: 'DEMO' })).toBe('ASSET_NOT_ACCEPTED');
    expect(await refused({ customerId: '1' })).toBe('CUSTOMER_NOT_FOUND');
    expect(await refused({ amount: '-1' })).toBe('INVALID_AMOUNT');
    const [newest] = (await dataOf(auditor.get('correction/list'))).items;
    expect(newest).toMatchObject({ id, amount: '-1.000000', status: 'refused' });
  });

  test('a correction may name its customer’s own credited deposit that was called back, once, and lowers the credit score', async () => {
    const [ann, bob] = [await register(api.origin), await register(api.origin)];
    const deposited = async (who: typeof ann, evidence: string) => {
      const { id } = (await submitDeposit(api.origin, who.token, '75', { channelId: '1' })).body.data;
      await dataOf(cashier.post('deposit/find', { id, amount: '75', evidence }));
      return id as string;
    };
    const of = await deposited(ann, 'called back 1');
    const another = await deposited(bob, 'called back 2');
    const { id: waiting } = (await submitDeposit(api.origin, ann.token, '75', { channelId: '1' })).body.data;
    const takeBack = (change: Record<string, string> = {}) =>
      cashier.post('correction/propose', {
        customerId: ann.id,
        asset: 'USDT',
        direction: 'down',
        amount: '70',
        reason: 'Called back by the bank',
        reversedDepositId: of,
        ...change,
      });
    for (const wrong of [
      { reversedDepositId: another },
      { reversedDepositId: waiting },
      { reversedDepositId: 'x' },
      { direction: 'up' },
      { amount: '75.01' },
      { asset: 'USD' },
    ])
      expect([wrong, await errorOf(takeBack(wrong))]).toEqual([wrong, 'REQUEST_NOT_FOUND']);
    const score = async () =>
      (await dataOf(get(api.origin, 'user/standing', {}, { token: ann.token }))).facts.find(
        ({ name }: { name: string }) => name === 'noReversedDeposit',
      ).points;
    const { id } = await dataOf(takeBack());
    expect(await errorOf(takeBack({ amount: '5' }))).toBe('NOTHING_NEW');
    expect(await score()).toBe(10);
    await dataOf(approver.post('correction/approve', { id }));
    expect(await score()).toBe(0);
    expect(await errorOf(takeBack({ amount: '5' }))).toBe('NOTHING_NEW');
    const [newest] = (await dataOf(auditor.get('correction/list'))).items;
    expect(newest).toMatchObject({ id, reversedDepositId: of, status: 'done' });
  });
});

describe('a channel', () => {
  const terms = {
    asset: 'USDT',
    network: 'TRC20',
    address: 'DEMO-another',
    min: '20',
    max: '100',
    presets: '25,50',
    isEnabled: 'true',
  };

  test('a channel is changed by two people, and requests under the old version keep their terms', async () => {
    const ann = await register(api.origin);
    const { id: before } = (await submitDeposit(api.origin, ann.token, '15')).body.data;
    const { id } = await dataOf(cashier.post('channel/propose', { ...terms, id: '1', fee: '1' }));
    expect(await errorOf(cashier.post('channel/propose', { ...terms, id: '1' }))).toBe('NOTHING_NEW');
    expect((await dataOf(cashier.get('channel/list')))[0]).toMatchObject({ version: 1, min: '10.000000' });
    expect(await errorOf(cashier.post('channel/decide', { id, verdict: 'agree' }))).toBe('ROLE_MISSING');
    expect(await dataOf(approver.post('channel/decide', { id, verdict: 'agree' }))).toEqual({
      status: 'done',
    });
    expect((await dataOf(auditor.get('channel/list')))[0]).toMatchObject({
      version: 2,
      min: '20.000000',
      presets: ['25.000000', '50.000000'],
      fee: '1.000000',
    });
    // A customer who paid under the old version has a day to submit the deposit.
    expect((await submitDeposit(api.origin, ann.token, '15')).body.data.fee).toBe('0.000000');
    expect((await submitDeposit(api.origin, ann.token, '9')).body.error).toBe('DEPOSIT_TOO_SMALL');
    const shown = await dataOf(get(api.origin, 'recharge/detail', { id: before }, { token: ann.token }));
    expect(shown.fee).toBe('0.000000');
    const [change] = (await dataOf(cashier.get('channel/changes'))).items;
    expect(change).toMatchObject({ id, status: 'done', terms: { min: '20.000000', isEnabled: true } });
  });

  test('impossible terms of a channel can’t be proposed', async () => {
    const refused = (change: Record<string, string>) =>
      errorOf(cashier.post('channel/propose', { ...terms, ...change }));
    expect(await refused({ max: '19' })).toBe('INVALID_AMOUNT');
    expect(await refused({ fee: '20' })).toBe('INVALID_AMOUNT');
    expect(await refused({ presets: '25,500' })).toBe('INVALID_AMOUNT');
    expect(await refused({ bank: 'A bank' })).toBe('FORM_INCOMPLETE');
    expect(await refused({ asset: 'DEMO' })).toBe('ASSET_NOT_ACCEPTED');
    expect(await refused({ id: '77' })).toBe('REQUEST_NOT_FOUND');
  });
});

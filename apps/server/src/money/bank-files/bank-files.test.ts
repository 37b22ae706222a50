import { createHash } from 'node:crypto';
import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit, WITHDRAWAL_PASSWORD } from '@fairtick/kit/clients/money-api.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { auditedDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { credit, letADayPass } from '@fairtick/kit/people/money.ts';
import { describe, expect, test } from 'vitest';

/** References of bank transfers, and files of payments for the bank, from the customer's screen to the bank's statement. */
const USD = 3;
const BANK = '3';
const IBAN = 'DE89370400440532013000';
const db = auditedDatabase();
const api = ownOffice(db);
const cashier = ownStaff(db, api, 'cashier');
const other = ownStaff(db, api, 'cashier');
const approver = ownStaff(db, api, 'approver');

const today = () => new Date().toISOString().slice(0, 10);

interface Entry {
  readonly amount: string;
  readonly isIn: boolean;
  readonly isReversal?: boolean;
  readonly endToEnd?: string;
  readonly words?: string;
  readonly creditor?: string;
}
let entries = 0;
/** A statement of the bank. Each entry has a number of its own. */
function camt(...all: readonly Entry[]): string {
  const body = all.map(({ amount, isIn, isReversal, endToEnd, words, creditor }) => {
    entries += 1;
    return `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${isIn ? 'CRDT' : 'DBIT'}</CdtDbtInd>${
      isReversal ? '<RvslInd>true</RvslInd>' : ''
    }<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${today()}</Dt></BookgDt><AcctSvcrRef>B${10000 + entries}</AcctSvcrRef><NtryDtls><TxDtls><Refs>${
      endToEnd ? `<EndToEndId>${endToEnd}</EndToEndId>` : ''
    }</Refs><RmtInf>${words ? `<Ustrd>${words}</Ustrd>` : ''}${
      creditor ? `<Strd><CdtrRefInf><Ref>${creditor}</Ref></CdtrRefInf></Strd>` : ''
    }</RmtInf></TxDtls></NtryDtls></Ntry>`;
  });
  return `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${body.join('')}</Stmt></BkToCstmrStmt></Document>`;
}
const importFile = (text: string) =>
  cashier.post('statement/import', { asset: 'USD', file: Buffer.from(text).toString('base64') });

interface Line {
  readonly id: string;
  readonly amount: string;
  readonly reference: string;
  readonly sign: { readonly sign: string; readonly id: string | null } | null;
}
const openLines = async (): Promise<Line[]> =>
  (await dataOf(cashier.get('statement/list', { state: 'open', limit: '100' }))).items;
const signOf = (lines: readonly Line[], amount: string) => lines.find((line) => line.amount === amount)?.sign;

const bankReference = async ({ token }: Registered): Promise<string> => {
  const channels = await dataOf(get(api.origin, 'recharge/channels', {}, { token }));
  return channels.find(({ id }: { id: string }) => id === BANK).bank.reference;
};

describe('a deposit by bank', () => {
  test('has a creditor reference of its own, which its statement line is matched by and staff confirm', async () => {
    const ann = await register(api.origin);
    const reference = await bankReference(ann);
    // ISO 11649: the letters as numbers, the first four signs last, and the remainder by 97 is 1.
    expect(reference).toMatch(/^RF\d{2}\d{8}$/);
    expect(BigInt(`${reference.slice(4)}2715${reference.slice(2, 4)}`) % 97n).toBe(1n);
    expect(await bankReference(ann)).toBe(reference);
    const { id, reference: own } = (await submitDeposit(api.origin, ann.token, '75', { channelId: BANK }))
      .body.data;
    expect(own).toBe(reference);
    const next = await bankReference(ann);
    expect(next).not.toBe(reference);
    const wrong = reference.slice(0, 4) + (reference.endsWith('1') ? '20000001' : '20000002');
    const unknown = 'RF74 9999 9999';
    const closed = await register(api.origin);
    const closedReference = await bankReference(closed);
    const taken = (await submitDeposit(api.origin, closed.token, '60', { channelId: BANK })).body.data.id;
    await dataOf(post(api.origin, 'recharge/cancel', { id: taken }, { token: closed.token }));
    const grouped = reference
      .replaceAll(/(.{4})/g, '$1 ')
      .trim()
      .toLowerCase();
    await dataOf(
      importFile(
        camt(
          { amount: '75.00', isIn: true, words: 'thank you', creditor: grouped },
          { amount: '75.00', isIn: true, words: `again ${reference}` },
          { amount: '61.00', isIn: true, words: 'no name' },
          { amount: '62.00', isIn: true, words: wrong },
          { amount: '63.00', isIn: true, words: unknown },
          { amount: '64.00', isIn: true, words: next },
          { amount: '60.00', isIn: true, words: closedReference },
        ),
      ),
    );
    const open = await openLines();
    expect(open.filter(({ amount }) => amount === '75.00').map(({ sign }) => sign?.sign)).toEqual([
      'already_matched',
      'match',
    ]);
    expect(['61.00', '62.00', '63.00', '64.00', '60.00'].map((amount) => signOf(open, amount)?.sign)).toEqual(
      ['no_reference', 'unknown_reference', 'unknown_reference', 'not_submitted', 'closed'],
    );
    // Nothing is credited before a cashier confirms it.
    const shown = await dataOf(cashier.get('deposit/detail', { id }));
    expect([shown.status, shown.matches[0].namesDeposit, shown.matches[0].sameAmount]).toEqual([
      'review',
      true,
      true,
    ]);
    const evidence = { id, amount: '75', evidence: shown.matches[0].reference };
    expect(await dataOf(cashier.post('deposit/find', evidence))).toEqual({ status: 'success' });
    const late = (await submitDeposit(api.origin, ann.token, '65', { channelId: BANK })).body.data;
    expect(late.reference).toBe(next);
    expect(signOf(await openLines(), '64.00')).toMatchObject({ sign: 'other_amount', id: late.id });
  });
});

const CARDS = [
  { kind: 'account', country: 'DE', cardNumber: IBAN, bank: 'Deutsche' },
  { kind: 'account', country: 'HK', bankCode: '004', cardNumber: '123456789', bank: 'Müller & <Söhne>' },
  { kind: 'account', country: 'US', bankCode: 'CHASUS33', cardNumber: '000123456789', bank: 'Chase' },
] as const;

/** A verified customer with a bank account that was bound long ago, and money. */
async function payee(place: number): Promise<Registered & { destination: string }> {
  const customer = await register(api.origin);
  const { token, id } = customer;
  await dataOf(post(api.origin, 'user/setPayWord', { payWord: WITHDRAWAL_PASSWORD }, { token }));
  const { country, ...card } = CARDS[place % CARDS.length] as (typeof CARDS)[number];
  const fields = { ...card, country, holder: `Ann "${place}" O'Hara & Sons` };
  await dataOf(post(api.origin, 'user/setBank', fields, { token }));
  await db.owner.query(`update customers set real_status = 'verified' where id = $1`, [id]);
  for (const table of ['withdrawal_passwords', 'bank_cards'])
    await db.owner.query(
      `update ${table} set changed_at = now() - interval '1 year' where customer_id = $1`,
      [id],
    );
  await credit(db, id, 100_000n, USD);
  const { destinations } = await dataOf(get(api.origin, 'withdraw/options', {}, { token }));
  return { ...customer, destination: destinations[0].id };
}

async function approved(
  { token, destination }: { token: string; destination: string },
  amount: string,
  instructions?: string,
): Promise<string> {
  const form = { destinationId: destination, asset: 'USD', amount, payWord: WITHDRAWAL_PASSWORD };
  const { id } = await dataOf(post(api.origin, 'withdraw/submit', form, { token }));
  const { content } = await dataOf(
    cashier.post('withdrawal/propose', { id, ...(instructions && { instructions }) }),
  );
  await dataOf(approver.get('withdrawal/destination', { id }));
  expect(await dataOf(approver.post('withdrawal/approve', { id, content }))).toEqual({ status: 'approved' });
  return id;
}

const detail = (id: string) => dataOf(cashier.get('withdrawal/detail', { id }));
const usdOf = async (id: string) =>
  (
    await db.owner.query(
      'select available, held from ledger.balances where owner_id = $1 and asset_id = $2',
      [id, USD],
    )
  ).rows.map(({ available, held }) => `${available} ${held}`)[0];

describe('a file of payments', () => {
  test('takes what may be paid once, names the rest, and is booked or taken back by the statement', async () => {
    const people = [await payee(0), await payee(1), await payee(2), await payee(3), await payee(4)];
    const [ann, bob, , dan] = people as [
      (typeof people)[number],
      (typeof people)[number],
      never,
      (typeof people)[number],
    ];
    const ids: string[] = [];
    for (const [place, person] of people.entries())
      ids.push(await approved(person, `${100 + place}`, place === 4 ? 'from the second account' : undefined));
    await letADayPass(db);
    await dataOf(
      other.post('restriction/freeze', {
        customerId: dan.id,
        what: 'withdrawals',
        hours: '1',
        reason: 'security',
        note: 'a test of files',
      }),
    );
    expect(await errorOf(approver.post('bankFile/take', { id: BANK }))).toBe('ROLE_MISSING');
    expect(await errorOf(cashier.post('bankFile/take', { id: '1' }))).toBe('CHANNEL_NOT_FOUND');
    const { id, leftOut } = await dataOf(cashier.post('bankFile/take', { id: BANK }));
    expect(leftOut.map((one: { id: string; reason: string }) => [one.id, one.reason])).toEqual([
      [ids[3], 'CUSTOMER_FROZEN'],
      [ids[4], 'PAYOUT_INSTRUCTED'],
    ]);
    const first = await cashier.get('bankFile/file', { id });
    expect(first.headers.get('content-type')).toContain('xml');
    const again = await cashier.get('bankFile/file', { id });
    expect(again.body).toBe(first.body);
    expect(await errorOf(other.get('bankFile/file', { id }))).toBe('REQUEST_NOT_FOUND');
    const [listed] = (await dataOf(approver.get('bankFile/list'))).items;
    expect(listed).toMatchObject({ id, count: 3, sending: 3, paid: 0, isMine: false, asset: 'USD' });
    expect(createHash('sha256').update(first.body).digest('hex')).toBe(listed.sha256);
    const xml: string = first.body;
    expect(xml).toContain(`<NbOfTxs>3</NbOfTxs><CtrlSum>${listed.total}</CtrlSum>`);
    expect(xml).toContain(`<EndToEndId>FT-${id}-${ids[0]}</EndToEndId>`);
    expect(xml).toContain("<Nm>Ann &quot;0&quot; O'Hara &amp; Sons</Nm>");
    expect(xml).toContain('Müller &amp; &lt;Söhne&gt;');
    expect(xml).toContain(`<IBAN>${IBAN}</IBAN>`);
    // The order of the schema (pain.001.001.09).
    expect(
      [...xml.matchAll(/<(\w+)/g)]
        .map(([, name]) => name)
        .slice(0, 44)
        .join(' '),
    ).toBe(
      'Document CstmrCdtTrfInitn GrpHdr MsgId CreDtTm NbOfTxs CtrlSum InitgPty Nm PmtInf PmtInfId PmtMtd BtchBookg NbOfTxs CtrlSum ' +
        'ReqdExctnDt Dt Dbtr Nm DbtrAcct Id Othr Id Ccy DbtrAgt FinInstnId Othr Id ' +
        'CdtTrfTxInf PmtId InstrId EndToEndId Amt InstdAmt Cdtr Nm CdtrAcct Id IBAN RmtInf Ustrd CdtTrfTxInf PmtId InstrId',
    );
    expect(xml).toContain('<MmbId>004</MmbId>');
    expect(xml).toContain('<BICFI>CHASUS33</BICFI>');
    const views = await dataOf(get(api.origin, 'user/dataViews', {}, { token: ann.token }));
    expect(views.items.filter(({ what }: { what: string }) => what === 'bank_card')).toHaveLength(3);
    // A second file has nothing to take.
    expect(await dataOf(other.post('bankFile/take', { id: BANK }))).toMatchObject({ id: null });
    expect(await errorOf(other.post('withdrawal/pay', { id: ids[0] as string, reference: 'x' }))).toBe(
      'PAYOUT_TAKEN',
    );

    const arrives = async (place: number) => (await detail(ids[place] as string)).arrives;
    const endToEnd = (place: number) => `FT-${id}-${ids[place]}`;
    await dataOf(
      importFile(
        camt(
          ...[0, 1, 2].map((place) => ({
            amount: `${95 + place}.00`,
            isIn: false,
            endToEnd: endToEnd(place),
            words: endToEnd(place),
          })),
          { amount: '96.00', isIn: true, isReversal: true, endToEnd: endToEnd(1), words: 'account closed' },
        ),
      ),
    );
    expect(await arrives(0)).toBe('95.00');
    const lines = await openLines();
    expect(signOf(lines, '-95.00')).toMatchObject({ sign: 'paid', id: ids[0] });
    expect(signOf(lines, '96.00')).toMatchObject({ sign: 'returned', id: ids[1] });
    expect(await dataOf(cashier.post('bankFile/book', { id }))).toEqual({ booked: 2, leftOut: [] });
    expect(await Promise.all(ids.map(async (one) => (await detail(one)).status))).toEqual([
      'success',
      'sending',
      'success',
      'approved',
      'approved',
    ]);
    expect(await usdOf(ann.id)).toBe('90000 0');
    // What came back takes two people, as any payment that did not go out.
    const end = { id: ids[1] as string, outcome: 'not_sent', note: 'the bank returned it' };
    await dataOf(cashier.post('withdrawal/proposeEnd', end));
    const proposed = (await detail(ids[1] as string)).end;
    await dataOf(
      approver.post('withdrawal/decideEnd', {
        id: proposed.id,
        content: proposed.content,
        verdict: 'agree',
      }),
    );
    expect(await errorOf(cashier.get('bankFile/file', { id }))).toBe('BANK_FILE_OVER');
    await dataOf(cashier.post('withdrawal/refuse', { id: ids[1] as string, reason: 'payout_returned' }));
    expect(await usdOf(bob.id)).toBe('100000 0');
  });
});

describe('a hostile statement', () => {
  const wrap = (inner: string, before = '') =>
    `<?xml version="1.0"?>${before}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${inner}</Stmt></BkToCstmrStmt></Document>`;
  test.each([
    ['a DTD', wrap('', '<!DOCTYPE Document [<!ENTITY a "b">]>'), 'STATEMENT_FORM'],
    [
      'an entity of a file',
      wrap('&x;', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
      'STATEMENT_FORM',
    ],
    [
      'deep nesting',
      wrap(`<Ntry>${'<A>'.repeat(150_000)}${'</A>'.repeat(100)}</Ntry>`),
      'STATEMENT_UNREADABLE',
    ],
    ['a cut end', wrap('<Ntry>').slice(0, -40), 'STATEMENT_UNREADABLE'],
  ])('with %s is refused with a code', async (_what, text, code) => {
    expect(await errorOf(importFile(text))).toBe(code);
  });
  test('of 50 MB is refused before it is read', async () => {
    const { cookie, origin } = cashier;
    const headers = { 'x-office': '1', cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const body = Buffer.alloc(50_000_000, 'a');
    const answer = await fetch(`${origin}/api/statement/import`, { method: 'POST', headers, body }).catch(
      () => null,
    );
    expect(answer === null ? 'ended' : ((await answer.json()) as { error: string }).error).toMatch(
      /^(ended|BODY_TOO_LARGE)$/,
    );
  });
});

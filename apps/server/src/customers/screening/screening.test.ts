import { register } from '@fairtick/kit/clients/api-client.ts';
import { apiPayee, withdraw } from '@fairtick/kit/clients/money-api.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase, ownClient, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { newPayee, usdt } from '@fairtick/kit/people/money.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadList } from '../../commands/screening-load.ts';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { Destinations } from '../personal-data/destinations.ts';
import { listEntries } from './list-files.ts';
import { NameIndex } from './matching.ts';
import { Screening } from './screening.ts';

/** Names and addresses of sanctions lists: what they hold, and how two people end that. */
const db = auditedDatabase();
const api = ownOffice(db);
const owner = ownClient(db);
const verifier = ownStaff(db, api, 'verification');
const approver = ownStaff(db, api, 'approver');
const cashier = ownStaff(db, api, 'cashier');

const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const SENDER = '0xAbCdef0123456789aBcdef0123456789abcdeF01';
const LIST = [
  'kind,reference,text',
  'name,7,"AL-RASHEED, Mohammed Karim"',
  `address,9,${ADDRESS}`,
  `address,8,${SENDER}`,
].join('\n');

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const screening = forFile(async () => {
  const keys = await KeyRing.load(db.server, encryptionKeyFile(db), { mayMake: true });
  const destinations = new Destinations({ pool: db.server, keys });
  return new Screening({ pool: db.server, keys, destinations }, log);
});

const load = async (csv: string, list = 'sdn') =>
  loadList(owner, { list, hash: Buffer.alloc(32), entries: listEntries(csv) });

interface Hit {
  readonly id: string;
  readonly customerId: string;
  readonly kind: string;
  readonly score: number;
  readonly state: string;
  readonly listed: string;
}
const hitsOf = async (customerId: string): Promise<Hit[]> =>
  (await dataOf(approver.get('screening/list', { limit: '100' }))).items.filter(
    (hit: Hit) => hit.customerId === customerId,
  );

async function decide(id: string, verdict: 'clear' | 'confirm'): Promise<void> {
  const proposed = await dataOf(
    verifier.post('screening/propose', { id, verdict, note: 'compared the documents' }),
  );
  expect(await errorOf(verifier.post('screening/decide', { id: proposed.id, verdict: 'agree' }))).toBe(
    'ROLE_MISSING',
  );
  await dataOf(approver.post('screening/decide', { id: proposed.id, verdict: 'agree' }));
}

beforeAll(() => load(LIST));

describe('a submitted name', () => {
  test('that resembles a listed one is not verified before two people clear it, and stays out of all logs', async () => {
    const ann = await register(api.origin);
    const real = 'Karim Mohamed Al Rashéed';
    expect((await submitReal(api.origin, ann.token, { realName: real })).body.error).toBeUndefined();
    const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [ann.id]);
    const { id } = rows[0];
    await dataOf(verifier.post('identity/claim', { id }));
    await dataOf(verifier.get('identity/detail', { id }));
    for (const side of ['front', 'back']) await verifier.get('identity/document', { id, side });
    const verify = () => verifier.post('identity/decide', { id, verdict: 'verified' });
    await screening.run();
    const [hit] = await hitsOf(ann.id);
    expect(hit).toMatchObject({ kind: 'name', state: 'open', listed: 'AL-RASHEED, Mohammed Karim' });
    expect(hit?.score).toBeGreaterThanOrEqual(60);
    expect(hit?.score).toBeLessThan(100);
    expect(await errorOf(verify())).toBe('SCREENING_OPEN');
    await decide(hit?.id as string, 'clear');
    expect(await hitsOf(ann.id)).toEqual([]);
    expect((await verify()).body.error).toBeUndefined();
    // Another list is loaded, and the cleared match does not return.
    await load('kind,reference,text\nname,1,Nobody At All', 'other');
    await screening.run();
    expect(await hitsOf(ann.id)).toEqual([]);
    const audit = await db.owner.query('select l::text as entry from audit_log l');
    expect(JSON.stringify(audit.rows)).toContain('screening.hit');
    expect(`${JSON.stringify(audit.rows)} ${lines.join('')}`).not.toMatch(/rash|karim|moham/i);
  });
});

describe('a payout', () => {
  test('waits until its customer is compared with each new list, and until two people clear a match', async () => {
    const bob = await apiPayee(api.origin, db, usdt(500));
    await screening.run();
    const [hit] = await hitsOf(bob.id);
    expect(hit).toMatchObject({ kind: 'destination', score: 100, listed: ADDRESS });
    const { id } = (await withdraw(api.origin, bob, '200')).body.data;
    const { content } = await dataOf(cashier.post('withdrawal/propose', { id }));
    await dataOf(approver.get('withdrawal/destination', { id }));
    const approve = () => approver.post('withdrawal/approve', { id, content });
    expect(await errorOf(approve())).toBe('SCREENING_OPEN');
    // The customer reads what any other one reads.
    expect((await withdraw(api.origin, bob, '50')).body.error).toBeUndefined();
    await decide(hit?.id as string, 'confirm');
    expect(await errorOf(approve())).toBe('SCREENING_OPEN');
    expect((await hitsOf(bob.id)).map(({ state }) => state)).toEqual(['confirmed']);
    await decide(hit?.id as string, 'clear');
    expect(await dataOf(approve())).toEqual({ status: 'approved' });
    await load(`kind,reference,text\naddress,77,${ADDRESS}`, 'third');
    const send = () => cashier.post('withdrawal/send', { id, way: 'hand' });
    expect(['SCREENING_DUE', 'SCREENING_OPEN']).toContain(await errorOf(send()));
    await screening.run();
    const [again] = await hitsOf(bob.id);
    expect(await errorOf(send())).toBe('SCREENING_OPEN');
    await decide(again?.id as string, 'clear');
    expect(await dataOf(send())).toEqual({ status: 'sending' });
  });
});

test('a payment on a chain from a listed address is held, and credited once two people clear it', async () => {
  const { id: customer } = await newPayee(db);
  await db.owner.query(
    `with one as (insert into chain_customers (customer_id) values ($1) returning number),
       head as (insert into chain_heads (chain, head, final) values ('evm-1', 1, 1))
     insert into chain_addresses (chain, number, address) select 'evm-1', number, '0xcustomer' from one`,
    [customer],
  );
  const { rows } = await db.owner.query(
    `insert into chain_deposits (chain, txid, contract, address, sender, position, value, asset_id, amount, height, hash, state)
     values ('evm-1', 'tx', '', '0xcustomer', $1, 0, 20000000, 2, 20000000, 1, 'h', 'confirming') returning id`,
    [SENDER.toLowerCase()],
  );
  const [{ id }] = rows;
  const credited = async () => {
    await db.owner.query(`select chain_credit($1, 'TRC20')`, [id]);
    return (await db.owner.query('select state, reason from chain_deposits where id = $1', [id])).rows[0];
  };
  expect(await credited()).toEqual({ state: 'held', reason: 'review' });
  const [hit] = await hitsOf(customer);
  expect(hit).toMatchObject({ kind: 'sender', score: 100, listed: SENDER });
  await decide(hit?.id as string, 'clear');
  expect(await credited()).toEqual({ state: 'credited', reason: null });
});

describe('a list', () => {
  const index = new NameIndex([{ list: 'l', reference: '1', text: 'PUTIN, Vladimir Vladimirovich' }]);
  test('matches other orders and spellings, and not other people', () => {
    const scores = [
      'Vladimir Vladimirovich Putin',
      'Vladimír Putin',
      'Vladimir Vladimirovitch Putine',
      'Ann Smith',
    ].map((name) => index.matches(name)[0]?.score ?? 0);
    expect(scores[0]).toBe(100);
    expect(scores[1]).toBeGreaterThanOrEqual(60);
    expect(scores[2]).toBeGreaterThanOrEqual(60);
    expect(scores[3]).toBe(0);
  });

  test('is read from OFAC’s CSV and XML', () => {
    const csv = `36,"AEROCARIBBEAN AIRLINES",-0- ,"CUBA",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h;"\n\u001a`;
    expect(listEntries(csv)).toEqual([
      { kind: 'name', reference: '36', text: 'AEROCARIBBEAN AIRLINES' },
      { kind: 'address', reference: '36', text: '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h' },
    ]);
    const xml = `<?xml version="1.0"?><sdnList xmlns="x"><sdnEntry><uid>7</uid><firstName>Ann</firstName><lastName>B &amp; C</lastName>
      <akaList><aka><uid>1</uid><lastName>Anna</lastName></aka></akaList><idList><id><uid>2</uid><idType>Digital Currency Address - ETH</idType>
      <idNumber>${SENDER}</idNumber></id></idList></sdnEntry></sdnList>`;
    expect(listEntries(xml).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'name Ann B & C',
      'name Anna',
      `address ${SENDER}`,
    ]);
    expect(() => listEntries('<!DOCTYPE a [<!ENTITY b "c">]><a/>')).toThrow('DTD');
    expect(() => listEntries('kind,reference,text\nname,,x')).toThrow('row 2');
  });
});

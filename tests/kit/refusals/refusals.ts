import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ErrorCode } from '@fairtick/protocol';
import { expect } from 'vitest';
import { type Answer, get, PASSWORD, post, type Registered, register } from '../clients/api-client.ts';
import { apiPayee, manyDeposits, submitDeposit, withdraw } from '../clients/money-api.ts';
import type { TestDatabase } from '../database/database.ts';
import { setMode } from '../installation/house.ts';
import { startApi } from '../installation/running-api.ts';
import type { TradingFloor } from '../installation/trading-floor.ts';
import { ask as call, credit, newProof, takeDepositsAt, USDT, usdt } from '../people/money.ts';
import { photo, submitReal, upload } from '../people/pictures.ts';
import { installStaff } from '../people/staff.ts';
import { codeOf } from '../people/totp.ts';

type Money =
  | Extract<
      ErrorCode,
      `EARNINGS_${string}` | `DEPOSIT_TOO_${string}` | `WITHDRAWAL_${string}` | `REQUEST_${string}`
    >
  | 'CHANNEL_NOT_FOUND'
  | 'EXPORT_TOO_LONG'
  | 'PROOF_REQUIRED'
  | 'TOO_MANY_PENDING'
  | 'NAME_NOT_VERIFIED'
  | 'FACTOR_NEEDED'
  | 'TERMS_CHANGED'
  | 'DESTINATION_NOT_FOUND';

const UNIT = 1_000_000n;

/** A request for every refusal about money in and out. */
export function moneyRefusals(
  house: () => { origin: string; db: TestDatabase },
): Record<Money, () => Promise<Answer>> {
  const payee = () => apiPayee(house().origin, house().db, 100n * UNIT);
  const deposit = async (amount: string, channelId = '1') =>
    submitDeposit(house().origin, (await register(house().origin)).token, amount, { channelId });
  const earner = async () => {
    const { token, id } = await register(house().origin);
    await credit(house().db, id, 100n * UNIT);
    return token;
  };
  const earn = async (path: 'profit/transferIn' | 'profit/transferOut', token: string) => {
    return post(house().origin, path, { asset: 'USDT', amount: '50' }, { token });
  };
  return {
    EARNINGS_NOT_OFFERED: async () => {
      const token = await earner();
      // The sample rates apply in demo mode only, and there is no other rate.
      await setMode(house().db.owner, 'live');
      const answer = await earn('profit/transferIn', token);
      await setMode(house().db.owner, 'demo');
      return answer;
    },
    EARNINGS_SMALLER: async () => earn('profit/transferOut', await earner()),
    EXPORT_TOO_LONG: async () => {
      const { token, id } = await register(house().origin);
      await house().db.owner.query(
        `insert into deposit_requests (customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, proof_id)
         select $1, sha256(i::text::bytea), 1, 1, 2, 10000000, 0, 5000000 + i from generate_series(1, 2000) i`,
        [id],
      );
      return get(house().origin, 'fund/export', { format: 'pdf' }, { token });
    },
    CHANNEL_NOT_FOUND: () => deposit('50', '77'),
    PROOF_REQUIRED: async () => {
      const { token } = await register(house().origin);
      const form = { fields: { channelId: '1', amount: '50' }, files: {} };
      return upload(house().origin, 'recharge/submit', form, { token });
    },
    DEPOSIT_TOO_SMALL: () => deposit('9.99'),
    DEPOSIT_TOO_LARGE: () => deposit('50000.01'),
    TOO_MANY_PENDING: async () => {
      const { token, id } = await register(house().origin);
      await manyDeposits(house().db, id, 20);
      return submitDeposit(house().origin, token, '50', { proof: await photo() });
    },
    REQUEST_NOT_FOUND: async () => {
      const { token } = await register(house().origin);
      return get(house().origin, 'withdraw/detail', { id: '1' }, { token });
    },
    REQUEST_DECIDED: async () => {
      const { token, id } = await register(house().origin);
      await manyDeposits(house().db, id, 1);
      const { rows } = await house().db.owner.query<{ id: string }>(
        `update deposit_requests set status = 'failure', reason = 'not_received', decided_at = now() where customer_id = $1
         returning id`,
        [id],
      );
      return post(house().origin, 'recharge/cancel', { id: rows[0]?.id ?? '' }, { token });
    },
    FACTOR_NEEDED: async () => {
      const ann = await payee();
      const demand = (isOn: boolean) =>
        house().db.owner.query('update house_settings set withdrawals_need_factor = $1', [isOn]);
      await demand(true);
      return withdraw(house().origin, ann, '50').finally(() => demand(false));
    },
    NAME_NOT_VERIFIED: async () => {
      const ann = await payee();
      await house().db.owner.query(`update customers set real_status = 'none' where id = $1`, [ann.id]);
      return withdraw(house().origin, ann, '50');
    },
    DESTINATION_NOT_FOUND: async () => withdraw(house().origin, await payee(), '50', { destinationId: '5' }),
    TERMS_CHANGED: async () => withdraw(house().origin, await payee(), '50', { fee: '0.5' }),
    WITHDRAWAL_TOO_SMALL: async () => withdraw(house().origin, await payee(), '9'),
    WITHDRAWAL_TOO_LARGE: async () => withdraw(house().origin, await payee(), '50000.01'),
  };
}

type Personal =
  | Extract<
      ErrorCode,
      `IMAGE_${string}` | `REAL_${string}` | `PAY_${string}` | `OLD_PAY_${string}` | `CARD_${string}`
    >
  | 'DOCUMENT_EXCLUDED'
  | 'PICTURE_NOT_STORED'
  | 'PICTURES_FULL'
  | 'DOCUMENT_NOT_FOUND'
  | 'REGION_RESTRICTED'
  | 'ADDRESS_INVALID'
  | 'ADDRESS_UNOWNED'
  | 'ADDRESS_OF_HOUSE'
  | 'BANK_ACCOUNT_INVALID'
  | 'TOO_MANY_CARDS';

const CARDS = [
  '4111111111111111',
  '5555555555554444',
  '4012888888881881',
  '378282246310005',
  '6011111111111117',
  '30569309025904',
];
const CARD = { holder: 'A', bank: 'B', branch: 'C' };

/** A request for every refusal about personal data. */
export function personalRefusals(
  house: () => { origin: string; db: TestDatabase },
): Record<Personal, () => Promise<Answer>> {
  let known: Registered | null = null;
  const customer = async () => {
    known ??= await register(house().origin);
    return known;
  };
  const user = async (path: string, fields: Record<string, string>, who?: Registered) =>
    post(house().origin, `user/${path}`, fields, { token: (who ?? (await customer())).token });
  const picture = async (idFront: Uint8Array) =>
    submitReal(house().origin, (await customer()).token, {}, { idFront });
  const bind = (cardNumber: string, who: Registered) => user('setBank', { ...CARD, cardNumber }, who);
  const withWord = async () => {
    const other = await register(house().origin);
    expect((await user('setPayWord', { payWord: '135790' }, other)).body.code).toBe(1);
    return other;
  };
  const guess = (who: Registered) => user('setPayWord', { payWord: '111111', oldPayWord: '000000' }, who);
  return {
    IMAGE_TYPE: () => picture(Buffer.from('BM and no picture of ours')),
    IMAGE_HEIC: async () => {
      const api = await startApi(house().db, { takesHeic: false });
      try {
        const form = { idFront: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1') };
        return await submitReal(api.origin, (await customer()).token, {}, form);
      } finally {
        await api.stop();
      }
    },
    IMAGE_UNREADABLE: () => picture(Buffer.from('ffd8ffe000104a464946', 'hex')),
    IMAGE_TOO_LARGE: () => picture(pngOf(50_000, 50_000)),
    PICTURES_FULL: async () => {
      const { token, id } = await register(house().origin);
      for (let count = 0; count < 4; count += 1) await newProof(house().db, id, 5_242_880);
      return submitReal(house().origin, token);
    },
    PICTURE_NOT_STORED: async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-no-uploads-'));
      // A file in place of the folder: no write below it succeeds.
      writeFileSync(join(dataDir, 'uploads'), '');
      const api = await startApi(house().db, { dataDir });
      try {
        return await submitReal(api.origin, (await register(house().origin)).token);
      } finally {
        await api.stop();
        rmSync(dataDir, { recursive: true });
      }
    },
    DOCUMENT_NOT_FOUND: async () =>
      get(house().origin, 'user/document', { id: '1' }, { token: (await customer()).token }),
    REAL_PENDING: async () => {
      const { token } = await register(house().origin);
      expect((await submitReal(house().origin, token)).body.code).toBe(1);
      return submitReal(house().origin, token);
    },
    REAL_VERIFIED: async () => {
      const { token, id } = await register(house().origin);
      await house().db.owner.query(`update customers set real_status = 'verified' where id = $1`, [id]);
      return submitReal(house().origin, token);
    },
    DOCUMENT_EXCLUDED: async () => {
      const { origin, db } = house();
      const [{ token, id }, again] = [await register(origin), await register(origin)];
      const document = { idNumber: 'EXCLUDED 1' };
      expect((await submitReal(origin, token, document)).body.code).toBe(1);
      await db.owner.query(
        `update verifications set state = 'verified', decided_at = now(), decided_by = $2 where customer_id = $1`,
        [id, await installStaff(db.owner, 'verification')],
      );
      await post(origin, 'protection/selfExclude', { months: '6' }, { token });
      return submitReal(origin, again.token, document);
    },
    REGION_RESTRICTED: async () => {
      const live = await startApi(house().db, { mode: 'live' });
      try {
        const { token } = await register(house().origin);
        return await submitReal(live.origin, token, { idCountry: 'US' });
      } finally {
        await live.stop();
      }
    },
    PAY_WORD_REQUIRED: () => user('setPayWord', { payWord: '' }),
    PAY_WORD_FORMAT: () => user('setPayWord', { payWord: '12345' }),
    PAY_WORDS_DIFFER: () => user('setPayWord', { payWord: '123456', confirmPayWord: '123457' }),
    OLD_PAY_WORD_REQUIRED: async () => user('setPayWord', { payWord: '111111' }, await withWord()),
    PAY_WORD_WRONG: async () => guess(await withWord()),
    PAY_WORD_LOCKED: async () => {
      const who = await withWord();
      for (let guesses = 0; guesses < 5; guesses += 1) await guess(who);
      return guess(who);
    },
    PAY_WORD_NOT_SET: async () => user('resetPayWord', { payWord: '111111', password: PASSWORD }),
    ADDRESS_INVALID: () => user('setAddress', { BTC: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb' }),
    ADDRESS_UNOWNED: () => user('setAddress', { BTC: '1BitcoinEaterAddressDontSendf59kuE' }),
    ADDRESS_OF_HOUSE: async () => {
      const address = '0x2222222222222222222222222222222222222222';
      await takeDepositsAt(house().db, address, true);
      return user('setAddress', { ETH: address });
    },
    BANK_ACCOUNT_INVALID: async () =>
      user('setBank', { ...CARD, kind: 'account', country: 'HK', bankCode: '12', cardNumber: '345678901' }),
    CARD_NUMBER_INVALID: async () => bind('4111111111111112', await customer()),
    CARD_NOT_FOUND: () => user('removeBank', { id: '1' }),
    CARD_BOUND: async () => {
      const who = await register(house().origin);
      await bind(CARDS[0] as string, who);
      return bind(CARDS[0] as string, who);
    },
    TOO_MANY_CARDS: async () => {
      const who = await register(house().origin);
      for (const number of CARDS.slice(0, 5)) expect((await bind(number, who)).body.code).toBe(1);
      return bind(CARDS[5] as string, who);
    },
  };
}

/** The head of a PNG with this size, without any pixels. */
export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000802000000', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(head.subarray(12)), 0);
  return Buffer.concat([head, check, Buffer.from('0000000049444154', 'hex'), Buffer.alloc(64)]);
}

type Protecting =
  | Extract<ErrorCode, `ALERT_${string}`>
  | 'ON_BREAK'
  | 'STAKE_LIMIT'
  | 'LOSS_LIMIT'
  | 'SELF_EXCLUDED'
  | 'DEPOSIT_LIMIT'
  | 'BREAK_LASTS_LONGER'
  | 'LOGIN_FROZEN'
  | 'ORDERS_FROZEN'
  | 'WITHDRAWALS_FROZEN'
  | 'DEPOSIT_NOT_FINAL'
  | 'COUNTRY_REQUIRED'
  | 'RISK_NOT_ACCEPTED'
  | 'TOO_MANY_ALERTS';

/** A request for every refusal about customer protection and price alerts; EUR/USD is at 1.08400. */
export function protectionRefusals(floor: () => TradingFloor): Record<Protecting, () => Promise<Answer>> {
  const ask = (path: string, fields: Record<string, string>, { token }: Registered) =>
    post(floor().origin, path, fields, { token });
  const customer = () => register(floor().origin);
  const alert = (price: string, who: Registered) => ask('alert/add', { symbol: 'EUR/USD', price }, who);
  const signUp = async (fields: Record<string, string>) => {
    const live = await startApi(floor().house.db, { mode: 'live' });
    const form = { account: 'live_person', password: PASSWORD, confirmPassword: PASSWORD };
    try {
      return await post(live.origin, 'user/register', { ...form, ...fields });
    } finally {
      await live.stop();
    }
  };
  const frozen = async <Who extends { id: string }>(what: string, who: Who): Promise<Who> => {
    const { db } = floor().house;
    const support = await installStaff(db.owner, 'support');
    expect(await call(db, 'freeze_start', [support, who.id, what, 24, 'review', 'a good reason'])).toBe('');
    return who;
  };
  const limitedOrder = async (kind: string) => {
    const who = await customer();
    await ask('protection/setLimit', { asset: 'DEMO', kind, per: 'day', amount: '150' }, who);
    await floor().order(who.token);
    return floor().order(who.token);
  };
  return {
    ON_BREAK: async () => {
      const who = await customer();
      await ask('protection/takeBreak', { hours: '24' }, who);
      return submitDeposit(floor().origin, who.token, '50');
    },
    SELF_EXCLUDED: async () => {
      const who = await customer();
      await ask('protection/selfExclude', { months: 'forever' }, who);
      return submitDeposit(floor().origin, who.token, '50');
    },
    LOGIN_FROZEN: async () => {
      const { account } = await frozen('login', await customer());
      return post(floor().origin, 'user/login', { account, password: PASSWORD });
    },
    ORDERS_FROZEN: async () => floor().order((await frozen('orders', await customer())).token),
    WITHDRAWALS_FROZEN: async () => {
      const { db } = floor().house;
      return withdraw(
        floor().origin,
        await frozen('withdrawals', await apiPayee(floor().origin, db, usdt(50))),
        '20',
      );
    },
    DEPOSIT_NOT_FINAL: async () => {
      const { db } = floor().house;
      const who = await apiPayee(floor().origin, db);
      const payment = { txid: 'tx', contract: '', address: `of ${who.id}`, position: 0, value: '50000000' };
      const worth = { asset_id: USDT, amount: 50_000_000, height: 2, hash: 'b' };
      await db.owner.query(
        `insert into chain_customers (number, customer_id) overriding system value values (1, ${who.id});
         insert into chain_addresses (chain, number, address) values ('ethereum', 1, 'of ${who.id}');
         select chain_begin('ethereum', 1, 'a');
         select chain_read('ethereum', 1, 'a', 2, 'b', 'ERC20', '${JSON.stringify([{ ...payment, ...worth }])}');
         select chain_credit(id, 'ERC20') from chain_deposits`,
      );
      return withdraw(floor().origin, who, '20');
    },
    DEPOSIT_LIMIT: async () => {
      const who = await customer();
      await ask('protection/setLimit', { asset: 'USDT', kind: 'deposit', per: 'week', amount: '49.5' }, who);
      return submitDeposit(floor().origin, who.token, '50');
    },
    STAKE_LIMIT: () => limitedOrder('stake'),
    LOSS_LIMIT: () => limitedOrder('loss'),
    BREAK_LASTS_LONGER: async () => {
      const who = await customer();
      await ask('protection/selfExclude', { months: '6' }, who);
      return ask('protection/takeBreak', { hours: '24' }, who);
    },
    COUNTRY_REQUIRED: () => signUp({ acceptRisk: 'true' }),
    RISK_NOT_ACCEPTED: () => signUp({ country: 'CH' }),
    ALERT_PRICE: async () => alert('1.0850001', await customer()),
    ALERT_REACHED: async () => alert('1.08400', await customer()),
    ALERT_NOT_FOUND: async () => ask('alert/remove', { id: '1' }, await customer()),
    TOO_MANY_ALERTS: async () => {
      const who = await customer();
      for (let place = 0; place < 20; place += 1) await alert(`1.2${String(place).padStart(2, '0')}`, who);
      return alert('1.3', who);
    },
  };
}

type Security =
  | Extract<ErrorCode, `OTP_${string}` | `CLOCK_${string}` | `FACTOR_NOT_${string}` | `${string}FACTORS`>
  | 'CALL_OPEN'
  | 'ACCOUNT_CLOSED'
  | 'ACCOUNT_DIFFERS'
  | 'ACCOUNT_NOT_EMPTY'
  | 'ACCOUNT_UNDER_REVIEW'
  | 'EXPORT_TOO_OFTEN'
  | 'CLAIM_NOT_FOUND'
  | 'TAKE_BACK_FAILED';

/** A request for every refusal about second factors, exports and closing an account. */
export function securityRefusals(
  house: () => { origin: string; db: TestDatabase },
): Record<Security, () => Promise<Answer>> {
  const user = (who: Registered, path: string, fields: Record<string, string> = {}) =>
    post(house().origin, `user/${path}`, fields, { token: who.token });
  const fresh = () => register(house().origin);
  const withFactor = async () => {
    const who = await fresh();
    const { id, secret } = (await user(who, 'beginTotp')).body.data;
    expect((await user(who, 'confirmTotp', { id, otp: await codeOf(secret) })).body.code).toBe(1);
    return { ...who, secret };
  };
  const close = (who: Registered) => user(who, 'closeAccount', { account: who.account });
  return {
    OTP_REQUIRED: async () => {
      const { account } = await withFactor();
      return post(house().origin, 'user/login', { account, password: PASSWORD });
    },
    OTP_WRONG: async () => {
      const { account } = await withFactor();
      return post(house().origin, 'user/login', { account, password: PASSWORD, otp: 'AAAA-AAAA-AAAA-AAAA' });
    },
    OTP_USED: async () => {
      const { account, secret } = await withFactor();
      return post(house().origin, 'user/login', { account, password: PASSWORD, otp: await codeOf(secret) });
    },
    CLOCK_BEHIND: async () => {
      const { account, secret } = await withFactor();
      const otp = await codeOf(secret, -6);
      return post(house().origin, 'user/login', { account, password: PASSWORD, otp });
    },
    CLOCK_AHEAD: async () => {
      const { account, secret } = await withFactor();
      const otp = await codeOf(secret, 6);
      return post(house().origin, 'user/login', { account, password: PASSWORD, otp });
    },
    CALL_OPEN: async () => {
      const { account } = await fresh();
      const call = () => post(house().origin, 'user/recoverRequest', { account, contact: 'x', text: 'y' });
      await call();
      return call();
    },
    OTP_FORMAT: () =>
      post(house().origin, 'user/login', { account: 'nobody_has_it', password: PASSWORD, otp: '12345' }),
    TAKE_BACK_FAILED: async () => {
      const { account } = await fresh();
      const form = {
        account,
        oldPassword: PASSWORD,
        otp: '123456',
        contact: 'me@mail.example',
        text: 'Help',
      };
      return post(house().origin, 'user/takeBack', form);
    },
    CLAIM_NOT_FOUND: async () => user(await fresh(), 'objectToClaim'),
    FACTOR_NOT_FOUND: async () => user(await fresh(), 'removeFactor', { id: '1' }),
    TOO_MANY_FACTORS: async () => {
      const who = await withFactor();
      await house().db.owner.query(
        `insert into customer_second_factors (customer_id, kind, label, sealed_secret)
         select $1, 'totp', 'TOTP', 'x' from generate_series(1, 10)`,
        [who.id],
      );
      return user(who, 'beginPasskey');
    },
    ACCOUNT_DIFFERS: async () => user(await fresh(), 'closeAccount', { account: 'somebody_else' }),
    ACCOUNT_CLOSED: async () => {
      const who = await fresh();
      expect((await close(who)).body.code).toBe(1);
      return post(house().origin, 'user/login', { account: who.account, password: PASSWORD });
    },
    ACCOUNT_NOT_EMPTY: async () => {
      const who = await fresh();
      await house().db.owner.query(
        `update ledger.balances set held = 1, available = available - 1 where owner_id = $1 and available > 0`,
        [who.id],
      );
      return close(who);
    },
    ACCOUNT_UNDER_REVIEW: async () => {
      const who = await fresh();
      await house().db.owner.query(`update customers set real_status = 'pending' where id = $1`, [who.id]);
      return close(who);
    },
    EXPORT_TOO_OFTEN: async () => {
      const who = await fresh();
      await house().db.owner.query(
        'insert into data_exports (customer_id) select $1 from generate_series(1, 5)',
        [who.id],
      );
      return get(house().origin, 'user/exportData', {}, { token: who.token });
    },
  };
}

import { crc32 } from 'node:zlib';
import type { ErrorCode } from '@fairtick/protocol';
import { expect } from 'vitest';
import { type Answer, get, PASSWORD, post, type Registered, register } from '../clients/api-client.ts';
import type { TestDatabase } from '../database/database.ts';
import { startApi } from '../installation/running-api.ts';
import { submitReal } from '../people/pictures.ts';

type Personal =
  | Extract<ErrorCode, `IMAGE_${string}` | `REAL_${string}` | `${string}PAY_WORD${string}` | `CARD_${string}`>
  | 'DOCUMENT_NOT_FOUND'
  | 'REGION_RESTRICTED'
  | 'ADDRESS_INVALID'
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
    IMAGE_TYPE: () => picture(Buffer.from('GIF89a and no picture of ours')),
    IMAGE_UNREADABLE: () => picture(Buffer.from('ffd8ffe000104a464946', 'hex')),
    IMAGE_TOO_LARGE: () => picture(pngOf(50_000, 50_000)),
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

/** The head of a PNG that says how large it is, and nothing behind it. */
export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000802000000', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(head.subarray(12)), 0);
  return Buffer.concat([head, check, Buffer.from('0000000049444154', 'hex'), Buffer.alloc(64)]);
}

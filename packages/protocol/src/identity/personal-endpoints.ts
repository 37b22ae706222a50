import * as z from 'zod';
import * as answers from '../answers.ts';
import { type Endpoint, get, nothing, picture, post, upload } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { SELDOM } from '../limit.ts';

/** A customer's personal data: the real name, withdrawal destinations, and the withdrawal password. */

const newPayWord = {
  payWord: fields.payWord('PAY_WORD_REQUIRED', 'PAY_WORD_FORMAT', 'Six digits.'),
  confirmPayWord: fields
    .payWord('PAY_WORD_REQUIRED', 'PAY_WORDS_DIFFER', 'The same once more; what is given must match.')
    .optional(),
};

const confirmedPayWord = <E extends { input: z.ZodType }>(endpoint: E): E => ({
  ...endpoint,
  input: endpoint.input.refine(
    (value) => {
      const { payWord, confirmPayWord } = value as { payWord: string; confirmPayWord?: string };
      return confirmPayWord === undefined || confirmPayWord === payWord;
    },
    { error: 'PAY_WORDS_DIFFER', path: ['confirmPayWord'] },
  ),
});

const card = { id: fields.idOf('CARD_NOT_FOUND') };

export const personalEndpoints = {
  submitReal: upload(
    'user/submitReal',
    'session',
    {
      fields: {
        realName: fields.personName({ description: 'As on the document.', example: '张三' }),
        idCountry: fields.country.meta({
          description: 'ISO 3166 code of the country that issued it.',
          example: 'SG',
        }),
        idType: fields.line(40, { description: 'Kind of document.', example: 'passport' }),
        idNumber: fields.documentNumber({ description: 'Its number.', example: 'E12345678' }),
        idAddress: fields.line(300, { description: 'The address on it.', example: '1 Raffles Place' }),
        currentAddress: fields.line(300, {
          description: 'Where the customer lives.',
          example: '1 Raffles Place',
        }),
      },
      pictures: {
        idFront: fields.picture('FORM_INCOMPLETE', 'The front of the document.'),
        idBack: fields
          .picture('FORM_INCOMPLETE', 'Its back; not needed when `idType` is `passport`.')
          .optional(),
      },
    },
    z.object({ realStatus: answers.realInfo.shape.realStatus }),
    {
      limit: SELDOM,
      summary: 'Submits the real name for review; again after it failed',
      errors: ['REAL_PENDING', 'REAL_VERIFIED', 'REGION_RESTRICTED', 'DOCUMENT_EXCLUDED'],
    },
  ),
  realInfo: get('user/realInfo', 'session', {}, answers.realInfo, {
    summary: 'Where the verification stands, why it failed, and the documents submitted last',
  }),
  document: picture(
    'user/document',
    'session',
    { id: fields.id },
    {
      summary:
        'A small picture of one’s own document: what was sent can be told from it, nothing on it can be read',
      errors: ['DOCUMENT_NOT_FOUND'],
    },
  ),
  setPayWord: confirmedPayWord(
    post(
      'user/setPayWord',
      'proved',
      {
        ...newPayWord,
        oldPayWord: fields
          .payWord('OLD_PAY_WORD_REQUIRED', 'PAY_WORD_FORMAT', 'The present one, where one is set.')
          .optional(),
      },
      nothing,
      {
        limit: SELDOM,
        summary: 'Sets the withdrawal password; five wrong tries lock it for 24 hours',
        errors: ['PAY_WORD_WRONG', 'PAY_WORD_LOCKED'],
      },
    ),
  ),
  resetPayWord: confirmedPayWord(
    post(
      'user/resetPayWord',
      'proved',
      { ...newPayWord, password: fields.knownPassword('LOGIN_FAILED') },
      nothing,
      {
        limit: { ...SELDOM, guesses: ['session'] },
        summary:
          'Sets the withdrawal password when it was forgotten, by the account’s password; withdrawals are held as after any change',
        errors: ['PAY_WORD_NOT_SET'],
      },
    ),
  ),
  setAddress: post(
    'user/setAddress',
    'proved',
    {
      USDT: fields.address('On Tron (TRC20) or Ethereum (ERC20).', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'),
      BTC: fields.address('On Bitcoin.', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'),
      ETH: fields.address('On Ethereum.', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    },
    nothing,
    {
      limit: SELDOM,
      summary: 'Binds, changes or removes the addresses for withdrawals',
      errors: ['ADDRESS_UNOWNED', 'ADDRESS_OF_HOUSE'],
    },
  ),
  setBank: post(
    'user/setBank',
    'proved',
    {
      id: card.id.optional().meta({ description: 'The card or account to change; absent: a new one.' }),
      kind: fields
        .choice(['card', 'account'])
        .optional()
        .meta({ description: 'Absent: a card.', example: 'card' }),
      country: fields.country.meta({
        description: 'Of an account: ISO 3166 code of its country.',
        example: 'HK',
      }),
      bankCode: fields
        .line(20, { description: 'Of an account without an IBAN: its bank’s code.', example: '012' })
        .optional(),
      holder: fields.personName({ description: 'Name of the account holder.', example: '张三' }),
      bank: fields.line(100, { description: 'Name of the bank.', example: '中国银行' }),
      branch: fields
        .line(100, { description: 'Its branch; an account may go without.', example: '上海分行' })
        .optional(),
      cardNumber: fields.accountNumber,
      checked: fields.flag.optional().meta({
        description:
          'The customer compared a number whose last digit is no check digit; not all cards have one.',
        example: 'true',
      }),
    },
    z.object({ id: z.string() }),
    {
      limit: SELDOM,
      summary: 'Binds a bank card or a bank account, or changes one',
      errors: ['BANK_ACCOUNT_INVALID', 'CARD_BOUND', 'TOO_MANY_CARDS'],
    },
  ),
  removeBank: post('user/removeBank', 'proved', card, nothing, {
    limit: SELDOM,
    summary: 'Removes a bank card or a bank account',
  }),
  standing: get('user/standing', 'session', {}, answers.standing, {
    summary: 'The credit score with the facts that it is made of, and the level; nobody can edit either',
  }),
  dataViews: get('user/dataViews', 'session', fields.paged, answers.page(answers.dataView), {
    summary: 'Who of the staff looked at what of one’s personal data',
  }),
} satisfies Record<string, Endpoint>;

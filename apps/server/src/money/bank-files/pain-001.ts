import { isIban } from '@fairtick/protocol/bank-accounts';
import type { BankCard } from '../../platform/sealing/records.ts';
import { type XmlNode, xmlDocument } from './xml.ts';

export interface BankFile {
  readonly id: string;
  /** Unix ms. */
  readonly madeAt: number;
  readonly currency: string;
  /** The sum of the amounts, a decimal string. */
  readonly total: string;
  readonly payer: { readonly holder: string; readonly accountNumber: string };
  readonly payments: readonly BankPayment[];
}

export interface BankPayment {
  readonly withdrawalId: string;
  readonly endToEnd: string;
  /** A decimal string. */
  readonly amount: string;
  readonly card: BankCard;
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';
/** The longest name, ISO 20022 Max140Text. */
const MAX_NAME = 140;
const BIC = /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/** Writes a file of credit transfers (pain.001.001.09). Equal values give equal bytes. */
export function painFile(file: BankFile): Buffer {
  const { payer, payments, currency } = file;
  const made = new Date(file.madeAt).toISOString();
  const name: XmlNode = ['Nm', nameText(payer.holder)];
  const sums: XmlNode[] = [
    ['NbOfTxs', String(payments.length)],
    ['CtrlSum', file.total],
  ];
  const message = `FT-${file.id}-${made.slice(0, 19).replaceAll(/[-:]/g, '')}`;
  return xmlDocument([
    'Document',
    [
      [
        'CstmrCdtTrfInitn',
        [
          [
            'GrpHdr',
            [['MsgId', message], ['CreDtTm', `${made.slice(0, 19)}Z`], ...sums, ['InitgPty', [name]]],
          ],
          [
            'PmtInf',
            [
              ['PmtInfId', message],
              ['PmtMtd', 'TRF'],
              // Each payment is an entry of its own on the statement.
              ['BtchBookg', 'false'],
              ...sums,
              ['ReqdExctnDt', [['Dt', made.slice(0, 10)]]],
              ['Dbtr', [name]],
              ['DbtrAcct', [accountId(payer.accountNumber.replaceAll(' ', '')), ['Ccy', currency]]],
              ['DbtrAgt', [['FinInstnId', [['Othr', [['Id', 'NOTPROVIDED']]]]]]],
              ...payments.map((payment) => transfer(payment, currency)),
            ],
          ],
        ],
      ],
    ],
    { xmlns: NAMESPACE },
  ]);
}

function transfer({ withdrawalId, endToEnd, amount, card }: BankPayment, currency: string): XmlNode {
  return [
    'CdtTrfTxInf',
    [
      [
        'PmtId',
        [
          ['InstrId', withdrawalId],
          ['EndToEndId', endToEnd],
        ],
      ],
      ['Amt', [['InstdAmt', amount, { Ccy: currency }]]],
      creditorAgent(card),
      ['Cdtr', [['Nm', nameText(card.holder)]]],
      ['CdtrAcct', [accountId(card.cardNumber)]],
      ['RmtInf', [['Ustrd', endToEnd]]],
    ],
  ];
}

/** An IBAN names its bank. The European profile takes no other name beside a BIC. */
function creditorAgent({ bank, bankCode, cardNumber }: BankCard): XmlNode | null {
  if (bankCode === undefined && isIban(cardNumber)) return null;
  if (bankCode !== undefined && BIC.test(bankCode))
    return ['CdtrAgt', [['FinInstnId', [['BICFI', bankCode]]]]];
  const code: XmlNode | null = bankCode === undefined ? null : ['ClrSysMmbId', [['MmbId', bankCode]]];
  return ['CdtrAgt', [['FinInstnId', [code, ['Nm', nameText(bank)]]]]];
}

const accountId = (number: string): XmlNode => [
  'Id',
  [isIban(number) ? ['IBAN', number] : ['Othr', [['Id', number.slice(0, 34)]]]],
];

const nameText = (text: string): string => [...text].slice(0, MAX_NAME).join('');

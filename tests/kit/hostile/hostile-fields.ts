import type { ApiDocument, Call } from '../clients/api.ts';
import { SMALLEST_PICTURE } from './request-generator.ts';

export const ORDER = { direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
export const form = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

/** Fields of forms that hold no money. A field that is in neither list is met by nobody, and fails the test. */
const NO_MONEY = new Set(
  'account password confirmPassword oldPassword country acceptRisk otp recoveryCode contact text nickname language symbols symbol direction minutes asset notAfter seenSize seenRoot lang realName idCountry idType idNumber idAddress currentAddress idFront idBack payWord confirmPayWord oldPayWord USDT BTC ETH holder bank branch cardNumber id ids side channelId proof destinationId passkey label kind per hours months image place as note'.split(
    ' ',
  ),
);
/** A request that would be done if its amount were one, for each operation that takes money. */
export const basesOf = (symbol: string): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  'order/create': { ...ORDER, symbol },
  'recharge/submit': { channelId: '1' },
  'withdraw/submit': { destinationId: '1000', asset: 'USDT', amount: '20', payWord: '135790' },
  'protection/setLimit': { asset: 'DEMO', kind: 'stake', per: 'day' },
  'alert/add': { symbol },
  'profit/transferIn': { asset: 'USDT' },
  'profit/transferOut': { asset: 'USDT' },
});

/** The same fields in each form of body that the operation takes. */
export function bodiesOf(path: string, fields: Readonly<Record<string, string>>): Call[] {
  if (path !== 'recharge/submit') {
    const json = JSON.stringify(fields);
    return [
      { type: 'application/x-www-form-urlencoded', body: form({ lang: 'en', ...fields }) },
      { type: 'application/json', body: json },
    ];
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('proof', new Blob([new Uint8Array(SMALLEST_PICTURE)]), 'proof.png');
  return [{ body }];
}

export interface MoneyField {
  readonly path: string;
  readonly field: string;
  readonly isOptional: boolean;
}

/** Every field of every form that holds money, as the document has them. */
export function moneyFieldsOf(document: ApiDocument): MoneyField[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    const fields = document.components.schemas[`${methods.post?.operationId}Form`] as
      | { properties: Record<string, object>; required?: string[] }
      | undefined;
    return Object.keys(fields?.properties ?? {})
      .filter((field) => !NO_MONEY.has(field))
      .map((field) => ({
        path: path.replace('/api/', ''),
        field,
        isOptional: !fields?.required?.includes(field),
      }));
  });
}

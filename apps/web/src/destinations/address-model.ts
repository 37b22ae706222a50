import { readAddress, type TypedAddress } from '@fairtick/protocol/addresses';
import type { MessageId } from '../messages/text.ts';
import type { Fault, Faults } from '../parts/use-form.ts';
import { ASSETS, type CryptoAsset } from './crypto-assets.ts';

/** The addresses for withdrawals, all optional: an absent one keeps the bound address, an empty one removes it. */
export type AddressForm = Readonly<Record<CryptoAsset, string>>;
export type Bound = Readonly<Record<CryptoAsset, string | null>>;

export const formOf = (bound: Bound): AddressForm => ({
  USDT: bound.USDT ?? '',
  BTC: bound.BTC ?? '',
  ETH: bound.ETH ?? '',
});

export function errors(form: AddressForm, bound: Bound): Faults<CryptoAsset, MessageId | Fault> {
  const faults: Faults<CryptoAsset, MessageId | Fault> = {};
  for (const asset of ASSETS) {
    // A bound address was checked when it was bound.
    const read = readTyped(form, asset);
    if (read && 'fault' in read && form[asset] !== bound[asset]) faults[asset] = faultOf(read, asset);
  }
  return faults;
}

type ReadFault = Extract<TypedAddress, { fault: string }>;
function faultOf(read: ReadFault, asset: CryptoAsset): MessageId | Fault {
  if (read.fault === 'network') return { id: `address.other${asset}`, values: { name: read.name } };
  return read.fault === 'wrong' ? `address.wrong${asset}` : `address.${read.fault}`;
}

/** Null: the field is empty. */
const readTyped = (form: AddressForm, asset: CryptoAsset): TypedAddress | null =>
  form[asset].trim() === '' ? null : readAddress(asset, form[asset]);

type Change = 'none' | 'set' | 'change' | 'remove';

/**
 * Compares the form with the bound addresses.
 * @returns `startsHold`: the change starts a hold of withdrawals, as each change but a removal does; `fields`: the changed addresses,
 * to be sent; `understood`: the valid addresses in their form with a checksum, for the customer to compare
 */
export function summarise(form: AddressForm, bound: Bound) {
  const each = <T>(of: (asset: CryptoAsset) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, of(asset)])) as Record<CryptoAsset, T>;
  const understood = each((asset) => {
    const read = readTyped(form, asset);
    return read && 'address' in read ? read : null;
  });
  const values = each((asset) => understood[asset]?.address ?? form[asset].trim());
  const changes = each((asset) => changeOf(values[asset], bound[asset]));
  const changed = ASSETS.filter((asset) => changes[asset] !== 'none');
  return {
    changes,
    hasChanges: changed.length > 0,
    startsHold: changed.some((asset) => changes[asset] !== 'remove'),
    fields: Object.fromEntries(changed.map((asset) => [asset, values[asset]])) as Partial<AddressForm>,
    understood,
  };
}

function changeOf(typed: string, bound: string | null): Change {
  if (typed === (bound ?? '')) return 'none';
  if (bound === null) return 'set';
  return typed === '' ? 'remove' : 'change';
}

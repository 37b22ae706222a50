import { type Network, networkOf } from '@fairtick/protocol/addresses';
import type { MessageId } from '../messages/text.ts';
import type { Faults } from '../shell/use-form.ts';
import { ASSETS, type CryptoAsset } from './assets.ts';

/** The addresses for withdrawals, all optional: an absent one keeps the bound address, an empty one removes it. */
export type AddressForm = Readonly<Record<CryptoAsset, string>>;
/** The bound addresses, as in the user info. */
export type Bound = Readonly<Record<CryptoAsset, string | null>>;

export interface AddressAction {
  readonly type: 'text';
  readonly asset: CryptoAsset;
  readonly value: string;
}

export const formOf = (bound: Bound): AddressForm => ({
  USDT: bound.USDT ?? '',
  BTC: bound.BTC ?? '',
  ETH: bound.ETH ?? '',
});

/** Removes spaces and line breaks, which come from pasting a grouped or wrapped address. */
export function reduce(form: AddressForm, { asset, value }: AddressAction): AddressForm {
  return { ...form, [asset]: value.replaceAll(/\s/g, '').slice(0, 120) };
}

const WRONG: Readonly<Record<CryptoAsset, MessageId>> = {
  USDT: 'address.wrongUSDT',
  BTC: 'address.wrongBTC',
  ETH: 'address.wrongETH',
};

export function errors(form: AddressForm, bound: Bound): Faults<CryptoAsset> {
  const faults: Faults<CryptoAsset> = {};
  for (const asset of ASSETS) {
    // A bound address was checked when it was bound.
    const isNew = form[asset] !== '' && form[asset] !== bound[asset];
    if (isNew && networkOf(asset, form[asset]) === null) faults[asset] = WRONG[asset];
  }
  return faults;
}

export type Change = 'none' | 'set' | 'change' | 'remove';

export interface AddressSummary {
  readonly changes: Readonly<Record<CryptoAsset, Change>>;
  readonly hasChanges: boolean;
  /** Whether a change starts a hold of withdrawals; removing an address starts none. */
  readonly startsHold: boolean;
  /** Only changed addresses are sent. */
  readonly fields: Readonly<Partial<Record<CryptoAsset, string>>>;
  readonly networks: Readonly<Record<CryptoAsset, Network | null>>;
}

export function summarise(form: AddressForm, bound: Bound): AddressSummary {
  const each = <T>(of: (asset: CryptoAsset) => T) =>
    Object.fromEntries(ASSETS.map((asset) => [asset, of(asset)])) as Record<CryptoAsset, T>;
  const changes = each((asset) => changeOf(form[asset], bound[asset]));
  const changed = ASSETS.filter((asset) => changes[asset] !== 'none');
  return {
    changes,
    hasChanges: changed.length > 0,
    startsHold: changed.some((asset) => changes[asset] !== 'remove'),
    fields: Object.fromEntries(changed.map((asset) => [asset, form[asset]])),
    networks: each((asset) => (form[asset] === '' ? null : networkOf(asset, form[asset]))),
  };
}

function changeOf(typed: string, bound: string | null): Change {
  if (typed === (bound ?? '')) return 'none';
  if (bound === null) return 'set';
  return typed === '' ? 'remove' : 'change';
}

import { parseAmount, parseDecimal } from '@fairtick/money';
import type { OfficeInput } from '@fairtick/protocol/office';
import { readAmount } from '../../platform/amounts.ts';
import type { Asset } from '../../platform/assets.ts';
import { refusalOf } from '../../platform/http/context.ts';

const MAX_PRESETS = 8;

/**
 * A proposed channel as a row of `deposit_channels`, its amounts in smallest units as text. Terms that the table would refuse are
 * refused here, with the wrong field, so that no invalid proposal waits for approval.
 */
export function termsOf(
  input: OfficeInput<'channel/propose'>,
  asset: Asset,
): Readonly<Record<string, unknown>> {
  const { bank, branch, holder, accountNumber } = input;
  const isBank = input.address === undefined;
  const details = { bank, branch, holder, accountNumber };
  const given = Object.values(details).filter((value) => value !== undefined).length;
  if (isBank ? given < 4 : given > 0)
    throw refusalOf('FORM_INCOMPLETE', isBank ? 'accountNumber' : 'address');
  const min = readAmount(input.min, asset, 'min');
  const max = readAmount(input.max, asset, 'max');
  if (max < min) throw refusalOf('INVALID_AMOUNT', 'max');
  const fee = parseDecimal(input.fee ?? '0', asset.scale);
  if (fee === null || fee * 5n > min) throw refusalOf('INVALID_AMOUNT', 'fee');
  const presets = (input.presets ?? '')
    .split(',')
    .filter(Boolean)
    .map((text) => parseAmount(text, asset.scale));
  if (
    presets.length > MAX_PRESETS ||
    presets.some((preset) => preset === null || preset < min || preset > max)
  )
    throw refusalOf('INVALID_AMOUNT', 'presets');
  return {
    asset_id: asset.id,
    network: input.network,
    address: input.address ?? null,
    bank: isBank ? details : null,
    min: String(min),
    max: String(max),
    presets: presets.map(String),
    fee: String(fee),
    is_enabled: input.isEnabled,
  };
}

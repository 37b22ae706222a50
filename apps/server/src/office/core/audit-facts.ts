import { formatDecimal } from '@fairtick/money';
import type { Assets } from '../../platform/assets.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Facts that are amounts in the asset's smallest units. */
const AMOUNTS = ['amount', 'min', 'max', 'fee', 'found', 'claimed', 'presets'];
const PPM_PER_PERCENT = 10_000;

/**
 * An entry's facts as readers want them: the asset by its code, amounts as decimals, a rate in percent, and the terms of a channel
 * among the other facts. The chain keeps what was written.
 */
export function readableFacts({ terms, ...rest }: Facts, assets: Assets): Facts {
  const { asset_id: termsAsset, bank, is_enabled: isEnabled, ...more } = (terms ?? {}) as Facts;
  const facts: Facts = {
    ...rest,
    ...more,
    ...((bank ?? {}) as Facts),
    ...(isEnabled !== undefined && { isEnabled }),
  };
  const id = termsAsset ?? facts.asset;
  const asset = assets.all.find((one) => one.id === Number(id));
  if (!asset) return facts;
  const { ppm, ...others } = facts;
  const amountOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(amountOf) : formatDecimal(BigInt(String(value)), asset.scale);
  const read = Object.entries(others).map(([name, value]) => [
    name,
    AMOUNTS.includes(name) && value !== null ? amountOf(value) : value,
  ]);
  return {
    ...Object.fromEntries(read),
    asset: asset.code,
    ...(typeof ppm === 'number' && { rate: `${ppm / PPM_PER_PERCENT}%` }),
  };
}

import type pg from 'pg';
import { SEEDED_ASSETS } from './seeded-assets.ts';

const { USDT, USD, BTC, ETH } = SEEDED_ASSETS;

function units({ scale }: { readonly scale: number }, text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

const WITHDRAWALS = [
  { asset: USDT, min: '10', max: '50000', fee: '1' },
  { asset: USD, min: '50', max: '20000', fee: '5' },
  { asset: BTC, min: '0.0005', max: '1', fee: '0.0001' },
  { asset: ETH, min: '0.01', max: '20', fee: '0.001' },
] as const;

/** Nobody can pay to these: `DEMO-` is part of no address, and the rest fails its own checksum. A test checks this. */
const DEMO_CHANNELS = [
  [USDT, 'TRC20', 'DEMO-TFairtickDemoDoNotPayHereXXXXXXXXX', '10 50000', '100 500 1000 5000'],
  [USDT, 'ERC20', 'DEMO-0xDe30De30De30De30De30De30De30De30De30De30', '10 50000', '100 500 1000 5000'],
  [USD, 'bank', null, '50 20000', '100 500 1000 5000'],
  [BTC, 'Bitcoin', 'DEMO-bc1qdem0dem0dem0dem0dem0dem0dem0dem0dem0d', '0.0005 1', '0.001 0.01 0.1'],
  [ETH, 'Ethereum', 'DEMO-0xDe31De31De31De31De31De31De31De31De31De31', '0.01 20', '0.05 0.5 1'],
] as const;
const DEMO_BANK = {
  bank: 'Fairtick Demo Bank',
  branch: 'Demo',
  holder: 'Fairtick Demo',
  accountNumber: 'DEMO-0000-0000-0000',
};

const SAMPLE_RATES = [
  { asset: USDT, ppm: 30_000 },
  { asset: USD, ppm: 25_000 },
  { asset: BTC, ppm: 5_000 },
  { asset: ETH, ppm: 15_000 },
] as const;

/** Does not change existing rows. */
export async function seedMoney(client: pg.Client, mode: 'demo' | 'live'): Promise<void> {
  for (const { asset, min, max, fee } of WITHDRAWALS) {
    await client.query(
      'insert into withdrawal_terms (asset_id, min, max, fee) values ($1, $2, $3, $4) on conflict do nothing',
      [asset.id, units(asset, min), units(asset, max), units(asset, fee)],
    );
  }
  if (mode !== 'demo') return;
  for (const { asset, ppm } of SAMPLE_RATES) {
    await client.query(
      `insert into earning_rates (asset_id, from_day, annual_ppm)
       select $1, earning_today(), $2 where not exists (select from earning_rates where asset_id = $1)`,
      [asset.id, ppm],
    );
  }
  for (const [place, [asset, network, address, bounds, presets]] of DEMO_CHANNELS.entries()) {
    const amounts = (text: string) => text.split(' ').map((amount) => units(asset, amount));
    await client.query(
      `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, is_enabled)
       values ($1, 1, $2, $3, $4, $5, $6, $7, $8, true) on conflict do nothing`,
      [
        place + 1,
        asset.id,
        network,
        address,
        address === null ? DEMO_BANK : null,
        ...amounts(bounds),
        amounts(presets),
      ],
    );
  }
}

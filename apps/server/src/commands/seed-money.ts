import type pg from 'pg';
import { SEEDED_ASSETS } from './seeded-assets.ts';

const { USDT, USD, BTC, ETH } = SEEDED_ASSETS;

/** Converts decimal text to smallest units. */
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

/**
 * Demo channels that can't be paid to: the `DEMO-` mark is part of no address, and the rest fails its own checksum
 * (base58check, EIP-55, bech32). A test checks this with the library that checks customers' addresses.
 */
const DEMO_CHANNELS = [
  {
    asset: USDT,
    network: 'TRC20',
    address: 'DEMO-TFairtickDemoDoNotPayHereXXXXXXXXX',
    min: '10',
    max: '50000',
    presets: ['100', '500', '1000', '5000'],
  },
  {
    asset: USDT,
    network: 'ERC20',
    address: 'DEMO-0xDe30De30De30De30De30De30De30De30De30De30',
    min: '10',
    max: '50000',
    presets: ['100', '500', '1000', '5000'],
  },
  {
    asset: USD,
    network: 'bank',
    bank: {
      bank: 'Fairtick Demo Bank',
      branch: 'Demo',
      holder: 'Fairtick Demo',
      accountNumber: 'DEMO-0000-0000-0000',
    },
    min: '50',
    max: '20000',
    presets: ['100', '500', '1000', '5000'],
  },
  {
    asset: BTC,
    network: 'Bitcoin',
    address: 'DEMO-bc1qdem0dem0dem0dem0dem0dem0dem0dem0dem0d',
    min: '0.0005',
    max: '1',
    presets: ['0.001', '0.01', '0.1'],
  },
  {
    asset: ETH,
    network: 'Ethereum',
    address: 'DEMO-0xDe31De31De31De31De31De31De31De31De31De31',
    min: '0.01',
    max: '20',
    presets: ['0.05', '0.5', '1'],
  },
] as const;

/** The demo's sample rates a year, in millionths, marked as samples wherever they are shown. */
const SAMPLE_RATES = [
  { asset: USDT, ppm: 30_000 },
  { asset: USD, ppm: 25_000 },
  { asset: BTC, ppm: 5_000 },
  { asset: ETH, ppm: 15_000 },
] as const;

/** Seeds the bounds of withdrawals, and in demo the sample rates and channels. Does not change existing rows. */
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
  for (const [place, channel] of DEMO_CHANNELS.entries()) {
    const { asset, network, min, max, presets } = channel;
    await client.query(
      `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, is_enabled)
       values ($1, 1, $2, $3, $4, $5, $6, $7, $8, true) on conflict do nothing`,
      [
        place + 1,
        asset.id,
        network,
        'address' in channel ? channel.address : null,
        'bank' in channel ? channel.bank : null,
        units(asset, min),
        units(asset, max),
        presets.map((preset) => units(asset, preset)),
      ],
    );
  }
}

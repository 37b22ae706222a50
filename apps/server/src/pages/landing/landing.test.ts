import { get } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { describe, expect, test } from 'vitest';
import { RESTRICTED_REGIONS } from '../../config/restricted-regions.ts';
import { landingHead, robots, securityContact, sitemap } from '../app/landing-head.ts';

/** The marketing page: figures that can be counted are counted, all others are marked. */
const db = ownDatabase();
const api = ownApi(db);

const landing = async (lang = 'en') => (await get(api.origin, 'app/landing', { lang })).body.data;
const counted = async (assetClass: string) => {
  const { rows } = await db.owner.query('select from products where $1 in (asset_class, $2)', [
    assetClass,
    'all',
  ]);
  return rows.length;
};

describe('the landing page', () => {
  test('the landing page counts products from the live catalogue: over 100, 40 pairs, 3 of energy, a dozen indices, 70 stocks (S1-14, S1-15, S1-16, S1-17, S1-18, S9-09)', async () => {
    const { markets } = await landing();
    const of = Object.fromEntries(
      markets.items.map(({ id, count }: { id: string; count: number }) => [id, count]),
    );
    for (const [id, count] of Object.entries(of)) expect([id, count]).toEqual([id, await counted(id)]);
    expect(markets.products).toBe((await db.owner.query('select from products')).rows.length);
    expect(markets.heading).toContain(String(markets.products));
    expect(markets.products).toBeGreaterThan(100);
    expect(of.forex).toBeGreaterThan(40);
    expect(of.energy).toBe(3);
    expect(of.index).toBeGreaterThanOrEqual(13);
    expect(of.stock).toBeGreaterThan(70);
    // Each class shows products of its own, for their prices.
    for (const { id, symbols } of markets.items) {
      const { rows } = await db.owner.query(
        'select from products where asset_class = $1 and symbol = any ($2)',
        [id, symbols],
      );
      expect([id, rows.length]).toEqual([id, 2]);
    }
  });

  test('the landing page shows claims that only an operator can make true, each marked as a sample (S1-13, S1-19, S1-20, S1-21, S1-22, S1-23)', async () => {
    const { profile } = await landing();
    expect(
      profile.items.map(({ id, figure }: { id: string; figure: string | null }) => [id, figure]),
    ).toEqual([
      ['company', null],
      ['team', '450+'],
      ['continents', '4'],
      ['platform', 'MT4'],
      ['funds', null],
      ['regulation', null],
    ]);
    expect(profile.items.every(({ isSample }: { isSample: boolean }) => isSample)).toBe(true);
    expect(profile.sample).toBe('Sample');
    const [broker, ...claims] = profile.items.map(
      ({ title, text }: Record<string, string>) => `${title}: ${text}`,
    );
    expect(broker).toBe('CFD and forex broker: Currencies, indices, stocks and energy');
    expect(claims.slice(0, 4)).toEqual([
      'Team: Employees worldwide',
      'Continents: With our offices',
      'Trading platform: Offered alongside this app',
      'Segregated client funds: Kept separate from the operator’s own funds',
    ]);
  });

  test('the landing page shows the risk, the regulation, and every restricted region (S1-23, S1-24, S1-25)', async () => {
    const { risk, regions } = await landing();
    const config = (await get(api.origin, 'app/config', { lang: 'en' })).body.data;
    expect(risk.text).toBe(config.riskText);
    expect(risk.regulatory).toMatch(/regulator and licence/);
    const named = regions.items.map(({ code }: { code: string }) => code);
    expect(named).toEqual(['US', 'CA', 'GB', 'EEA', 'IL', 'AU', 'JP', 'CN', 'HK']);
    // Every restricted region is named, the members of the EEA as one.
    const eea = RESTRICTED_REGIONS.filter((code) => !named.includes(code));
    expect(eea.length).toBe(30);
  });

  test('the landing page is in the reader’s language, with zh as the fallback (S1-27, S1-29)', async () => {
    const [zh, tw, en, other] = await Promise.all(['zh', 'tw', 'en', 'fr'].map(landing));
    expect([zh.enter, tw.enter, en.enter, other.enter]).toEqual([
      '进入交易大厅',
      '進入交易大廳',
      'Start trading',
      '进入交易大厅',
    ]);
    expect(en.headline).not.toMatch(/[\u4e00-\u9fff]/);
  });

  test('has head, sitemap and robots entries for each language, and escapes the texts in its head', async () => {
    const page = { ...(await landing()), title: '"><script>alert(1)</script>' };
    const origin = 'https://fairtick.example';
    const head = landingHead(page, origin, 'en');
    expect(head).not.toContain('<script>');
    expect(head.match(/hreflang="/g)).toHaveLength(4);
    expect(head).toContain(`<link rel="canonical" href="${origin}/home?lang=en">`);
    // The address without a language follows its reader, and is its own canonical address.
    const bare = landingHead(page, origin, null);
    expect(bare).toContain(`<link rel="canonical" href="${origin}/home">`);
    expect(bare).toContain(`content="${origin}/home"`);
    expect(bare).toContain(`<link rel="alternate" hreflang="x-default" href="${origin}/home">`);
    expect(sitemap(origin).match(/<loc>/g)).toHaveLength(6);
    expect(sitemap(origin)).toContain(`<loc>${origin}/home</loc>`);
    expect(robots('https://fairtick.example')).toContain('Sitemap: https://fairtick.example/sitemap.xml');
  });

  test('names whom to tell about faults of security, for half a year', () => {
    const text = securityContact('help@fairtick.example', 'https://fairtick.example', Date.UTC(2030, 0, 1));
    expect(text).toContain('Contact: mailto:help@fairtick.example\nExpires: 2030-06-30T00:00:00.000Z\n');
  });
});

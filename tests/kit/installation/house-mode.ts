import type { Pool } from '../../../apps/server/src/db/database.ts';

/** As a start in this mode leaves it: in live mode no channel of the demo is on. `owner` is the schema's owner. */
export async function setMode(owner: Pool, mode: 'demo' | 'live'): Promise<void> {
  const turn = (isOn: boolean) =>
    owner.query(
      `insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
       select id, version + 1, asset_id, network, address, bank, min, max, presets, fee, $1 from current_channels()
       where coalesce(address, bank ->> 'accountNumber') like 'DEMO-%'`,
      [isOn],
    );
  if (mode === 'live') await turn(false);
  await owner.query('update house_settings set mode = $1, hold_seconds = $2', [
    mode,
    mode === 'live' ? 86_400 : 60,
  ]);
  if (mode === 'demo') await turn(true);
}

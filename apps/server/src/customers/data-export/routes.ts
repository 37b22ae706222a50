import { type AnsweredFile, type Language, localised } from '@fairtick/protocol';
import { type AsyncZippable, strToU8, zip } from 'fflate';
import type { Assets } from '../../platform/assets.ts';
import { call } from '../../platform/db/call.ts';
import { type Pool, transaction } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { Line } from '../../platform/fairness/line.ts';
import { type Handlers, refusalOf } from '../../platform/http/context.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { type Kept, readEverything } from './contents.ts';

export interface DataExportParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly keys: KeyRing;
  readonly uploads: Uploads;
}

const MOST_A_DAY = 5;
/** Pictures are added newest first, up to this size. */
const MOST_PICTURE_BYTES = 40 * 1024 * 1024;

/** The file's description of itself. */
const ABOUT = localised(
  '这里是我们存储的关于您的全部资料，按数据表排列。金额以该资产的最小单位计，小数位见 assets；时间为 ISO 8601（UTC），以 _ms 结尾的是 Unix 毫秒。密码、密钥及其散列不在其中；银行卡只有末四位；每张表最多包含最新的 10000 行（hasMore 表示还有更早的）。图片在 pictures 文件夹里。',
  '這裡是我們儲存的關於您的全部資料，按資料表排列。金額以該資產的最小單位計，小數位見 assets；時間為 ISO 8601（UTC），以 _ms 結尾的是 Unix 毫秒。密碼、金鑰及其雜湊不在其中；銀行卡只有末四碼；每張表最多包含最新的 10000 行（hasMore 表示還有更早的）。圖片在 pictures 資料夾裡。',
  'Everything we store about you, table by table. Amounts are in the smallest unit of their asset, with the decimals that assets names; times are ISO 8601 (UTC), or Unix milliseconds where the name ends in _ms. Passwords, keys and their hashes are not included; bank cards with their last four digits only; each table with its newest 10,000 rows (hasMore: there are older ones). Images are in the folder pictures.',
);

/**
 * Exports everything stored about a customer as a file. The export is recorded before the data is read, and the customer is told.
 */
export function dataExportHandlers(parts: DataExportParts) {
  const line = new Line(BOUNDS.exports);
  return {
    exportData: (_input, { asker, session, language }) =>
      line.take(asker, async () => {
        const values = { customer: session.customerId, aDay: MOST_A_DAY };
        if (!(await call(parts.pool, 'data_export_begin', values)))
          throw refusalOf('EXPORT_TOO_OFTEN', null, { count: String(MOST_A_DAY) });
        return makeFile(parts, session.customerId, language);
      }),
  } satisfies Partial<Handlers>;
}

async function makeFile(
  parts: DataExportParts,
  customerId: string,
  language: Language,
): Promise<AnsweredFile> {
  const { pool, keys, assets } = parts;
  const now = new Date();
  // One snapshot, because a balance and its postings belong together.
  const everything = await transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read read only');
    return readEverything(client, keys, customerId);
  });
  const pictures = await readPictures(parts, customerId, everything.uploads?.rows ?? []);
  const content = {
    about: ABOUT[language],
    madeAt: now.toISOString(),
    assets: assets.all.map(({ id, code, scale }) => ({ id, code, decimals: scale })),
    picturesLeftOut: pictures.leftOut,
    data: everything,
  };
  const bytes = await pack({
    'data.json': strToU8(JSON.stringify(content, null, 1)),
    // JPEGs are already compressed.
    pictures: Object.fromEntries(pictures.files.map(([name, picture]) => [name, [picture, { level: 0 }]])),
  });
  return { type: 'application/zip', bytes, name: `fairtick-data-${now.toISOString().slice(0, 10)}.zip` };
}

async function readPictures(
  { pool, uploads }: DataExportParts,
  customerId: string,
  rows: Kept['rows'],
): Promise<{ files: [string, Uint8Array][]; leftOut: number }> {
  const files: [string, Uint8Array][] = [];
  let room = MOST_PICTURE_BYTES;
  let leftOut = 0;
  for (const { id, purpose, bytes, erased_at } of rows) {
    if (erased_at !== null) continue;
    room -= Number(bytes);
    const picture = room >= 0 ? await uploads.read(pool, customerId, String(id)) : null;
    if (picture) files.push([`${id}-${purpose}.jpg`, picture.full]);
    else leftOut += 1;
  }
  return { files, leftOut };
}

const pack = (files: AsyncZippable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    zip(files, { level: 6 }, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });

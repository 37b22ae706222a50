import {
  consistencyProofFrom,
  encodeEntryBundle,
  inclusionProofFrom,
  parseTilePath,
  type Tile,
  tileWidthAt,
  toHex,
  utf8,
} from '@fairtick/proof';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Witness } from '../config/witness-setting.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { Line } from '../platform/fairness/line.ts';
import { type Handlers, RefusalError } from '../platform/http/context.ts';
import { networkOf } from '../platform/network.ts';
import { PUBLIC } from '../platform/route-access.ts';
import { keyRanges, readHandOvers } from './keys/hand-overs.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { readLastCheckpoint, readLogHead } from './log/log-head.ts';
import type { LogReader } from './log/log-reader.ts';
import {
  checkpointToCosign,
  readWitnessed,
  readWitnessStates,
  takeCosignatures,
} from './witnesses/witnesses.ts';

export interface LogRouteParts {
  readonly db: Queryable;
  readonly reader: LogReader;
  readonly keys: SigningKeys;
}

export interface LogFileParts extends LogRouteParts {
  readonly readLine: Line;
}

export function logHandlers(
  parts: LogRouteParts & { readonly witnesses: readonly Witness[] },
): Pick<
  Handlers,
  | 'transparencyKey'
  | 'transparencyProof'
  | 'transparencyHalts'
  | 'transparencyWitnesses'
  | 'transparencyCosign'
> {
  return {
    transparencyKey: () => readVerifierKeys(parts),
    transparencyWitnesses: async () => ({
      toCosign: await checkpointToCosign(parts.db),
      witnessed: await readWitnessed(parts.db),
      witnesses: await readWitnessStates(parts.db, parts.witnesses),
    }),
    transparencyCosign: async ({ note }) => {
      if ((await takeCosignatures(parts.db, parts.witnesses, note)) !== null) throw invalid('note');
      return null;
    },
    transparencyHalts: async () => {
      const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;
      const { rows } = await parts.db.query<{ symbol: string | null; from: number; until: number | null }>(
        `select p.symbol, ${ms('h.halted_at')} as from, ${ms('h.lifted_at')} as until
         from trading_halts h left join products p on p.id = h.product_id order by h.id desc limit 1000`,
      );
      return rows;
    },
    transparencyProof: async ({ index, size: wantedSize, fromSize }) => {
      const head = await readLogHead(parts.db);
      const size = wantedSize ?? head.size;
      if (size > head.size) throw invalid('size');
      if (index !== undefined && index >= size) throw invalid('index');
      if (fromSize !== undefined && fromSize > size) throw invalid('fromSize');
      const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);
      return {
        size,
        root: toHex(await parts.reader.rootAt(size)),
        index: index ?? null,
        entry: index === undefined ? null : await parts.reader.text(index),
        proof: index === undefined ? [] : hexes(await inclusionProofFrom(parts.reader, index, size)),
        fromSize: fromSize ?? null,
        consistency:
          fromSize === undefined ? [] : hexes(await consistencyProofFrom(parts.reader, fromSize, size)),
      };
    },
  };
}

/** The log's keys and how each handed over to the next. */
export async function readVerifierKeys({ db, keys }: Pick<LogRouteParts, 'db' | 'keys'>) {
  const { origin, size } = await readLogHead(db);
  const { verifierKeys } = keys;
  const rotations = await readHandOvers(db);
  const ranges = {
    checkpoints: keyRanges(rotations, verifierKeys.checkpoints),
    acceptances: keyRanges(rotations, verifierKeys.acceptances),
  };
  return { origin, size, ...verifierKeys, ranges, rotations };
}

const invalid = (field: string) =>
  new RefusalError('INVALID_VALUE', { fields: { [field]: 'INVALID_VALUE' } });

/** The files that existing tools read: the signed checkpoint and the tiles (C2SP tlog-checkpoint and tlog-tiles). */
export function registerLogFiles(app: FastifyInstance, parts: LogFileParts): void {
  const inLine = <T>({ ip }: FastifyRequest, work: () => Promise<T>): Promise<T> =>
    parts.readLine.take({ kind: 'anyone', who: networkOf(ip) }, work);
  app.get('/api/transparency/checkpoint', PUBLIC, async (request, reply) => {
    const note = await inLine(request, () => readLastCheckpoint(parts.db));
    if (note === null) return notThere(reply);
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(note);
  });
  app.get(
    '/api/transparency/tile/*',
    PUBLIC,
    async (request: FastifyRequest<{ Params: { '*': string } }>, reply) => {
      const tile = parseTilePath(`tile/${request.params['*']}`);
      const bytes = tile && (await inLine(request, () => readTile(parts, tile)));
      if (!bytes) return notThere(reply);
      return reply
        .type('application/octet-stream')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(Buffer.from(bytes));
    },
  );
}

function notThere(reply: FastifyReply): FastifyReply {
  return reply.status(404).header('cache-control', 'no-store').type('text/plain').send('not found\n');
}

/** The tile's bytes, or null where the log is not that large yet. */
async function readTile(parts: LogRouteParts, tile: Tile): Promise<Uint8Array | null> {
  const { size } = await readLogHead(parts.db);
  if (tile.width > tileWidthAt(tile.level, tile.index, size)) return null;
  if (tile.level === 'entries') {
    const texts = await parts.reader.bundle(tile.index);
    return encodeEntryBundle(texts.slice(0, tile.width).map(utf8));
  }
  return Buffer.concat(await parts.reader.tileHashes(tile.level, tile.index, tile.width));
}

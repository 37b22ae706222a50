import { randomBytes } from 'node:crypto';
import type { Data, ErrorCode, Input } from '@fairtick/protocol';
import { byteaArray } from '../platform/db/binary-arrays.ts';
import { call, callRow, perform } from '../platform/db/call.ts';
import { type Pool, transaction } from '../platform/db/database.ts';
import { BOUNDS } from '../platform/fairness/bounds.ts';
import { Line } from '../platform/fairness/line.ts';
import { type Handlers, RefusalError, refusalOf, type SessionContext } from '../platform/http/context.ts';
import { ThrottledError } from '../platform/http/throttled-error.ts';
import { hashKey } from '../platform/request-hashes.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { nextRecord, sealRecord } from '../platform/sealing/records.ts';
import type { Picture } from '../platform/uploads/picture-format.ts';
import type { Uploads } from '../platform/uploads/uploads.ts';
import type { Chats } from './chats.ts';
import { indexOfWords } from './repeated-words.ts';

export interface SupportParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly uploads: Uploads;
  readonly chats: Chats;
}

export function supportHandlers(parts: SupportParts) {
  const { pool, chats, uploads } = parts;
  // One at a time, so that a message that is sent again is recognised and its picture not encoded again.
  const line = new Line(BOUNDS.inOrder);
  return {
    chatHistory: async (input, { session: { customerId } }) => ({
      ...(await chats.page(customerId, input)),
      state: await chats.state(customerId),
    }),
    chatSend: (input, context) => line.take(context.asker, () => send(parts, input, context)),
    chatImage: async ({ id }, { session }) => {
      const { rows } = await pool.query<{ upload_id: string | null }>(
        'select upload_id from chat_messages where id = $1 and customer_id = $2',
        [id, session.customerId],
      );
      const uploadId = rows[0]?.upload_id;
      const picture = uploadId && (await uploads.read(pool, session.customerId, uploadId));
      if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
      return picture.full;
    },
    chatMark: ({ place, as }, { session }) =>
      perform(pool, 'chat_mark', { tokenHash: session.tokenHash, place, isRead: as === 'read' }),
    chatTyping: (_input, { session }) => perform(pool, 'chat_typing', { tokenHash: session.tokenHash }),
  } satisfies Partial<Handlers>;
}

/** Stores a message once per key: a repeated key gets the stored message, whatever came after it. */
async function send(
  parts: SupportParts,
  { text, image }: Input<'chatSend'>,
  context: SessionContext,
): Promise<Data<'chatSend'>> {
  if (text === undefined && image === undefined) throw refusalOf('FORM_INCOMPLETE', 'text');
  const { customerId } = context.session;
  const words = {
    keyHash: hashKey(context.idempotencyKey ?? randomBytes(16).toString('hex')),
    ...indexOfWords(parts.keys, customerId, context.fields),
  };
  const id =
    (await findSent(parts.pool, customerId, words)) ??
    (await store(parts, context, {
      text,
      picture: image && (await prepare(parts, customerId, image)),
      words,
    }));
  const message = await parts.chats.message(customerId, id);
  if (!message) throw new Error('a message was stored but is not there');
  return message;
}

interface Words {
  readonly keyHash: Buffer;
  readonly index: Buffer;
  readonly known: readonly Buffer[];
}

/** The message that the customer sent with the same key. @throws RefusalError when its content differs */
async function findSent(pool: Pool, customerId: string, words: Words): Promise<string | null> {
  const { rows } = await pool.query<{ id: string; input_index: Buffer }>(
    'select id, input_index from chat_messages where customer_id = $1 and staff_id is null and key_hash = $2',
    [customerId, words.keyHash],
  );
  const sent = rows[0];
  if (!sent) return null;
  if (![words.index, ...words.known].some((index) => index.equals(sent.input_index)))
    throw new RefusalError('IDEMPOTENCY_MISMATCH');
  return sent.id;
}

/** Encodes a picture only while the customer may send another one. */
async function prepare(
  { pool, uploads }: SupportParts,
  customerId: string,
  image: Uint8Array,
): Promise<Picture> {
  const seconds = await call<number>(pool, 'chat_wait', { customer: customerId, isPicture: true });
  if (seconds > 0) throw new ThrottledError(seconds);
  return uploads.prepare('image', image);
}

/** Another process stored the message meanwhile; the error rolls back what this transaction stored. */
class SentMeanwhile extends Error {
  readonly id: string;

  constructor(id: string) {
    super('sent meanwhile');
    this.id = id;
  }
}

async function store(
  { pool, keys, uploads }: SupportParts,
  { session: { customerId, tokenHash } }: SessionContext,
  { text, picture, words }: { text?: string | undefined; picture?: Picture | undefined; words: Words },
): Promise<string> {
  try {
    return await transaction(pool, async (client) => {
      const id = await nextRecord(client);
      const uploadId = picture ? await uploads.store(client, customerId, 'chat', picture) : null;
      const binding = { table: 'chat_messages', record: id, customer: customerId } as const;
      const { message_id, refused, wait_seconds } = await callRow<Sent>(client, 'chat_send', {
        tokenHash,
        id,
        sealed: text === undefined ? null : sealRecord(keys, binding, { text }),
        upload: uploadId,
        keyHash: words.keyHash,
        inputIndex: words.index,
        also: byteaArray(words.known),
      });
      if (refused === 'TOO_MANY_REQUESTS') throw new ThrottledError(wait_seconds ?? 1);
      if (refused) throw new RefusalError(refused);
      if (message_id && message_id !== id) throw new SentMeanwhile(message_id);
      return id;
    });
  } catch (error) {
    if (error instanceof SentMeanwhile) return error.id;
    throw error;
  }
}

interface Sent {
  readonly message_id: string | null;
  readonly refused: ErrorCode | null;
  readonly wait_seconds: number | null;
}

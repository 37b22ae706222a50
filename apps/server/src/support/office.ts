import type { Localised } from '@fairtick/protocol/languages';
import type { OfficeData, OfficeInput, supportOperations } from '@fairtick/protocol/office';
import { byteaArray } from '../platform/db/binary-arrays.ts';
import { call, perform } from '../platform/db/call.ts';
import type { Pool } from '../platform/db/database.ts';
import { RefusalError } from '../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../platform/office-area.ts';
import { hashKey } from '../platform/request-hashes.ts';
import type { KeyRing } from '../platform/sealing/key-ring.ts';
import { nextRecord, sealRecord } from '../platform/sealing/records.ts';
import type { Uploads } from '../platform/uploads/uploads.ts';
import { recordChatView } from './chat-views.ts';
import { Chats } from './chats.ts';
import type { OfficeHours } from './office-hours.ts';
import { readCases, readFacts, readInternal } from './office-queries.ts';
import { indexOfWords } from './repeated-words.ts';

export interface SupportOfficeParts {
  readonly pool: Pool;
  readonly keys: KeyRing;
  readonly uploads: Uploads;
  readonly hours: OfficeHours;
}

interface Parts extends SupportOfficeParts {
  readonly chats: Chats;
}

type Path = keyof typeof supportOperations;

const PAGE = 50;

/** Support's console. Functions of the database decide who may do what to a conversation; this code passes the arguments. */
export function supportOfficeHandlers(own: SupportOfficeParts): OfficeHandlers<Path> {
  const { pool, hours } = own;
  const parts: Parts = { ...own, chats: new Chats(own) };
  /** Calls a function of the database on a conversation, as this member of staff. */
  const act = (name: string, { staffId }: StaffSession, customer: string, values: object = {}) =>
    perform(pool, name, { staff: staffId, customer, ...values });
  return {
    'chat/list': (filter, { session }) => readCases(pool, hours, { ...filter, staffId: session.staffId }),
    'chat/conversation': (input, { session }) => readConversation(parts, session.staffId, input),
    'chat/image': ({ id }, { session }) => readImage(parts, session.staffId, id),
    'chat/claim': ({ id }, { session }) => act('chat_claim', session, id),
    'chat/release': ({ id }, { session }) => act('chat_release', session, id),
    'chat/handOver': ({ id, to }, { session }) => act('chat_hand_over', session, id, { to }),
    'chat/answer': (input, { session }) => answer(parts, session, input),
    'chat/note': async ({ id: customer, key, text }, { session }) => {
      const id = await nextRecord(pool);
      const sealed = sealRecord(parts.keys, { table: 'chat_notes', record: id, customer }, { text });
      return act('chat_note', session, customer, { id, sealed, keyHash: hashKey(key) });
    },
    'chat/seen': ({ id, place }, { session }) => act('chat_seen', session, id, { place }),
    'chat/typing': ({ id }, { session }) => act('chat_staff_typing', session, id),
    'chat/colleagues': async (_input, { session }) => {
      const { rows } = await pool.query<{ id: string; name: string }>(
        `select s.id::text, s.display_name as name from staff s join staff_roles r on r.staff_id = s.id
         where r.role = 'support' and s.is_active and s.id <> $1 order by s.display_name, s.id limit 1000`,
        [session.staffId],
      );
      return rows;
    },
    ...cannedHandlers(pool),
  };
}

function cannedHandlers(pool: Pool): OfficeHandlers<'chat/canned' | 'chat/setCanned' | 'chat/removeCanned'> {
  return {
    'chat/canned': async () => {
      const { rows } = await pool.query<{ id: string; title: string; texts: Localised }>(
        'select id::text, title, texts from canned_answers order by title, id limit 200',
      );
      return rows.map(({ texts, ...row }) => ({ ...row, ...texts }));
    },
    'chat/setCanned': async ({ id, title, ...texts }, { session }) => {
      return { id: await call(pool, 'canned_set', { staff: session.staffId, id, title, texts }) };
    },
    'chat/removeCanned': ({ id }, { session }) =>
      perform(pool, 'canned_remove', { staff: session.staffId, id }),
  };
}

async function readConversation(
  { pool, keys, chats, hours }: Parts,
  staffId: string,
  { id: customerId, cursor }: OfficeInput<'chat/conversation'>,
): Promise<OfficeData<'chat/conversation'>> {
  const facts = await readFacts(pool, hours, { staffId, customerId });
  await recordChatView(pool, { staffId, customerId, what: 'chat' });
  const { items: messages, nextCursor } = await chats.page(customerId, { cursor, limit: PAGE });
  return {
    ...facts,
    messages,
    authors: await readAuthors(pool, messages),
    nextCursor,
    state: await chats.state(customerId),
    ...(await readInternal(pool, keys, customerId)),
  };
}

async function readAuthors(
  pool: Pool,
  messages: readonly { readonly staff: string | null }[],
): Promise<OfficeData<'chat/conversation'>['authors']> {
  const ids = new Set(messages.flatMap(({ staff }) => staff ?? []));
  const { rows } = await pool.query<{ id: string; name: string }>(
    'select id::text, display_name as name from staff where id = any ($1)',
    [[...ids]],
  );
  return rows;
}

async function readImage({ pool, uploads }: Parts, staffId: string, id: string): Promise<OfficeFile> {
  const { rows } = await pool.query<{ customer_id: string; upload_id: string | null }>(
    'select customer_id, upload_id from chat_messages where id = $1',
    [id],
  );
  const row = rows[0];
  if (!row?.upload_id) throw new RefusalError('DOCUMENT_NOT_FOUND');
  await recordChatView(pool, { staffId, customerId: row.customer_id, what: 'chat' });
  const picture = await uploads.read(pool, row.customer_id, row.upload_id);
  if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
  return new OfficeFile('image/jpeg', picture.full);
}

async function answer(
  { pool, keys, chats }: Parts,
  { staffId }: StaffSession,
  { id: customer, key, text }: OfficeInput<'chat/answer'>,
): Promise<OfficeData<'chat/answer'>> {
  const id = await nextRecord(pool);
  const { index, known } = indexOfWords(keys, customer, { text });
  const answered = await call<string>(pool, 'chat_answer', {
    staff: staffId,
    customer,
    id,
    sealed: sealRecord(keys, { table: 'chat_messages', record: id, customer }, { text }),
    keyHash: hashKey(key),
    inputIndex: index,
    also: byteaArray(known),
  });
  const message = await chats.message(customer, answered);
  if (!message) throw new Error('an answer was stored but is not there');
  return message;
}

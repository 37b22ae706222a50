import type { Localised } from '@fairtick/protocol/languages';
import type { OfficeData, OfficeInput, supportOperations } from '@fairtick/protocol/office';
import { byteaArray } from '../platform/db/binary-arrays.ts';
import type { Pool } from '../platform/db/database.ts';
import { NamedCall } from '../platform/db/named-call.ts';
import { RefusalError } from '../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../platform/office-area.ts';
import { queueStart } from '../platform/office-queries.ts';
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
  const act = async (name: string, session: StaffSession, id: string, ...more: readonly unknown[]) => {
    const places = more.map((_, place) => `, $${place + 3}`).join('');
    await pool.query(`select ${name}($1, $2${places})`, [session.staffId, demandChat(id), ...more]);
    return null;
  };
  return {
    'chat/list': (filter, { session }) => readCases(pool, hours, { ...filter, staffId: session.staffId }),
    'chat/conversation': (input, { session }) => readConversation(parts, session.staffId, input),
    'chat/image': ({ id }, { session }) => readImage(parts, session.staffId, id),
    'chat/claim': ({ id }, { session }) => act('chat_claim', session, id),
    'chat/release': ({ id }, { session }) => act('chat_release', session, id),
    'chat/handOver': ({ id, to }, { session }) => {
      if (!/^\d{1,18}$/.test(to)) throw new RefusalError('COLLEAGUE_NOT_FOUND');
      return act('chat_hand_over', session, id, to);
    },
    'chat/answer': (input, { session }) => answer(parts, session, input),
    'chat/note': async ({ id, key, text }, { session }) => {
      const customerId = demandChat(id);
      const record = await nextRecord(pool);
      const binding = { table: 'chat_notes', record, customer: customerId } as const;
      const sealed = sealRecord(parts.keys, binding, { text });
      return act('chat_note', session, id, record, sealed, hashKey(key));
    },
    'chat/seen': ({ id, place }, { session }) => act('chat_seen', session, id, place),
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
      const { rows } = await pool.query<{ id: string }>('select canned_set($1, $2, $3, $4) as id', [
        session.staffId,
        id === undefined ? null : demandChat(id),
        title,
        JSON.stringify(texts),
      ]);
      return { id: (rows[0] as { id: string }).id };
    },
    'chat/removeCanned': async ({ id }, { session }) => {
      await pool.query('select canned_remove($1, $2)', [session.staffId, demandChat(id)]);
      return null;
    },
  };
}

async function readConversation(
  { pool, keys, chats, hours }: Parts,
  staffId: string,
  { id, cursor }: OfficeInput<'chat/conversation'>,
): Promise<OfficeData<'chat/conversation'>> {
  const customerId = demandChat(id);
  const before = queueStart({ cursor });
  const facts = await readFacts(pool, hours, { staffId, customerId });
  await recordChatView(pool, { staffId, customerId, what: 'chat' });
  const beforePlace = before === null ? undefined : Math.min(Number(before), 2_147_483_647);
  const found = await chats.messages(customerId, { beforePlace, limit: PAGE + 1 });
  const messages = found.slice(0, PAGE);
  return {
    ...facts,
    messages,
    authors: await readAuthors(pool, messages),
    nextCursor: found.length > PAGE ? String(messages.at(-1)?.place) : null,
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
    [demandChat(id)],
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
  { id, key, text }: OfficeInput<'chat/answer'>,
): Promise<OfficeData<'chat/answer'>> {
  const customerId = demandChat(id);
  const record = await nextRecord(pool);
  const binding = { table: 'chat_messages', record, customer: customerId } as const;
  const said = indexOfWords(keys, customerId, { text });
  const { rows } = await pool.query<{ result: string }>(
    ANSWER.with({
      staff: staffId,
      customer: customerId,
      id: record,
      sealed: sealRecord(keys, binding, { text }),
      keyHash: hashKey(key),
      inputIndex: said.index,
      also: byteaArray(said.known),
    }),
  );
  const message = await chats.message(customerId, (rows[0] as { result: string }).result);
  if (!message) throw new Error('an answer was stored but is not there');
  return message;
}

const ANSWER = new NamedCall('chat_answer', {
  staff: 'bigint',
  customer: 'bigint',
  id: 'bigint',
  sealed: 'bytea',
  keyHash: 'bytea',
  inputIndex: 'bytea',
  also: 'bytea[]',
});

/** @throws RefusalError when `id` can't be the number of a conversation */
function demandChat(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw new RefusalError('CHAT_NOT_FOUND');
  return id;
}

import * as z from 'zod';
import { page } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { inEachLanguage, LANGUAGE_TAGS } from '../languages.ts';
import { statusesOf } from '../lifecycles.ts';
import { chatMessage, chatState } from '../support/chat-answers.ts';
import { officeGet, officePost } from './operation.ts';
import { claim, ms, PROVED, who } from './parts.ts';

/** A conversation in the list, without its messages. */
const chatCase = z.object({
  /** The customer's id. */
  id: z.string(),
  account: z.string(),
  language: z.string(),
  lastAt: ms,
  messages: z.int(),
  /** Number of customer messages that no member of staff has read. */
  unread: z.int(),
  waitingSince: ms.nullable(),
  answerBy: ms.nullable(),
  claim,
});

const chatNote = z.object({ id: z.string(), by: who, time: ms, text: z.string().nullable() });
const chatStep = z.object({
  step: z.enum(['claimed', 'released', 'handed']),
  by: who,
  to: who.nullable(),
  time: ms,
});

const conversation = z.object({
  case: chatCase,
  nickname: z.string(),
  realStatus: z.enum(statusesOf('realName')),
  level: z.string(),
  /** Newest first. */
  messages: z.array(chatMessage),
  /** The members of staff who wrote these messages. */
  authors: z.array(who),
  nextCursor: z.string().nullable(),
  /** The state that the customer sees: read marks, hours and promised answer time. */
  state: chatState,
  customerReceivedPlace: z.int(),
  isCustomerTyping: z.boolean(),
  notes: z.array(chatNote),
  steps: z.array(chatStep),
});

const cannedAnswer = z.object({
  id: z.string(),
  title: z.string(),
  ...inEachLanguage(() => z.string()),
});

const READERS = ['support', 'auditor'] as const;
const chat = fields.idOf('CHAT_NOT_FOUND');
const id = chat.meta({ description: 'The customer’s.', example: '1024' });
/** The form's idempotency key: a retry with it stores nothing twice. */
const key = z
  .string({ error: 'INVALID_IDEMPOTENCY_KEY' })
  .regex(/^[\x21-\x7e]{1,64}$/, { error: 'INVALID_IDEMPOTENCY_KEY' });
const said = (description: string) => fields.words(2000, { description, example: 'Hello' });
const canned = (description: string) => fields.words(1000, { description, example: 'Hello' });
const HELD = ['CHAT_CLAIMED', 'APPROVER_TOO_NEW', 'ABOUT_ONESELF'] as const;

/** Support's console: several conversations at once, and staff's notes about them. */
export const supportOperations = {
  'chat/list': officeGet(
    READERS,
    {
      filter: fields.choice(['waiting', 'mine', 'all']).optional(),
      ...fields.paged,
    },
    page(chatCase).extend({ waiting: z.int() }),
    { summary: 'Conversations: those that wait, the longest first; one’s own; or all, the newest first' },
  ),
  'chat/conversation': officeGet(READERS, { id, cursor: fields.cursor }, conversation, {
    summary: 'What was said, a page at a time, with notes; the customer sees who looked',
  }),
  'chat/image': officeGet(READERS, { id: chat }, z.unknown(), {
    summary: 'The picture of a message; the customer sees who looked',
    isFile: true,
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  'chat/claim': officePost(['support'], { id }, nothing, {
    summary: 'Takes a conversation; lapses 15 minutes after the last thing done in it',
    errors: HELD,
  }),
  'chat/release': officePost(['support'], { id }, nothing, {
    summary: 'Gives it back to all',
    errors: HELD,
  }),
  'chat/handOver': officePost(['support'], { id, to: fields.idOf('COLLEAGUE_NOT_FOUND') }, nothing, {
    summary: 'Gives it to a colleague',
    errors: HELD,
  }),
  'chat/answer': officePost(['support'], { id, key, text: said('To the customer.') }, chatMessage, {
    summary: 'Answers, once for each key; whoever answers has the conversation',
    ...PROVED,
    errors: [...HELD, 'IDEMPOTENCY_MISMATCH'],
  }),
  'chat/note': officePost(['support'], { id, key, text: said('For colleagues alone.') }, nothing, {
    summary: 'Notes something for colleagues; no customer is ever shown it',
    errors: HELD,
  }),
  'chat/seen': officePost(['support'], { id, place: fields.whole(0, 2_147_483_647) }, nothing, {
    summary: 'Says that messages up to this place were read',
    errors: HELD,
  }),
  'chat/typing': officePost(['support'], { id }, nothing, {
    summary: 'Says that an answer is being written',
    errors: HELD,
  }),
  'chat/colleagues': officeGet(READERS, {}, z.array(who), { summary: 'Who else is of support' }),
  'chat/canned': officeGet(READERS, {}, z.array(cannedAnswer), {
    summary: 'Answers that are ready, in each language',
  }),
  'chat/setCanned': officePost(
    ['support'],
    {
      id: chat.optional(),
      title: fields.line(60, { description: 'What colleagues find it by.', example: 'Greeting' }),
      ...inEachLanguage((language) => canned(`In ${LANGUAGE_TAGS[language]}.`)),
    },
    z.object({ id: z.string() }),
    { summary: 'Writes one, or changes it', errors: ['CANNED_FULL', 'APPROVER_TOO_NEW'] },
  ),
  'chat/removeCanned': officePost(['support'], { id: chat }, nothing, {
    summary: 'Removes one',
    errors: ['APPROVER_TOO_NEW'],
  }),
} as const;

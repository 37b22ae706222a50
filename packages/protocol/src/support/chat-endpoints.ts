import { page } from '../answers.ts';
import { type Endpoint, get, mayUpload, nothing, picture, post } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { chatMessage, chatState } from './chat-answers.ts';

/** The customer's conversation with support. New messages come over the stream: topics `chat` and `chatState`. */
export const chatEndpoints = {
  chatHistory: get('chat/history', 'session', fields.paged, page(chatMessage).extend({ state: chatState }), {
    summary: 'One’s own conversation with support, newest first',
  }),
  chatSend: mayUpload(
    'chat/send',
    'session',
    {
      fields: {
        text: fields
          .words(2000, {
            description: 'What is to be said; may be absent beside a picture.',
            example: 'Hello',
          })
          .optional(),
      },
      pictures: {
        image: fields.picture('FORM_INCOMPLETE', 'A picture; made anew from its pixels.').optional(),
      },
    },
    chatMessage,
    {
      summary: 'Says something to support: words, a picture, or both',
      takesKey: true,
      errors: ['IDEMPOTENCY_MISMATCH'],
    },
  ),
  chatImage: picture(
    'chat/image',
    'session',
    { id: fields.idOf('DOCUMENT_NOT_FOUND').meta({ description: 'The message’s.', example: '1024' }) },
    { summary: 'The picture of a message of one’s own conversation' },
  ),
  chatMark: post(
    'chat/mark',
    'session',
    {
      place: fields
        .whole(0, 2_147_483_647)
        .meta({ description: 'Up to this message’s place, never back.', example: 1 }),
      as: fields
        .choice(['received', 'read'])
        .meta({ description: 'What has happened to them.', example: 'read' }),
    },
    nothing,
    {
      limit: { quota: { minute: 60, day: 10_000 } },
      summary: 'Says that messages have reached the app, or were read',
    },
  ),
  chatTyping: post('chat/typing', 'session', {}, nothing, {
    limit: { quota: { minute: 60, day: 10_000 } },
    summary: 'Says that the customer is typing; believed for some seconds',
  }),
} satisfies Record<string, Endpoint>;
